package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM205", Cause: "epoch-zero", Title: "Event time is at 0, the first of January 1970",
	Headline: "{place} carries time 0 (1970)",
	Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark),
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Foreign), catalog.Stalls(catalog.Standing), catalog.Delays(catalog.Owed, catalog.Constant, catalog.Unknown)},
	EventTime: true,
	Means:     "A source's watermark is 0 minus its bound: its records carry time 0, as change-data snapshot rows do (op_ts is 0 during the snapshot), or a default value where a field is missing.",
	Why:       "Seconds read as milliseconds (TM201) are weeks into 1970; these are at its first instant. A table that rarely changes stays there.",
	Fix: catalog.Fix{
		Text:       "Take event time from a field that every row has, or declare the table idle after its snapshot; join a dimension that rarely changes with a processing-time lookup instead.",
		DataStream: "strategy.withTimestampAssigner((row, t) -> row.updatedAt() > 0 ? row.updatedAt() : t)",
		SQL:        "WITH ('scan.watermark.idle-timeout' = '10 s')   -- 1.18+\n-- or: JOIN dim FOR SYSTEM_TIME AS OF o.proc_time",
	},
	Hides: []string{"TM110", "TM203", "TM301", "TM304", "TM305", "TM306"},
	Run:   runEpochZero,
})

func runEpochZero(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, e := range j.Emitters() {
		var zero []model.Spot
		spots := model.Known(e.Spots())
		for _, p := range spots {
			if ms, _ := p.Reading.Now.Millis(); model.NearEpochZero(ms) {
				zero = append(zero, p)
			}
		}
		if len(zero) == 0 {
			continue
		}
		f := catalog.NewFinding("TM205", e.Vertex)
		f.Operator = e.Op.Name
		f.HeldBack = j.HeldBack(e.Vertex, e.Vertex.MinOut())
		if len(zero) < len(spots) && model.MovedCertainly(zero[0].Reading) {
			f.Severity = catalog.Warning
		}
		if zero[0].Split != nil && len(zero) == 1 {
			f.Split = zero[0].Split.ID
		}
		f.Summary = fmt.Sprintf("%s stands at %s: records of %s carry time 0. %s", model.QuoteName(e.Op.Name), zero[0].Reading.Now, zero[0].Label(), catalog.Without(f.HeldBack, e.Vertex, e.Vertex.MinOut()))
		for _, p := range zero[:min(len(zero), 4)] {
			f.AddSubtask(p.Subtask.Index)
			f.ProveReading(e.Vertex, p.Label(), "watermark", p.Reading)
		}
		out = append(out, f)
	}
	return out
}
