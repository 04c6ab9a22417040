package analyze

import (
	"fmt"
	"strings"
)

var _ = register(Check{
	Code: "TM201", Cause: "epoch-unit", Title: "Timestamps are read in the wrong unit",
	Symptom: 4, Severity: Critical, Needs: []string{"source output watermark"},
	Means: "The watermark lies in January or February 1970 (seconds read as milliseconds: nothing fires), or thousands of years ahead (a value multiplied by 1000 or more: everything later is late).",
	Why: "Flink's event time is in milliseconds. Seconds of today are about 1.8e9, which read as ms is 21 January 1970; milliseconds taken for seconds, and micro- or nanoseconds read as ms, are now times 1000 or 1,000,000. " +
		"Told from time 0 (TM205) by not being near 0, and from one bad record (TM202) by all active splits agreeing.",
	Fix: Fix{
		Text:       "Convert in the timestamp assigner or the computed column.",
		DataStream: "// seconds: * 1000L, microseconds: / 1000L, nanoseconds: / 1_000_000L\nstrategy.withTimestampAssigner((r, t) -> r.epochSeconds() * 1000L)",
		SQL:        "-- seconds: TO_TIMESTAMP_LTZ(x, 0), milliseconds: TO_TIMESTAMP_LTZ(x, 3)\nts AS TO_TIMESTAMP_LTZ(epoch_seconds, 0)",
	},
	Hides: []string{"TM202", "TM203", "TM205", "TM301", "TM304", "TM305", "TM306"},
	Run:   runEpochUnit,
})

// unitOf names the unit that a watermark of this value betrays, "" where it is a plausible ms.
func unitOf(ms, now int64) string {
	switch {
	case ms >= 900_000_000 && ms <= 4_300_000_000: // seconds from 1998 to 2106
		return "seconds read as milliseconds"
	case ms > now/2*1000 && ms/2000 < now:
		return "milliseconds multiplied by 1000, or microseconds read as milliseconds"
	case ms/2_000_000 < now && ms/500_000 > now:
		return "nanoseconds read as milliseconds"
	}
	return ""
}

func runEpochUnit(j *Job) []Finding {
	var out []Finding
	for _, e := range j.emitters() {
		spots := known(e.spots())
		unit, hits := "", 0
		var first spot
		for _, p := range spots {
			ms, _ := p.reading.Now.Millis()
			if u := unitOf(ms, j.NowMs); u != "" {
				if hits == 0 {
					unit, first = u, p
				}
				hits++
			}
		}
		if hits == 0 || hits*2 < len(spots) {
			continue
		}
		f := newFinding("TM201", e.vertex)
		f.Operator = e.op.Name
		f.HeldBack = j.heldBack(e.vertex, e.vertex.MinOut())
		if hits < len(spots) {
			f.Confidence = Likely
		}
		ms, _ := first.reading.Now.Millis()
		effect := "no window fires for decades"
		if ms > j.NowMs {
			effect = "everything after it is late"
		}
		f.Summary = fmt.Sprintf("%s emits event time %s: %s; %s", quoteName(e.op.Name), withMillis(first.reading.Now.String(), ms), unit, effect)
		for _, p := range spots[:min(len(spots), 4)] {
			f.addSubtask(p.subtask.Index)
			f.proveReading(e.vertex, p.label(), "watermark", p.reading)
		}
		f.prove(e.vertex, "JobManager clock", "now / 1000", j.NowMs/1000)
		out = append(out, f)
	}
	return out
}

// withMillis adds the number to a date; a time outside the calendar is written as its number already.
func withMillis(written string, ms int64) string {
	if strings.HasSuffix(written, " ms") {
		return written
	}
	return fmt.Sprintf("%s (%d ms)", written, ms)
}
