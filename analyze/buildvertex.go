package analyze

import (
	"math"
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// buildVertex fills in chain, subtasks and gauges of one vertex from both samples.
func (j *Job) buildVertex(v *Vertex) {
	now := j.Now.Vertices[v.ID]
	v.Sample = now
	var before *flinkapi.VertexSample
	if j.Before != nil {
		before = j.Before.Vertices[v.ID]
	}
	if now == nil { // the second sample broke off before this vertex
		now, before = before, nil
		v.Sample = now
	}
	v.FetchedMs, _ = now.FetchedAt()
	if j.restartedBetween() {
		before = nil // counters and event time began anew
	}
	if before != nil {
		gap, fresh := j.fetchGap(before, now)
		switch {
		case !fresh:
			before = nil
		case j.sameValues(v, before, now):
			v.Stale, before = true, nil
		default:
			v.GapMs = gap
			j.GapMs = max(j.GapMs, gap)
		}
	}
	a, b := indexMetrics(before), indexMetrics(now)
	ops := b.ops
	v.Chain = buildChain(v.Name, j.planOf(v.ID), ops, v.IsSource())
	j.buildSubtasks(v, a, b, now)
	v.foldOperators(before, now)
	v.Late = v.lateCounters(a, b, before, now)
}

// restartedBetween reports a job whose tasks are not those of the first sample any more.
func (j *Job) restartedBetween() bool {
	rise, ok := j.Restarts.Rise()
	return ok && rise > 0
}

func (j *Job) planOf(id string) []PlanOperator {
	for _, n := range j.Now.Plan.Nodes {
		if n.ID == id {
			return ParseDescription(n.Description)
		}
	}
	return nil
}

// fetchGap is the time between the metric fetches of two readings; two reads of one cached fetch
// are not fresh.
func (j *Job) fetchGap(a, b *flinkapi.VertexSample) (ms int64, fresh bool) {
	ta, okA := a.FetchedAt()
	tb, okB := b.FetchedAt()
	if okA && okB {
		return tb - ta, tb > ta
	}
	gap := b.ReadAt - a.ReadAt
	return gap, gap > j.IntervalMs
}

// sameValues reports a vertex whose every metric is what it was, those that grow by nature included:
// the fetch that end-timestamp announces did not reach its TaskManagers, or was not there yet.
func (j *Job) sameValues(v *Vertex, a, b *flinkapi.VertexSample) bool {
	common, grows := 0, false
	for id, value := range b.Metrics {
		old, both := a.Metrics[id]
		if both && old != value {
			return false
		}
		if both {
			common++
			grows = grows || mustGrow(id, b.Metrics)
		}
	}
	return common >= 3 && v.Status == "RUNNING" && (grows || accumulated(j.Before, v.ID) == accumulated(j.Now, v.ID))
}

// growing pairs a clock that accumulates with its rate (TimerGauge: 60 s average, updated every 5 s).
var growing = map[string]string{
	"accumulatedActiveTimeMs": "activeTimeMsPerSecond", // of a split, since 2.1
	"accumulateIdleTimeMs":    "idleTimeMsPerSecond",
	"accumulateBusyTimeMs":    "busyTimeMsPerSecond",
}

// mustGrow reports a clock whose own rate says that it runs nearly all the time.
func mustGrow(id string, metrics map[string]string) bool {
	i := strings.LastIndexByte(id, '.')
	rate, paired := growing[id[i+1:]]
	if !paired {
		return false
	}
	perSecond, err := strconv.ParseFloat(metrics[id[:i+1]+rate], 64)
	return err == nil && perSecond >= 900
}

func accumulated(s *flinkapi.Sample, id string) float64 {
	for _, v := range s.Job.Vertices {
		if v.ID == id {
			sum := 0.0
			for _, f := range []flinkapi.Float{v.Metrics.AccumulatedIdle, v.Metrics.AccumulatedBusy, v.Metrics.AccumulatedBackpressured} {
				if x, ok := f.Value(); ok {
					sum += x
				}
			}
			return sum
		}
	}
	return 0
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
	for i := 0; i < v.Parallelism; i++ {
		s := &Subtask{Vertex: v, Index: i}
		if d, ok := details[i]; ok {
			s.Status, s.Attempt, s.StartMs = d.Status, d.Attempt, d.StartTime.V
		}
		v.Subtasks = append(v.Subtasks, s)
		if s.StartMs > 0 && v.FetchedMs > 0 && s.StartMs > v.FetchedMs {
			s.blank(v) // what the cache holds is the attempt before this one
			continue
		}
		if s.RunMs = j.UptimeMs; s.StartMs > 0 && v.FetchedMs > s.StartMs {
			s.RunMs = v.FetchedMs - s.StartMs
		}
		if !v.IsSource() {
			s.In = Reading{a.watermark(i, "", "currentInputWatermark"), b.watermark(i, "", "currentInputWatermark")}
		}
		for _, op := range v.Chain {
			s.Ops = append(s.Ops, OpGauge{
				In:  Reading{a.watermark(i, op.Metric, "currentInputWatermark"), b.watermark(i, op.Metric, "currentInputWatermark")},
				Out: Reading{a.watermark(i, op.Metric, "currentOutputWatermark"), b.watermark(i, op.Metric, "currentOutputWatermark")},
			})
		}
		gauge := func(op, name string) Gauge { return Gauge{a.number(i, op, name), b.number(i, op, name)} }
		if v.IsSource() {
			s.Records = gauge(head, "numRecordsOut").or(gauge(head, "numRecordsIn")).or(gauge("", "numRecordsOut"))
		} else {
			s.Records = gauge("", "numRecordsIn").or(gauge(head, "numRecordsIn"))
		}
		s.EmitLag, s.WatermarkLag = gauge(head, "currentEmitEventTimeLag"), gauge(head, "watermarkLag")
		s.AlignmentDrift, s.SourceIdle, s.Pending = gauge(head, "watermarkAlignmentDrift"), gauge(head, "sourceIdleTime"), gauge(head, "pendingRecords")
		s.Busy, s.Backpressured, s.Idle = gauge("", "busyTimeMsPerSecond"), gauge("", "backPressuredTimeMsPerSecond"), gauge("", "idleTimeMsPerSecond")
		s.addBackpressure(now)
		for _, id := range splits[i] {
			s.Splits = append(s.Splits, buildSplit(s, id, head, a, b))
		}
	}
}

// blank leaves every gauge of the subtask unreadable.
func (s *Subtask) blank(v *Vertex) {
	s.Ops = make([]OpGauge, len(v.Chain))
	n := noGauge()
	s.Records, s.EmitLag, s.WatermarkLag, s.AlignmentDrift, s.SourceIdle, s.Pending = n, n, n, n, n, n
	s.Busy, s.Backpressured, s.Idle = n, n, n
}

// addBackpressure takes the ratios of GET …/backpressure where the gauges were not asked for.
func (s *Subtask) addBackpressure(v *flinkapi.VertexSample) {
	if v == nil || v.Backpressure == nil {
		return
	}
	for _, b := range v.Backpressure.Subtasks {
		if b.Index == s.Index {
			s.Busy = s.Busy.or(Gauge{math.NaN(), 1000 * float64(b.BusyRatio)})
			s.Backpressured = s.Backpressured.or(Gauge{math.NaN(), 1000 * float64(b.Ratio)})
			s.Idle = s.Idle.or(Gauge{math.NaN(), 1000 * float64(b.IdleRatio)})
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

// foldOperators gives each operator the minimum over its subtasks, from per-subtask strings where
// they were read, from the aggregated doubles elsewhere.
func (v *Vertex) foldOperators(before, now *flinkapi.VertexSample) {
	for i, op := range v.Chain {
		for _, s := range v.Subtasks {
			if i < len(s.Ops) {
				op.In, op.Out = minReading(op.In, s.Ops[i].In), minReading(op.Out, s.Ops[i].Out)
			}
		}
		if !op.In.Now.Readable() {
			op.In = aggregated(before, now, op.Metric+".currentInputWatermark")
		}
		if !op.Out.Now.Readable() {
			op.Out = aggregated(before, now, op.Metric+".currentOutputWatermark")
		}
	}
}

func aggregated(before, now *flinkapi.VertexSample, id string) Reading {
	read := func(v *flinkapi.VertexSample) flinkapi.Watermark {
		if v != nil {
			if a, ok := v.Aggregates[id]; ok && a.Min != nil {
				return flinkapi.AggregatedWatermark(float64(*a.Min))
			}
		}
		return flinkapi.AbsentWatermark()
	}
	return Reading{read(before), read(now)}
}
