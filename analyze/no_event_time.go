package analyze

var _ = register(Check{
	Code: "TM603", Cause: "no-event-time", Title: "No operator of the job uses event time",
	Severity: Info, Needs: []string{"plan"},
	Means: "Every operator of the plan is known, and none waits for or drops by a watermark: whatever the watermarks are, no result depends on them.",
	Why: "Only windows, OVER, interval and event-time temporal joins, MATCH_RECOGNIZE and CEP, rowtime deduplication and sort use watermarks. A plain GROUP BY never drops a late row, with or without a WATERMARK clause. " +
		"A keyed user function may set event-time timers, so one of those is enough not to claim this; functions on a stream that is not keyed cannot (ProcessOperator).",
	Fix: Fix{
		Text: "Nothing to do, unless results were meant to be windowed: then use a window table function.",
		SQL:  "SELECT window_start, window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end",
	},
	Run: runNoEventTime,
})

func runNoEventTime(j *Job) []Finding {
	use := j.usesEventTime()
	if len(j.Vertices) == 0 || use == UseYes || use == UseUnknown && !j.wantsNone() {
		return nil
	}
	f := newFinding("TM603", nil)
	f.Summary = "No operator of this job uses event time: late, stuck or missing watermarks change no result"
	if use == UseUnknown {
		f.Confidence = Likely
		f.Summary = "No source of this job emits watermarks and no user function is keyed, so none can set a timer: the job seems to use no event time"
	}
	for _, v := range j.Vertices {
		for _, op := range v.Chain {
			if len(f.Evidence) < 12 {
				f.prove(v, quoteName(op.Name), "kind", string(op.Kind))
			}
		}
	}
	return []Finding{f}
}

// wantsNone reports a job without a watermark anywhere and without a function that could set timers.
func (j *Job) wantsNone() bool {
	for _, v := range j.Sources() {
		if !v.MinOut().IsNone() || v.timersPossible() || assignsDownstream(v) || splitSpoke(v) {
			return false
		}
	}
	return true
}

// usesEventTime is the strongest use over all vertices.
func (j *Job) usesEventTime() Use {
	use := UseNo
	for _, v := range j.Vertices {
		use = max(use, v.eventTimeUse())
	}
	return use
}
