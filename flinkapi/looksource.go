package flinkapi

import "slices"

// Limits of reading a large vertex in detail.
const (
	stragglerGapMs = 10_000 // distance in event time from the other subtasks that calls for details, ms
	oldMs          = 60_000 // event-time lag of a whole source that calls for details, ms
	maxStragglers  = 8      // subtasks of a vertex that are read in detail
)

// reading is the watermark of one subtask.
type reading struct {
	subtask int
	at      Watermark
}

func readings(ms metricList) []reading {
	var out []reading
	for _, m := range ms {
		if id, ok := ParseMetricID(m.ID); ok && id.Subtask >= 0 {
			out = append(out, reading{id.Subtask, ParseWatermark(m.Value)})
		}
	}
	return out
}

// stragglers are the subtasks whose watermark differs from most: none while others have one, far
// behind the furthest, or at the end while others are not. One healthy subtask is added for
// comparison.
func stragglers(rs []reading) []int {
	rs = slices.Clone(rs)
	rs = slices.DeleteFunc(rs, func(r reading) bool { return !r.at.Readable() })
	slices.SortStableFunc(rs, func(a, b reading) int {
		switch {
		case a.at.Before(b.at):
			return -1
		case b.at.Before(a.at):
			return 1
		}
		return a.subtask - b.subtask
	})
	if len(rs) < 2 || !apart(rs[0].at, rs[len(rs)-1].at) {
		return nil
	}
	// If most are low, the unusual ones are at the top: a split ahead of its time.
	middle := rs[len(rs)/2].at
	var out []int
	for i := len(rs) - 1; i >= 0 && len(out) < maxStragglers/2 && apart(middle, rs[i].at); i-- {
		out = append(out, rs[i].subtask)
	}
	for i := 0; i < len(rs) && len(out) < maxStragglers && apart(rs[i].at, rs[len(rs)-1].at); i++ {
		out = append(out, rs[i].subtask)
	}
	return union(out, []int{rs[len(rs)/2].subtask})
}

// fewOdd reports that most subtasks are alike and some differ or have no watermark. If they all
// differ gradually, details of a few say nothing more.
func fewOdd(rs []reading) bool {
	var all []Watermark
	for _, r := range rs {
		if r.at.State() == None {
			return true
		}
		if r.at.Readable() {
			all = append(all, r.at)
		}
	}
	if len(all) < 2 {
		return false
	}
	slices.SortFunc(all, func(a, b Watermark) int {
		switch {
		case a.Before(b):
			return -1
		case b.Before(a):
			return 1
		}
		return 0
	})
	low, middle, high := all[0], all[len(all)/2], all[len(all)-1]
	return apart(low, middle) != apart(middle, high)
}

// apart reports a difference too large to be jitter; a is not after b.
func apart(a, b Watermark) bool {
	if a.State() != b.State() {
		return a.Readable() && b.Readable()
	}
	x, _ := a.Millis()
	y, known := b.Millis()
	return known && y-x > stragglerGapMs
}

func uneven(a Aggregate) bool {
	if a.Min == nil || a.Max == nil {
		return false
	}
	return apart(AggregatedWatermark(float64(*a.Min)), AggregatedWatermark(float64(*a.Max)))
}

// lookAtSource reads the output watermark of every subtask and the watermark of every split
// (before 2.1: its offset) of a large source, and everything else if they differ or lag.
func (v *liveVertex) lookAtSource(plain, splits, offsets []string, aggs map[string]Aggregate) {
	marks := splits
	if len(marks) == 0 {
		marks = offsets
	}
	bySplit := v.askAggregates(marks, "&agg=min,max")
	var outputs []reading
	for _, id := range plain {
		if m, _ := ParseMetricID(id); m.Name == "currentOutputWatermark" {
			if outputs == nil || uneven(aggs[id]) {
				outputs = append(outputs, readings(v.askMetrics(v.everySubtask(id)))...)
			}
		}
	}
	focus := stragglers(outputs)
	if len(focus) == 0 && (v.lags(outputs) || v.splitsDiffer(splits, bySplit)) && len(outputs) > 0 {
		focus = []int{outputs[0].subtask}
	}
	if focus = v.remember(focus); len(focus) > 0 {
		v.drillSource(focus, splits, bySplit, fewOdd(outputs))
	}
}

// lags reports a source without a watermark, or with one far behind or ahead of the JobManager's
// clock.
func (v *liveVertex) lags(outputs []reading) bool {
	for _, o := range outputs {
		lag, known := o.at.Lag(v.job.run.now())
		if !known || lag > oldMs || lag < -stragglerGapMs {
			return true
		}
	}
	return len(outputs) == 0
}

func (v *liveVertex) splitsDiffer(splits []string, aggs map[string]Aggregate) bool {
	var all []Watermark
	for _, id := range splits {
		if a := aggs[id]; a.Min != nil {
			all = append(all, AggregatedWatermark(float64(*a.Min)))
		}
	}
	low, high := MinWatermark(all...), MaxWatermark(all...)
	return low.Readable() && apart(low, high)
}

// drillSource lists the ids of every subtask, which shows the owner of each split, and reads the
// core metrics of all subtasks and the rest for those in focus.
func (v *liveVertex) drillSource(focus []int, splits []string, bySplit map[string]Aggregate, odd bool) {
	if n := v.parallelism/15 + 6; !v.job.reserve(n) && !(odd && spend(&v.job.urgent, n)) {
		v.skipped("a source with " + shorten(v.id))
		return
	}
	v.ask("")
	if _, err := v.ask("/metrics"); err != nil {
		return
	}
	strange := oddSplits(splits, bySplit)
	var ids []string
	for _, id := range filterIDs(v.assembled().MetricIDs, detail) {
		m, _ := ParseMetricID(id)
		split, _ := m.Split()
		if interestOf(id) == core || slices.Contains(focus, m.Subtask) || strange[split] {
			ids = append(ids, id)
		}
	}
	v.askMetrics(ids)
}

// oddSplits are the splits whose watermark differs from the furthest or from the median.
func oddSplits(splits []string, aggs map[string]Aggregate) map[string]bool {
	var rs []reading
	for i, id := range splits {
		if a := aggs[id]; a.Min != nil {
			rs = append(rs, reading{i, AggregatedWatermark(float64(*a.Min))})
		}
	}
	odd := map[string]bool{}
	for _, i := range stragglers(rs) {
		m, _ := ParseMetricID(splits[i])
		if s, ok := m.Split(); ok {
			odd[s] = true
		}
	}
	return odd
}
