package analyze

import "fmt"

var _ = register(Check{
	Code: "TM604", Cause: "idleness-not-set", Title: "No idle timeout: one quiet split would stop event time",
	Symptom: 1, Severity: Info, Needs: []string{"plan (SQL scan text before 2.3)"},
	Means: "The plan shows a watermark and no idle timeout on a source that reads several splits. All is well as long as every split always has data.",
	Why:   "WatermarkPushDownSpec prints idletimeout only when it is set. From 2.3 on the scan text is not shown, and a DataStream strategy never is, so nothing is said there.",
	Fix: Fix{
		Text:       "Decide it: set a timeout longer than the longest ordinary silence of a partition, or write down why no partition is ever silent.",
		DataStream: "strategy.withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s'",
	},
	Run: runIdlenessNotSet,
})

func runIdlenessNotSet(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		d, ok := j.declared(v)
		if !ok || !d.IdleKnown || d.IdleMs > 0 || d.Source || v.totalSplits()+v.Parallelism <= 2 {
			continue
		}
		f := newFinding("TM604", v)
		f.Operator = headName(v)
		f.Summary = fmt.Sprintf("Source %s declares a watermark and no idle timeout: a quiet partition would stop event time", sourceLabel(v))
		f.prove(v, sourceLabel(v), "plan: watermark", shorten(d.Expr, 120))
		f.prove(v, sourceLabel(v), "splits", v.totalSplits())
		out = append(out, f)
	}
	return out
}
