package analyze

import "fmt"

var _ = register(Check{
	Code: "TM403", Cause: "late-uncounted", Title: "An operator drops late rows without counting them",
	Severity: Info, Needs: []string{"plan"},
	Means: "Interval join, event-time temporal join, rowtime sort and (before 2.1) first-row deduplication have no late counter in this Flink version: a counter of zero elsewhere does not mean that nothing is lost here.",
	Why:   "The classes register no metric: IntervalJoinOperator and the SQL interval join skip late rows, TemporalRowTimeJoinOperator joins late rows to an older or expired version, RowTimeSortOperator drops below the last trigger.",
	Fix: Fix{
		Text:       "Measure the disorder of its inputs instead (tidemark recommend TOPIC), or tap late rows before the operator.",
		DataStream: "// an interval join, after between(…):\nintervalJoined.sideOutputLeftLateData(leftLate).sideOutputRightLateData(rightLate)",
		SQL:        "-- once the watermark is past them; CURRENT_WATERMARK is NULL before the first\nSELECT COUNT(*) FROM orders WHERE ts <= CURRENT_WATERMARK(ts)",
	},
	Run: runLateUncounted,
})

func runLateUncounted(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if !op.Kind.DropsUncounted(j.Version) {
				continue
			}
			if op.Kind == KindDeduplicate && !firstRow(op.Text) {
				continue
			}
			f := newFinding("TM403", v)
			f.Operator = op.Name
			f.Summary = fmt.Sprintf("%s (%s) has no counter for late rows in Flink %s: what it loses cannot be seen", quoteName(op.Name), op.Kind, j.Version)
			f.prove(v, quoteName(op.Name), "plan", shorten(op.Text, 120))
			out = append(out, f)
		}
	}
	return out
}

func firstRow(text string) bool {
	keep, _ := property(text, "keep")
	return keep == "FirstRow"
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
