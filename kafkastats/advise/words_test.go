package advise

import (
	"strings"
	"testing"
)

// A slug is for scripts; a label of a page has room for 24 characters.
func TestEveryVerdictHasWords(t *testing.T) {
	for _, v := range []Verdict{Choose, FixTimestamps, NoProgress, LatencyInfeasible, WrongKnob, InsufficientEvidence, SLABound, Fits} {
		if words := v.Words(); len(words) > 24 || strings.Contains(words, "-") || verdictWords[v] == "" {
			t.Errorf("%s is said as %q", v, words)
		}
	}
}
