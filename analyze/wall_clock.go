package analyze

import (
	"fmt"

	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM204", Cause: "wall-clock-generator", Title: "Event time advances without records",
	Severity: Warning, Needs: []string{"two samples", "numRecordsOut"},
	Means: "A source's watermark moves in step with the wall clock although no record arrives: its generator emits the system time.",
	Why:   "Some connectors and custom generators do this so that windows close without data. It breaks event time: a record older than the wall clock minus the delay is late whatever the data says, and a replay drops everything.",
	Fix: Fix{
		Text:       "Emit from record times; use the wall clock only after a long silence, and then minus a margin.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n-- not SOURCE_WATERMARK() of such a connector",
	},
	Hides: []string{"TM106"},
	Run:   runWallClock,
})

func runWallClock(j *Job) []Finding {
	var out []Finding
	for _, e := range j.emitters() {
		if e.op.Kind == KindMiniBatchProc {
			continue
		}
		for _, s := range e.vertex.Subtasks {
			quiet, known := s.Quiet()
			if !known || !quiet || e.at >= len(s.Ops) {
				continue
			}
			r := s.Ops[e.at].Out
			advance, ok := r.Advance()
			if _, compared := s.Records.Rise(); !ok || !compared || e.vertex.GapMs == 0 || advance*2 < e.vertex.GapMs {
				continue
			}
			f := newFinding("TM204", e.vertex)
			f.Operator, f.Subtasks = e.op.Name, []int{s.Index}
			if e.vertex.IsSource() && e.at == 0 {
				f.Confidence = Certain
			} else {
				f.Confidence = Likely
			}
			f.Summary = fmt.Sprintf("%s subtask %d moved event time by %s in %s without a single record: its generator follows the wall clock", quoteName(e.op.Name), s.Index, units.Duration(advance), units.Duration(e.vertex.GapMs))
			f.proveReading(e.vertex, subtaskLabel(s), "currentOutputWatermark", r)
			f.proveGauge(e.vertex, subtaskLabel(s), "records", s.Records)
			out = append(out, f)
			break
		}
	}
	return out
}
