package flinkapi

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"
)

// look reads a large vertex by its aggregates, and reads subtasks only where they differ.
func (v *liveVertex) look(inputs []Metric) {
	if !v.askTwice("/subtasks/metrics", func(s *VertexSample) bool { return len(s.AggregateIDs) > 0 || v.running == 0 }) {
		return
	}
	var plain, splits, offsets []string
	for _, id := range filterIDs(v.assembled().AggregateIDs, detail) {
		m, _ := ParseMetricID(id)
		_, ofSplit := m.Split()
		switch {
		case !ofSplit:
			plain = append(plain, id)
		case m.Name == "currentWatermark":
			splits = append(splits, id)
		case m.Name == "currentOffset":
			offsets = append(offsets, id)
		}
	}
	aggs := v.askAggregates(plain, "&agg=min,max,sum")
	if v.source {
		v.lookAtSource(plain, splits, offsets, aggs)
		return
	}
	if v.underPressure(aggs) {
		v.readBackpressure()
	}
	lagging := stragglers(readings(inputs))
	if len(lagging) == 0 {
		lagging = v.unevenOutputs(plain, aggs)
	}
	v.drill(v.remember(lagging), plain)
}

// underPressure reports a vertex with a subtask that waits for its consumers a tenth of the time
// (Flink's own threshold for "low") or is busy most of the time.
func (v *liveVertex) underPressure(aggs map[string]Aggregate) bool {
	above := func(id string, limit float64) bool {
		a, ok := aggs[id]
		return ok && a.Max != nil && float64(*a.Max) > limit
	}
	_, known := aggs["backPressuredTimeMsPerSecond"]
	return !known || above("backPressuredTimeMsPerSecond", 100) || above("busyTimeMsPerSecond", 800)
}

// askAggregates reads aggregated values of listed ids. Split ids and plain ids never share a
// request: one id without a value empties the whole answer (AbstractAggregatingMetricsHandler).
func (v *liveVertex) askAggregates(ids []string, suffix string) map[string]Aggregate {
	all := map[string]Aggregate{}
	if left := v.aggregates(ids, suffix, all); len(left) > 0 && v.again(1+len(left)/60) {
		v.aggregates(left, suffix, all)
	}
	return all
}

// aggregates reads aggregated values into all; left are ids without a value in an answer that has
// others.
func (v *liveVertex) aggregates(ids []string, suffix string, all map[string]Aggregate) (left []string) {
	paths, _ := v.job.run.c.batches(v.base+"/subtasks/metrics?get=", ids, suffix)
	for _, e := range v.job.run.askAll(paths) {
		var got []Aggregate
		if json.Unmarshal(e.Body, &got) != nil {
			continue
		}
		for _, a := range got {
			all[a.ID] = a
		}
		if len(got) == 0 {
			v.halve(e.Path, suffix, all)
			continue
		}
		for _, id := range e.question().ids {
			if _, has := all[id]; !has {
				left = append(left, id)
			}
		}
	}
	return left
}

// halve repeats an emptied batch in two halves, until the id that emptied it is alone.
func (v *liveVertex) halve(path, suffix string, all map[string]Aggregate) {
	head, rest, _ := strings.Cut(path, "?get=")
	ids := strings.Split(strings.TrimSuffix(rest, suffix), ",")
	if len(ids) < 2 || !v.job.reserve(2) {
		return
	}
	for _, part := range [][]string{ids[:len(ids)/2], ids[len(ids)/2:]} {
		e, err := v.job.run.ask(head + "?get=" + strings.Join(part, ",") + suffix)
		var got []Aggregate
		if err != nil || json.Unmarshal(e.Body, &got) != nil {
			continue
		}
		for _, a := range got {
			all[a.ID] = a
		}
		if len(got) == 0 {
			v.halve(e.Path, suffix, all)
		}
	}
}

// reserve takes n requests from the allowance for details.
func (j *liveJob) reserve(n int) bool { return spend(&j.allowance, n) }

func spend(left *atomic.Int64, n int) bool {
	if left.Add(-int64(n)) >= 0 {
		return true
	}
	left.Add(int64(n))
	return false
}

// remember adds the subtasks that an earlier sample read in detail: a comparison needs both
// readings.
func (v *liveVertex) remember(subtasks []int) []int {
	v.job.mu.Lock()
	defer v.job.mu.Unlock()
	all := union(v.job.focus[v.id], subtasks)
	if len(all) > 0 {
		v.job.focus[v.id] = all
	}
	return all
}

func union(a, b []int) []int {
	seen := map[int]bool{}
	var out []int
	for _, n := range append(append([]int{}, a...), b...) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// unevenOutputs reads, for every subtask, each output watermark whose aggregates differ.
func (v *liveVertex) unevenOutputs(plain []string, aggs map[string]Aggregate) []int {
	var found []int
	for _, id := range plain {
		if m, _ := ParseMetricID(id); m.Name != "currentOutputWatermark" || !uneven(aggs[id]) {
			continue
		}
		if !v.job.reserve(v.parallelism/60 + 1) {
			v.skipped(id)
			continue
		}
		found = union(found, stragglers(readings(v.askMetrics(v.everySubtask(id)))))
	}
	return found
}

func (v *liveVertex) everySubtask(id string) []string {
	ids := make([]string, v.parallelism)
	for i := range ids {
		ids[i] = strconv.Itoa(i) + "." + id
	}
	return ids
}

// drill reads every interesting metric of a few subtasks, and their hosts.
func (v *liveVertex) drill(subtasks []int, plain []string) {
	if len(subtasks) == 0 {
		return
	}
	var ids []string
	for _, i := range subtasks {
		for _, id := range plain {
			ids = append(ids, strconv.Itoa(i)+"."+id)
		}
	}
	paths, _ := v.job.run.c.batches(v.base+"/metrics?get=", ids, "")
	if !v.job.reserve(1 + len(paths)) {
		v.skipped(strconv.Itoa(len(subtasks)) + " subtasks that differ")
		return
	}
	v.ask("")
	v.askMetrics(ids)
}

func (v *liveVertex) skipped(what string) {
	v.job.run.note(v.base+"/metrics", GapSpared, "not read, to spare the JobManager: "+shorten(what)+"; the job has more places that differ than the request budget allows")
}
