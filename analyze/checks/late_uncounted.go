package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM403", Cause: "late-uncounted", Title: "An operator drops late rows without counting them",
	Headline: "{vertex} drops late rows without counting them",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.Plan),
	Means: "Interval join, event-time temporal join, rowtime sort and (before 2.1) first-row deduplication have no late counter in this Flink version: a counter of zero elsewhere does not mean that nothing is lost here.",
	Why:   "These classes register no metric. IntervalJoinOperator and the SQL interval join skip late rows; TemporalRowTimeJoinOperator joins late rows with an older or expired version; RowTimeSortOperator drops rows below the last trigger.",
	Fix: catalog.Fix{
		Text:       "Measure the disorder of its inputs instead (tidemark recommend TOPIC), or tap late rows before the operator.",
		DataStream: "// an interval join, after between(…):\nintervalJoined.sideOutputLeftLateData(leftLate).sideOutputRightLateData(rightLate)",
		SQL:        "-- once the watermark is past them; CURRENT_WATERMARK is NULL before the first\nSELECT COUNT(*) FROM orders WHERE ts <= CURRENT_WATERMARK(ts)",
	},
	Run: runLateUncounted,
})

func runLateUncounted(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if !op.Kind.DropsUncounted(j.Version) {
				continue
			}
			if op.Kind == model.KindDeduplicate && !model.FirstRow(op.Text) {
				continue
			}
			f := catalog.NewFinding("TM403", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s (%s) has no counter for late rows in Flink %s: what it loses cannot be seen", model.QuoteName(op.Name), op.Kind, j.Version)
			f.Prove(v, model.QuoteName(op.Name), "plan", model.Shorten(op.Text, 120))
			out = append(out, f)
		}
	}
	return out
}
