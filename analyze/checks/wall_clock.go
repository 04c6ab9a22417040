package checks

import (
	"fmt"
	"math"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM204", Cause: "wall-clock-generator", Title: "Event time advances without records",
	Headline: "{place} advances its watermark without records",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.TwoSamples, catalog.RecordsOut),
	Explains:  []catalog.Explains{catalog.Misreads(catalog.Future)},
	EventTime: true,
	Means:     "A source's watermark moves in step with the wall clock although no record arrives, or is newer than the arrival of the newest record: its generator emits the system time.",
	Why:       "Some connectors and custom generators do this so that windows close without data. It breaks event time: every record older than the wall clock minus the delay is late, and a replay drops everything. It is not reported for a watermark that comes with the next periodic emission after a record, nor for records that are ahead of the clock.",
	Fix: catalog.Fix{
		Text:       "Emit from the records' times. Use the wall clock only after a long silence, and then minus a margin.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n-- not SOURCE_WATERMARK() of such a connector",
	},
	Hides: []string{"TM106"},
	Run:   runWallClock,
})

func runWallClock(j *model.Job) []catalog.Finding {
	return eachEmitter(j, func(j *model.Job, e model.Emitter) (catalog.Finding, bool) {
		if e.Op.Kind == model.KindMiniBatchProc {
			return catalog.Finding{}, false
		}
		for _, s := range e.Vertex.Subtasks {
			if e.At >= len(s.Ops) {
				continue
			}
			says, confidence, ok := movedAlone(j, e, s)
			if !ok {
				says, confidence, ok = passedNewest(j, e, s)
			}
			if !ok {
				continue
			}
			f := catalog.NewFinding("TM204", e.Vertex)
			f.Operator, f.Subtasks, f.Confidence = e.Op.Name, []int{s.Index}, confidence
			f.Summary = fmt.Sprintf("%s subtask %d %s: its generator follows the wall clock", model.QuoteName(e.Op.Name), s.Index, says)
			f.ProveReading(e.Vertex, model.SubtaskLabel(s), "currentOutputWatermark", s.Ops[e.At].Out)
			f.ProveGauge(e.Vertex, model.SubtaskLabel(s), "records", s.Records)
			if e.Vertex.IsSource() {
				f.Prove(e.Vertex, model.SubtaskLabel(s), "watermarkLag", bothValues(s.WatermarkLag))
				f.Prove(e.Vertex, model.SubtaskLabel(s), "sourceIdleTime", bothValues(s.SourceIdle))
			}
			return f, true
		}
		return catalog.Finding{}, false
	})
}

// clockSlackMs is what a periodic emission after the last record, a hop and the reading of two gauges may
// add up to.
const clockSlackMs = 1000

// passedNewest finds a source whose watermark is newer than the arrival of its newest record. Both lags of a
// source are frozen when it becomes idle (InternalSourceReaderMetricGroup), so watermarkLag below zero says
// how far the watermark went on alone; it must be past the time of that record as well, since records of the
// future would look the same, and not ahead of the clock.
func passedNewest(j *model.Job, e model.Emitter, s *model.Subtask) (says string, confidence catalog.Confidence, ok bool) {
	r := s.Ops[e.At].Out
	lagMs, known := j.Lag(e.Vertex, r)
	if !e.Vertex.IsSource() || e.At != 0 || !known || lagMs < -clockSlackMs || !ranAlone(s.SourceIdle.Now, s.WatermarkLag.Now, s.EmitLag.Now) {
		return "", "", false
	}
	says = fmt.Sprintf("has read nothing for %s, and its watermark is %s old", units.Duration(int64(s.SourceIdle.Now)), units.Duration(max(lagMs, 0)))
	advance, compared := r.Advance()
	if !compared || e.Vertex.GapMs == 0 {
		return says, catalog.Likely, !e.Vertex.IsSQLScan()
	}
	if math.Abs(float64(advance-e.Vertex.GapMs)) > 2*clockSlackMs {
		return "", "", false // a record of a moment ago that was ahead of its time stands still
	}
	sure := ranAlone(s.SourceIdle.Before, s.WatermarkLag.Before, s.EmitLag.Before)
	// A table source shows the connector's times: how far the watermark went on must differ with the silence.
	if e.Vertex.IsSQLScan() && (!sure || math.Abs(s.WatermarkLag.Now-s.WatermarkLag.Before) < clockSlackMs) {
		return "", "", false
	}
	if !sure {
		return says, catalog.Likely, true
	}
	return says, catalog.Certain, true
}

// ranAlone compares three gauges of one fetch, ms. An absent one is NaN and proves nothing.
func ranAlone(idle, watermarkLag, recordLag float64) bool {
	return idle >= 1.5*clockSlackMs && watermarkLag <= -clockSlackMs && recordLag-watermarkLag >= clockSlackMs && recordLag >= -clockSlackMs
}

// movedAlone finds a watermark that moved in step with the clock while no record came. One that came with
// the next periodic emission does not count: the reader must have been silent for longer before.
func movedAlone(j *model.Job, e model.Emitter, s *model.Subtask) (says string, confidence catalog.Confidence, ok bool) {
	quiet, known := s.Quiet()
	advance, moved := s.Ops[e.At].Out.Advance()
	gap := e.Vertex.GapMs
	if _, compared := s.Records.Rise(); !known || !quiet || !moved || !compared || gap == 0 || advance*2 < gap || advance > gap*3/2+2*clockSlackMs {
		return "", "", false
	}
	says = fmt.Sprintf("moved event time by %s in %s without a single record", units.Duration(advance), units.Duration(gap))
	if !e.Vertex.IsSource() || e.At != 0 {
		return says, catalog.Likely, true
	}
	if !math.IsNaN(s.SourceIdle.Before) && s.SourceIdle.Before < float64(j.EmitIntervalMs()+clockSlackMs) {
		return "", "", false
	}
	return says, catalog.Certain, true
}

// bothValues writes a gauge that may fall, which is no counter, in ms.
func bothValues(g model.Gauge) string {
	now, ok := g.Value()
	switch {
	case !ok:
		return "absent"
	case math.IsNaN(g.Before):
		return units.Number(now) + " ms"
	}
	return units.Number(g.Before) + " -> " + units.Number(now) + " ms"
}
