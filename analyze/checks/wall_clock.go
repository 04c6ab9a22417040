package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM204", Cause: "wall-clock-generator", Title: "Event time advances without records",
	Severity: catalog.Warning, Needs: []string{"two samples", "numRecordsOut"},
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Future)},
	EventTime: true,
	Means:     "A source's watermark moves in step with the wall clock although no record arrives: its generator emits the system time.",
	Why:       "Some connectors and custom generators do this so that windows close without data. It breaks event time: a record older than the wall clock minus the delay is late whatever the data says, and a replay drops everything.",
	Fix: catalog.Fix{
		Text:       "Emit from record times; use the wall clock only after a long silence, and then minus a margin.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n-- not SOURCE_WATERMARK() of such a connector",
	},
	Hides: []string{"TM106"},
	Run:   runWallClock,
})

func runWallClock(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, e := range j.Emitters() {
		if e.Op.Kind == model.KindMiniBatchProc {
			continue
		}
		for _, s := range e.Vertex.Subtasks {
			quiet, known := s.Quiet()
			if !known || !quiet || e.At >= len(s.Ops) {
				continue
			}
			r := s.Ops[e.At].Out
			advance, ok := r.Advance()
			if _, compared := s.Records.Rise(); !ok || !compared || e.Vertex.GapMs == 0 || advance*2 < e.Vertex.GapMs {
				continue
			}
			f := catalog.NewFinding("TM204", e.Vertex)
			f.Operator, f.Subtasks = e.Op.Name, []int{s.Index}
			if e.Vertex.IsSource() && e.At == 0 {
				f.Confidence = catalog.Certain
			} else {
				f.Confidence = catalog.Likely
			}
			f.Summary = fmt.Sprintf("%s subtask %d moved event time by %s in %s without a single record: its generator follows the wall clock", model.QuoteName(e.Op.Name), s.Index, units.Duration(advance), units.Duration(e.Vertex.GapMs))
			f.ProveReading(e.Vertex, model.SubtaskLabel(s), "currentOutputWatermark", r)
			f.ProveGauge(e.Vertex, model.SubtaskLabel(s), "records", s.Records)
			out = append(out, f)
			break
		}
	}
	return out
}
