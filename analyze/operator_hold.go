package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM302", Cause: "operator-hold", Title: "An operator holds event time by its own rule",
	Symptom: 3, Severity: Info, Needs: []string{"plan", "operator watermarks"},
	Means: "The output watermark of an operator trails its input by design: a SQL interval join by the larger of its bounds, a rowtime mini-batch by up to its interval.",
	Why: "A SQL interval join emits min(inputs) - max(-leftLowerBound, leftUpperBound), because a joined row may carry the older of two times (KeyedCoProcessOperatorWithWatermarkDelay). " +
		"It adds to the latency of everything behind it, and is no fault; narrower bounds are the only way to less.",
	Fix: Fix{
		Text: "Narrow the interval, or the mini-batch latency, if the results behind it must come earlier.",
		SQL:  "o.ts BETWEEN p.ts - INTERVAL '5' SECOND AND p.ts + INTERVAL '5' SECOND\n-- SET 'table.exec.mini-batch.allow-latency' = '1 s'",
	},
	Run: runOperatorHold,
})

func runOperatorHold(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			hold, ok := HoldOf(op)
			trail, measured := trailOf(op)
			if !ok || hold < 1000 || measured && trail < 1000 {
				continue
			}
			f := newFinding("TM302", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s holds event time back by up to %s by its own rule", quoteName(op.Name), units.Duration(hold))
			if measured {
				f.Summary = fmt.Sprintf("%s holds event time back by %s now (its rule: %s)", quoteName(op.Name), units.Duration(trail), units.Duration(hold))
				f.proveReading(v, quoteName(op.Name), "currentInputWatermark", op.In)
				f.proveReading(v, quoteName(op.Name), "currentOutputWatermark", op.Out)
			} else {
				f.Confidence = Likely
			}
			f.prove(v, quoteName(op.Name), "plan: hold", units.Duration(hold))
			out = append(out, f)
		}
	}
	return out
}

// trailOf is input minus output of an operator, ms of event time.
func trailOf(op *Operator) (int64, bool) {
	in, okIn := op.In.Now.Millis()
	out, okOut := op.Out.Now.Millis()
	return in - out, okIn && okOut
}
