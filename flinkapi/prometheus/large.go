package prometheus

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"tidemark/flinkapi"
)

const (
	largeJob   = 512    // up to this many subtasks, a job is read in full
	mostDrill  = 20     // vertices with differing subtasks that are read in detail
	mostOdd    = 8      // subtasks of such a vertex that are read
	mostSource = 4_096  // up to this many subtasks of sources, they are read in full
	oddMs      = 10_000 // difference in event time between subtasks that calls for details, ms
)

// wide is a metric of a whole job, aggregated by the server.
type wide struct {
	of     string // min, max, sum or count
	series []Series
}

// look is a large job at two instants: the input watermark of each subtask, the rest aggregated,
// and some subtasks in full where they differ. Labels are most of an answer, so the server drops
// those that are not needed.
type look struct {
	c        *Client
	ctx      context.Context
	job      string
	from, at time.Time

	mu       sync.Mutex
	wg       sync.WaitGroup
	each     []Series // of single subtasks
	wides    []wide
	warnings []string
	err      error
}

func (c *Client) look(ctx context.Context, id string, at time.Time, every time.Duration) *look {
	l := &look{c: c, ctx: ctx, job: equals("job_id", id), from: at.Add(-gapOf(every)), at: at}
	l.ask("", "max by (task_id, subtask_index) ("+l.sel(taskPrefix+"currentInputWatermark")+")", taskPrefix+"currentInputWatermark")
	l.ask("count", "count by (task_id, task_name) ("+l.sel(anyTask)+")", "")
	l.ask("sum", "sum by (__name__, task_id) ("+l.sel("", names(append([]string{"numRecordsIn", "numRecordsOut"}, timers...)...))+")", "")
	l.ask("max", "max by (__name__, task_id) ("+l.sel("", names("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond", "idleTimeMsPerSecond"))+")", "")
	for _, of := range []string{"min", "max"} {
		l.ask(of, of+" by (__name__, task_id, operator_name) ("+l.sel("", names("operator_current(In|Out)putWatermark"))+")", "")
	}
	l.ask("sum", "sum by (__name__, task_id, operator_name) ("+l.sel("", names("operator_.*[nN]umLateRecords.*", "operator_numRecordsIn", "operator_numRecordsOut"))+")", "")
	l.wg.Wait()
	sources := l.sources()
	l.drill(sources) // uses the answers of the first questions, so it comes before the others
	if len(sources) > 0 {
		l.source(sources)
	}
	l.wg.Wait()
	return l
}

func names(of ...string) string {
	return "__name__=~" + quote(taskPrefix+"("+strings.Join(of, "|")+")")
}

func (l *look) sel(metric string, more ...string) string {
	return l.c.selector(metric, append(more, l.job)...)
}

