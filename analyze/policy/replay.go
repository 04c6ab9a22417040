package policy

import (
	"strconv"

	"tidemark/analyze/catalog"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM870", Cause: "replay-failed", Title: "The replay of records did not end as expected",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.Or(asks("replay"), catalog.Named("--replay")).Apart()),
	Means: "The strategy was run over the records through the reference engine, and a limit was not kept: too many late or dropped records, windows that did not fire, or a watermark that did not follow.",
	Why: "The engine behaves as Flink's own classes do: a generator per partition, the minimum over partitions and subtasks, periodic emission, idleness, and windows with their lateness. " +
		"The records are the test, so they should contain the difficult cases: disorder, a silent partition, a pause, a record from the future.",
	Fix: catalog.Fix{Text: "tidemark simulate with the same records and strategy shows partition by partition what happened; change the strategy until the limits are kept."},
})

// replay reports each limit of the replay.
func (s scope) replay(r *Replay) {
	out, ok := s.in.Replays[r]
	if !ok {
		s.skip("TM870", "replay", r.At, s.subject, "the replay was not run")
		return
	}
	s.replayed(out, r.At)
}

// replayed turns an outcome into results.
func (s scope) replayed(out ReplayOutcome, at Location) {
	const code, key = "TM870", "replay.expect"
	sub := Subject{Kind: "replay", Name: s.subject.Name, ShortID: s.subject.ShortID}
	if out.Err != "" {
		s.skip(code, key, at, sub, "%s: %s", out.Source, sentence(out.Err))
		return
	}
	for _, e := range out.Expectations {
		sub.Operator = e.Window
		what := ""
		if e.Window != "" {
			what = " of window " + e.Window
		}
		proof := append(evidence(out.Source, e.Text, e.Actual), evidence(out.Source, "records", strconv.FormatInt(out.Records, 10))...)
		if e.Met {
			s.add(code, key+" "+e.Text, e.At, sub, finish{status: Passed, evidence: proof, message: "expected " + e.Text + what + "; it is " + e.Actual})
			continue
		}
		s.add(code, key+" "+e.Text, e.At, sub, finish{status: Failed, confidence: catalog.Certain, evidence: proof, message: "expected " + e.Text + what + "; it is " + e.Actual})
	}
}
