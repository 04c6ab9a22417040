package render

import (
	"strings"
	"testing"

	"tidemark/analyze/catalog"
)

// A finding says at what time of day it began, with the day where that is not the report's.
func TestAFindingSaysWhenItBegan(t *testing.T) {
	const now = 1_796_011_312_000 // 2026-11-30 04:01:52 UTC
	for want, f := range map[string]catalog.Finding{
		"Silent. Since 03:59:52 UTC. A note. [TM102]":                  {BeganMs: now - 120_000, Confidence: catalog.Certain, Notes: []string{"A note"}},
		"Silent. Since about 2026-11-29 04:01:52 UTC. [TM102, likely]": {BeganMs: now - 86_400_000, Confidence: catalog.Likely},
		"Silent. [TM102]": {Confidence: catalog.Certain},
	} {
		f.Code, f.Summary = "TM102", "Silent"
		if got := what(&f, now, strings.TrimSpace); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
