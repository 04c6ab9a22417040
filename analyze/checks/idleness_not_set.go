package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM604", Cause: "idleness-not-set", Title: "No idle timeout: one quiet split would stop event time",
	Headline: "{vertex} has no idle timeout: one quiet partition would stop the watermark",
	Symptom:  1, Severity: catalog.Info, Needs: catalog.Needs(catalog.PlanSQL.As("plan (SQL scan text before 2.3)")), Script: catalog.ByText,
	Means: "The plan shows a watermark and no idle timeout on a source that reads several splits. This is fine as long as every split always has data.",
	Why:   "WatermarkPushDownSpec prints idletimeout only when it is set. From 2.3 on the scan text is not shown, and a DataStream strategy never is, so nothing is reported there.",
	Fix: catalog.Fix{
		Text:       "Decide: set a timeout longer than the longest ordinary silence of a partition, or write down why no partition is ever silent.",
		DataStream: "strategy.withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s'",
	},
	Run: runIdlenessNotSet,
})

func runIdlenessNotSet(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		d, ok := j.Declared(v)
		if !ok || !d.IdleKnown || d.IdleMs > 0 || d.Source || v.TotalSplits()+v.Parallelism <= 2 {
			continue
		}
		f := catalog.NewFinding("TM604", v)
		f.Operator = model.HeadName(v)
		f.Summary = fmt.Sprintf("Source %s declares a watermark and no idle timeout: a quiet partition would stop event time", model.SourceLabel(v))
		f.Prove(v, model.SourceLabel(v), "plan: watermark", model.Shorten(d.Expr, 120))
		f.Prove(v, model.SourceLabel(v), "splits", v.TotalSplits())
		out = append(out, f)
	}
	return out
}
