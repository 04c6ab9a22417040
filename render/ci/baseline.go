package ci

import (
	"strings"

	"tidemark/analyze/policy"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// sinceLine is "Against last.json (judged …): 1 new, 2 unchanged, 1 fixed", "" without a baseline.
func sinceLine(run *policy.Run, o Options) string {
	b := run.Baseline
	if b == nil {
		return ""
	}
	parts := []string{units.Count(b.New) + " new", units.Count(b.Unchanged) + " unchanged", units.Count(len(b.Fixed)) + " fixed"}
	if b.Unclear > 0 {
		parts = append(parts, units.Count(b.Unclear)+" unclear (the baseline did not judge or show them)")
	}
	if n := len(b.NotJudged); n > 0 {
		parts = append(parts, units.Count(n)+" not judged this time")
	}
	return "Against " + safe.Short(underRoot(b.File, o.Root), 200) + " (judged " + words.Clock(b.AtMs) + "): " + strings.Join(parts, ", ")
}

// codeMark is the code of a result, and whether it is new or unchanged since the baseline.
func codeMark(r *policy.Result) string {
	mark := safe.Short(r.Code, 12)
	if r.Change != "" {
		mark += ", " + safe.Short(string(r.Change), 20)
	}
	return " [" + mark + "]"
}

// since lists the faults of the baseline that are not seen now, fixed or not judged.
func since(run *policy.Run) []doc.Block {
	if run.Baseline == nil {
		return nil
	}
	return append(formerly("Fixed since the baseline", run.Baseline.Fixed), formerly("Failed in the baseline, not judged this time", run.Baseline.NotJudged)...)
}

func formerly(title string, results []policy.Result) []doc.Block {
	var p doc.Pairs
	for i := range results {
		r := &results[i]
		p = append(p, doc.Pair{Name: resultPlace(r, subjectTitle(r.Subject, longestName)), Values: []string{"was: " + checkSentence(&policy.Result{Title: r.Title, Message: r.Message}, false)}})
	}
	if len(p) == 0 {
		return nil
	}
	return []doc.Block{doc.Heading{Level: 2, Text: title}, p}
}

// resultPlace names a result with its subject and the place inside.
func resultPlace(r *policy.Result, subject string) string {
	what := checkName(r) + " at " + subject
	if part := subjectPart(r.Subject, longestName); part != "" {
		what += ", " + part
	}
	return what
}
