package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM302", Cause: "operator-hold", Title: "An operator holds event time back by design",
	Headline: "{vertex} holds the watermark back by design",
	Symptom:  3, Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan, catalog.OperatorWatermarks),
	EventTime: true,
	Means:     "The output watermark of an operator is behind its input by design: in a SQL interval join by the larger of its bounds, in a rowtime mini-batch by up to its interval.",
	Why:       "A SQL interval join emits min(inputs) - max(-leftLowerBound, leftUpperBound), because a joined row may have the older of two times (KeyedCoProcessOperatorWithWatermarkDelay). This is not a fault. It delays every operator downstream, and only narrower bounds reduce it.",
	Fix: catalog.Fix{
		Text: "Narrow the interval, or reduce the mini-batch latency, if results must come earlier.",
		SQL:  "o.ts BETWEEN p.ts - INTERVAL '5' SECOND AND p.ts + INTERVAL '5' SECOND\n-- SET 'table.exec.mini-batch.allow-latency' = '1 s'",
	},
	Run: runOperatorHold,
})

func runOperatorHold(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			hold, ok := model.HoldOf(op)
			trail, measured := lag.TrailOf(op)
			if !ok || hold < 1000 || measured && trail < 1000 {
				continue
			}
			f := catalog.NewFinding("TM302", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s holds event time back by up to %s by design", model.QuoteName(op.Name), units.Duration(hold))
			if measured {
				f.Summary = fmt.Sprintf("%s holds event time back by %s now (its rule: %s)", model.QuoteName(op.Name), units.Duration(trail), units.Duration(hold))
				f.ProveReading(v, model.QuoteName(op.Name), "currentInputWatermark", op.In)
				f.ProveReading(v, model.QuoteName(op.Name), "currentOutputWatermark", op.Out)
			} else {
				f.Confidence = catalog.Likely
			}
			f.Prove(v, model.QuoteName(op.Name), "plan: hold", units.Duration(hold))
			out = append(out, f)
		}
	}
	return out
}
