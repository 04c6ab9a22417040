package analyze

var _ = register(Check{
	Code: "TM603", Cause: "no-event-time", Title: "No operator of the job uses event time",
	Severity: Info, Needs: []string{"plan"},
	Means: "Every operator of the plan is known, and none waits for or drops by a watermark: whatever the watermarks are, no result depends on them.",
	Why: "Only windows, OVER, interval and event-time temporal joins, MATCH_RECOGNIZE and CEP, rowtime deduplication and sort use watermarks. A plain GROUP BY never drops a late row, with or without a WATERMARK clause. " +
		"A keyed user function may set event-time timers, so one of those is enough not to claim this; functions on a stream that is not keyed cannot (ProcessOperator).",
	Fix: Fix{
		Text: "Nothing to do, unless results were meant to be windowed: then use a window table function.",
		SQL:  "SELECT window_start, window_end, COUNT(*)\nFROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\nGROUP BY window_start, window_end",
	},
	Run: runNoEventTime,
})

func runNoEventTime(j *Job) []Finding {
	if len(j.Vertices) == 0 || j.usesEventTime() != UseNo {
		return nil
	}
	f := newFinding("TM603", nil)
	f.Summary = "No operator of this job uses event time: late, stuck or missing watermarks change no result"
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if len(f.Evidence) < 12 {
				f.prove(v, quoteName(op.Name), "kind", string(op.Kind))
			}
		}
	}
	return []Finding{f}
}

// usesEventTime is the strongest use over all vertices.
func (j *Job) usesEventTime() Use {
	if len(j.Now.Plan.Nodes) == 0 {
		return UseUnknown // without a plan no operator is known
	}
	use := UseNo
	for _, v := range j.Vertices {
		use = max(use, v.eventTimeUse())
	}
	return use
}