// ask evaluates at both instants; an aggregate of "" means single subtasks. name is put back if
// the aggregation removed it.
func (l *look) ask(of, expr, name string) {
	l.wg.Go(func() {
		a, err := l.c.Range(l.ctx, expr, l.from, l.at, l.at.Sub(l.from))
		if name != "" {
			for _, s := range a.Series {
				s.Labels["__name__"] = name
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.err = err
		}
		l.warnings = append(l.warnings, a.Warnings...)
		if of == "" {
			l.each = append(l.each, a.Series...)
		} else {
			l.wides = append(l.wides, wide{of, a.Series})
		}
	})
}

// sources are the vertices without an input watermark, with their number of subtasks.
func (l *look) sources() map[string]int {
	fed, out := map[string]bool{}, map[string]int{}
	for _, s := range l.each {
		fed[s.Labels["task_id"]] = true
	}
	for _, w := range l.wides {
		for _, s := range w.series {
			if id := s.Labels["task_id"]; w.of == "count" && !fed[id] && len(s.Points) > 0 {
				out[id] = int(s.Points[len(s.Points)-1].V)
			}
		}
	}
	return out
}

// source reads the outputs of every subtask of the sources, and their splits; if there are few,
// everything else as well.
func (l *look) source(sources map[string]int) {
	total := 0
	var ids []string
	for id, n := range sources {
		ids = append(ids, id)
		total += n
	}
	slices.Sort(ids)
	tasks := oneOf("task_id", ids...)
	by := "__name__, task_id, operator_name, subtask_index"
	gauges := []string{"operator_currentOutputWatermark"}
	if total <= mostSource {
		gauges = append(gauges, "operator_numRecordsOut", "operator_numRecordsIn", "operator_pendingRecords", "operator_sourceIdleTime", "operator_watermarkLag",
			"operator_currentEmitEventTimeLag", "operator_watermarkAlignmentDrift", "numRecordsOut")
		l.ask("", "max by ("+by+", split, topic, partition) ("+l.sel("", names("operator_split_watermark_.*", "operator_.*_topic_partition_currentOffset"), tasks)+")", "")
	}
	l.ask("", "max by ("+by+") ("+l.sel("", names(gauges...), tasks)+")", "")
}

// drill reads some subtasks in full for every vertex whose subtasks differ.
func (l *look) drill(sources map[string]int) {
	type end struct {
		subtask string
		v       float64
	}
	inputs := map[string][]end{}
	for _, s := range l.each {
		if n := len(s.Points); n > 0 && s.Labels["__name__"] == taskPrefix+"currentInputWatermark" {
			inputs[s.Labels["task_id"]] = append(inputs[s.Labels["task_id"]], end{s.Labels["subtask_index"], s.Points[n-1].V})
		}
	}
	odd := map[string][]string{}
	for id, ends := range inputs {
		sort.Slice(ends, func(i, k int) bool { return ends[i].v < ends[k].v })
		last := len(ends) - 1
		if ends[last].v-ends[0].v <= oddMs {
			continue
		}
		picked := []string{ends[last/2].subtask, ends[last].subtask}
		for i := 0; i < len(ends) && len(picked) < mostOdd && ends[last].v-ends[i].v > oddMs; i++ {
			picked = append(picked, ends[i].subtask)
		}
		odd[id] = picked
	}
	largest := l.largest()
	for _, w := range l.wides { // outputs that differ although inputs do not: any two subtasks show what the operator does
		for _, s := range w.series {
			id := s.Labels["task_id"]
			if w.of == "min" && odd[id] == nil && sources[id] == 0 && uneven(s, largest) {
				odd[id] = []string{"0", "1"}
			}
		}
	}
	ids := make([]string, 0, len(odd))
	for id := range odd {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i, id := range ids {
		if i == mostDrill {
			l.mu.Lock()
			l.warnings = append(l.warnings, strconv.Itoa(len(ids)-i)+" more vertices have subtasks that differ and were not looked at closely, to spare the server")
			l.mu.Unlock()
			break
		}
		l.ask("", "max by (__name__, task_id, operator_name, subtask_index, tm_id, task_attempt_num) ("+l.sel("", taskMetrics(), equals("task_id", id), oneOf("subtask_index", odd[id]...))+")", "")
	}
}

// uneven reports an operator whose largest value is far from its smallest.
func uneven(least Series, largest map[string]float64) bool {
	n := len(least.Points)
	if n == 0 {
		return false
	}
	most, ok := largest[least.key()]
	return ok && most-least.Points[n-1].V > oddMs
}

// largest are the newest of the maxima, by the key of their series.
func (l *look) largest() map[string]float64 {
	out := map[string]float64{}
	for _, w := range l.wides {
		for _, s := range w.series {
			if n := len(s.Points); w.of == "max" && n > 0 {
				out[s.key()] = s.Points[n-1].V
			}
		}
	}
	return out
}

// moment is what was read of single subtasks at one of the instants.
func (l *look) moment(at time.Time) moment {
	var m moment
	for _, s := range l.each {
		if p, ok := s.last(at.UnixMilli()-1, at.UnixMilli()); ok {
			m.add(s, p)
		}
	}
	m.settle()
	m.at, m.oldest = at.UnixMilli(), at.UnixMilli()
	return m
}

// fold adds the aggregated values to the vertices of an instant.
func (l *look) fold(p *past, at int64) {
	when := l.at.UnixMilli()
	if at < when {
		when = l.from.UnixMilli()
	}
	for _, w := range l.wides {
		for _, s := range w.series {
			point, ok := s.last(when-1, when)
			if !ok {
				continue
			}
			v := p.vertices[s.Labels["task_id"]]
			if v == nil {
				if p.known.ID != "" {
					continue
				}
				v = newPastVertex(s.Labels["task_id"], "", 0)
				p.vertices[v.id] = v
			}
			v.at, v.large = when, true
			if w.of == "count" {
				v.running = int(point.V)
				if p.known.ID == "" {
					v.name, v.parallelism = s.Labels["task_name"], max(v.parallelism, v.running)
				}
				continue
			}
			v.fold(p, s.Labels, w.of, point.V)
		}
	}
}

func (v *pastVertex) fold(p *past, labels map[string]string, of string, x float64) {
	whole := map[string]string{"subtask_index": "0"}
	for k, l := range labels {
		whole[k] = l
	}
	id, ok := p.names.restore(whole, nil)
	if !ok {
		return
	}
	id = strings.TrimPrefix(id, "0.")
	if m, _ := flinkapi.ParseMetricID(id); m.Operator == "" && of == "sum" {
		v.sums[m.Name], v.complete[m.Name] = x, v.running
	}
	a := v.whole[id]
	if a == nil {
		a = &[3]float64{math.NaN(), math.NaN(), math.NaN()}
		v.whole[id] = a
	}
	a[slices.Index([]string{"min", "max", "sum"}, of)] = x
}

// aggregates are the answers of /subtasks/metrics.
func (v *pastVertex) aggregates(base string, at int64) []flinkapi.Entry {
	var listed []flinkapi.Metric
	var values []map[string]any
	ids := make([]string, 0, len(v.whole))
	for id := range v.whole {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		listed = append(listed, flinkapi.Metric{ID: id})
		value := map[string]any{"id": id}
		for i, of := range []string{"min", "max", "sum"} {
			if x := v.whole[id][i]; !math.IsNaN(x) {
				value[of] = x
			}
		}
		values = append(values, value)
	}
	if len(ids) == 0 {
		return nil
	}
	return []flinkapi.Entry{answer(at, base+"/subtasks/metrics", listed), answer(at, base+"/subtasks/metrics?get="+ids[0], values)}
}
