package analyze

import "fmt"

var _ = register(Check{
	Code: "TM205", Cause: "epoch-zero", Title: "Event time is at 0, the first of January 1970",
	Severity: Critical, Needs: []string{"source output watermark"},
	Means: "A source's watermark is 0 minus its bound: its records carry time 0, as change-data snapshot rows do (op_ts is 0 during the snapshot), or a default value where a field is missing.",
	Why:   "Told from seconds read as milliseconds (TM201) by the value: those are weeks into 1970, these are at its first instant. A rarely changing table stays there for ever.",
	Fix: Fix{
		Text:       "Take event time from a field that every row has, or declare the table idle after its snapshot; a dimension that rarely changes is better joined by processing-time lookup.",
		DataStream: "strategy.withTimestampAssigner((row, t) -> row.updatedAt() > 0 ? row.updatedAt() : t)",
		SQL:        "WITH ('scan.watermark.idle-timeout' = '10 s')   -- 1.18+\n-- or: JOIN dim FOR SYSTEM_TIME AS OF o.proc_time",
	},
	Hides: []string{"TM203", "TM301", "TM304", "TM305", "TM306"},
	Run:   runEpochZero,
})

// nearEpochZero accepts 0 minus a bound of at most ten days, and the 0 that a SQL assigner starts at.
func nearEpochZero(ms int64) bool { return ms > -864_000_000 && ms < 864_000_000 }

func runEpochZero(j *Job) []Finding {
	var out []Finding
	for _, e := range j.emitters() {
		var zero []spot
		spots := known(e.spots())
		for _, p := range spots {
			if ms, _ := p.reading.Now.Millis(); nearEpochZero(ms) {
				zero = append(zero, p)
			}
		}
		if len(zero) == 0 {
			continue
		}
		f := newFinding("TM205", e.vertex)
		f.Operator = e.op.Name
		f.HeldBack = j.heldBack(e.vertex, e.vertex.MinOut())
		if len(zero) < len(spots) && movedCertainly(zero[0].reading) {
			f.Severity = Warning
		}
		if zero[0].split != nil && len(zero) == 1 {
			f.Split = zero[0].split.ID
		}
		f.Summary = fmt.Sprintf("%s stands at %s: records of %s carry time 0. %s", quoteName(e.op.Name), zero[0].reading.Now, zero[0].label(), without(f.HeldBack, e.vertex, e.vertex.MinOut()))
		for _, p := range zero[:min(len(zero), 4)] {
			f.addSubtask(p.subtask.Index)
			f.proveReading(e.vertex, p.label(), "watermark", p.reading)
		}
		out = append(out, f)
	}
	return out
}
