package model

import (
	"sort"

	"tidemark/flinkapi"
)

// metricKey addresses a metric of one subtask; op is "" at task level.
type metricKey struct {
	subtask  int
	op, name string
}

// metricIndex is a vertex's metrics by subtask, operator, split and name instead of by id.
type metricIndex struct {
	values map[metricKey]string
	splits map[splitKey]string
	ops    map[string]bool
	names  map[metricKey]bool // metrics that any subtask has; subtask is 0 in these keys
}

type splitKey struct {
	subtask   int
	op, split string
	name      string
}

func indexMetrics(v *flinkapi.VertexSample) metricIndex {
	x := metricIndex{splits: map[splitKey]string{}, ops: map[string]bool{}, names: map[metricKey]bool{}}
	if v == nil {
		return x
	}
	x.values = make(map[metricKey]string, len(v.Metrics))
	for id, value := range v.Metrics {
		m, ok := flinkapi.ParseMetricID(id)
		if !ok || m.Subtask < 0 {
			continue
		}
		if split, ok := m.Split(); ok {
			x.splits[splitKey{m.Subtask, m.Operator, split, m.Name}] = value
		} else if len(m.Groups) == 0 {
			x.values[metricKey{m.Subtask, m.Operator, m.Name}] = value
			x.names[metricKey{0, m.Operator, m.Name}] = true
		}
		x.noteOperator(m)
	}
	for _, ids := range [][]string{v.MetricIDs, v.AggregateIDs} {
		for _, id := range ids {
			if m, ok := flinkapi.ParseMetricID(id); ok {
				x.noteOperator(m)
			}
		}
	}
	for id := range v.Aggregates {
		if m, ok := flinkapi.ParseMetricID(id); ok {
			x.noteOperator(m)
		}
	}
	return x
}

// operatorMetrics tells operators from other metric groups, the user's or the task's own ("buffers"): every operator
// registers them.
var operatorMetrics = map[string]bool{"currentOutputWatermark": true, "currentInputWatermark": true, "numRecordsIn": true, "numRecordsOut": true, "sourceIdleTime": true}

func (x metricIndex) noteOperator(m flinkapi.MetricID) {
	if m.Operator != "" && len(m.Groups) == 0 && operatorMetrics[m.Name] {
		x.ops[m.Operator] = true
	}
}

func (x metricIndex) get(subtask int, op, name string) (string, bool) {
	s, ok := x.values[metricKey{subtask, op, name}]
	return s, ok
}

// gaugeOf looks a metric up in both fetches; it is cheap for a metric that no subtask has.
func gaugeOf(a, b metricIndex, op, name string) func(subtask int) Gauge {
	if k := (metricKey{0, op, name}); !a.names[k] && !b.names[k] {
		return func(int) Gauge { return NoGauge() }
	}
	return func(subtask int) Gauge { return Gauge{a.number(subtask, op, name), b.number(subtask, op, name)} }
}

// readingOfMetric is gaugeOf for a watermark.
func readingOfMetric(a, b metricIndex, op, name string) func(subtask int) Reading {
	if k := (metricKey{0, op, name}); !a.names[k] && !b.names[k] {
		return func(int) Reading { return Reading{} }
	}
	return func(subtask int) Reading {
		return Reading{a.watermark(subtask, op, name), b.watermark(subtask, op, name)}
	}
}

func (x metricIndex) watermark(subtask int, op, name string) flinkapi.Watermark {
	s, ok := x.get(subtask, op, name)
	if !ok {
		return flinkapi.AbsentWatermark()
	}
	return flinkapi.ParseWatermark(s)
}

func (x metricIndex) number(subtask int, op, name string) float64 {
	s, ok := x.get(subtask, op, name)
	return parseNumber(s, ok)
}

// splitsOf lists the splits that any metric of the subtask names.
func (x metricIndex) splitsOf() map[int][]string {
	seen := map[int]map[string]bool{}
	for k := range x.splits {
		if seen[k.subtask] == nil {
			seen[k.subtask] = map[string]bool{}
		}
		seen[k.subtask][k.split] = true
	}
	out := map[int][]string{}
	for subtask, set := range seen {
		for id := range set {
			out[subtask] = append(out[subtask], id)
		}
		sort.Strings(out[subtask])
	}
	return out
}
