package model

import (
	"math"

	"tidemark/flinkapi"
)

// subtaskGauges lists the metrics of a subtask, of its task or of its head operator, and the field for each.
var subtaskGauges = []struct {
	metric string
	ofHead bool
	field  func(*Subtask) *Gauge
}{
	{"currentEmitEventTimeLag", true, func(s *Subtask) *Gauge { return &s.EmitLag }},
	{"watermarkLag", true, func(s *Subtask) *Gauge { return &s.WatermarkLag }},
	{"watermarkAlignmentDrift", true, func(s *Subtask) *Gauge { return &s.AlignmentDrift }},
	{"sourceIdleTime", true, func(s *Subtask) *Gauge { return &s.SourceIdle }},
	{"pendingRecords", true, func(s *Subtask) *Gauge { return &s.Pending }},
	{"busyTimeMsPerSecond", false, func(s *Subtask) *Gauge { return &s.Busy }},
	{"backPressuredTimeMsPerSecond", false, func(s *Subtask) *Gauge { return &s.Backpressured }},
	{"idleTimeMsPerSecond", false, func(s *Subtask) *Gauge { return &s.Idle }},
	{"numRecordsOut", false, func(s *Subtask) *Gauge { return &s.Sent }},
}

func (j *Job) buildSubtasks(v *Vertex, a, b metricIndex, now *flinkapi.VertexSample) {
	details := map[int]flinkapi.Subtask{}
	if now != nil && now.Details != nil {
		for _, d := range now.Details.Subtasks {
			details[d.Index] = d
		}
	}
	splits := b.splitsOf()
	head := ""
	if h := v.Head(); h != nil {
		head = h.Metric
	}
	gauge := func(op, name string) func(int) Gauge { return gaugeOf(a, b, op, name) }
	gauges := make([]func(int) Gauge, len(subtaskGauges))
	for k, g := range subtaskGauges {
		op := ""
		if g.ofHead {
			op = head
		}
		gauges[k] = gauge(op, g.metric)
	}
	records := firstOf(gauge("", "numRecordsIn"), gauge(head, "numRecordsIn"))
	if v.IsSource() {
		records = firstOf(gauge(head, "numRecordsOut"), gauge(head, "numRecordsIn"), gauge("", "numRecordsOut"))
	}
	taskIn := readingOfMetric(a, b, "", "currentInputWatermark")
	var opIn, opOut []func(int) Reading
	var opRecordsIn, opRecordsOut []func(int) Gauge
	for _, op := range v.Chain {
		opIn = append(opIn, readingOfMetric(a, b, op.Metric, "currentInputWatermark"))
		opOut = append(opOut, readingOfMetric(a, b, op.Metric, "currentOutputWatermark"))
		opRecordsIn = append(opRecordsIn, gauge(op.Metric, "numRecordsIn"))
		opRecordsOut = append(opRecordsOut, gauge(op.Metric, "numRecordsOut"))
	}
	for i := 0; i < v.Parallelism; i++ {
		s := &Subtask{Vertex: v, Index: i}
		if now != nil {
			s.ScrapedMs = now.SubtaskAt[i]
		}
		if d, ok := details[i]; ok {
			s.Status, s.Attempt, s.StartMs = d.Status, d.Attempt, d.StartTime.V
		}
		v.Subtasks = append(v.Subtasks, s)
		if s.StartMs > 0 && v.FetchedMs > 0 && s.StartMs > v.FetchedMs {
			s.blank(v) // the cached metrics are of the attempt before
			continue
		}
		if s.RunMs = j.UptimeMs; s.StartMs > 0 && v.FetchedMs > s.StartMs {
			s.RunMs = v.FetchedMs - s.StartMs
		}
		if !v.IsSource() {
			s.In = taskIn(i)
		}
		s.Ops = make([]OpGauge, len(v.Chain))
		for k := range v.Chain {
			s.Ops[k] = OpGauge{In: opIn[k](i), Out: opOut[k](i), RecordsIn: opRecordsIn[k](i), RecordsOut: opRecordsOut[k](i)}
		}
		s.Records = records(i)
		for k, g := range subtaskGauges {
			*g.field(s) = gauges[k](i)
		}
		s.addBackpressure(now)
		for _, id := range splits[i] {
			s.Splits = append(s.Splits, buildSplit(s, id, head, a, b))
		}
	}
}

// firstOf is the first of several metrics that a subtask has in either sample. One that is missing in the later sample
// only is not replaced by another.
func firstOf(gauges ...func(int) Gauge) func(int) Gauge {
	return func(i int) Gauge {
		g := NoGauge()
		for _, of := range gauges {
			if g = of(i); !math.IsNaN(g.Before) || !math.IsNaN(g.Now) {
				return g
			}
		}
		return g
	}
}

// blank makes every gauge of the subtask absent.
func (s *Subtask) blank(v *Vertex) {
	s.Ops = make([]OpGauge, len(v.Chain))
	s.Records = NoGauge()
	for _, g := range subtaskGauges {
		*g.field(s) = NoGauge()
	}
}

// addBackpressure fills in the ratios of GET …/backpressure where the gauges are absent.
func (s *Subtask) addBackpressure(v *flinkapi.VertexSample) {
	if v == nil || v.Backpressure == nil {
		return
	}
	for _, b := range v.Backpressure.Subtasks {
		if b.Index == s.Index {
			s.Busy = s.Busy.Or(Gauge{math.NaN(), 1000 * float64(b.BusyRatio)})
			s.Backpressured = s.Backpressured.Or(Gauge{math.NaN(), 1000 * float64(b.Ratio)})
			s.Idle = s.Idle.Or(Gauge{math.NaN(), 1000 * float64(b.IdleRatio)})
		}
	}
}

func buildSplit(s *Subtask, id, op string, a, b metricIndex) *Split {
	at := func(x metricIndex, name string) (string, bool) {
		v, ok := x.splits[splitKey{s.Index, op, id, name}]
		return v, ok
	}
	gauge := func(name string) Gauge {
		x, okX := at(a, name)
		y, okY := at(b, name)
		return Gauge{parseNumber(x, okX), parseNumber(y, okY)}
	}
	sp := &Split{Subtask: s, ID: id, Offset: gauge("currentOffset"),
		IdleRate: gauge("idleTimeMsPerSecond"), PausedRate: gauge("pausedTimeMsPerSecond"),
		ActiveMs: gauge("accumulatedActiveTimeMs"), IdleMs: gauge("accumulatedIdleTimeMs"), PausedMs: gauge("accumulatedPausedTimeMs")}
	if w, ok := at(a, "currentWatermark"); ok {
		sp.Watermark.Before = flinkapi.ParseWatermark(w)
	}
	if w, ok := at(b, "currentWatermark"); ok {
		sp.Watermark.Now = flinkapi.ParseWatermark(w)
	}
	return sp
}
