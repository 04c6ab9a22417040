package model

import (
	"math"
	"sort"

	"tidemark/flinkapi"
)

// LateCounter is a counter of dropped late records of one operator, summed over its subtasks.
type LateCounter struct {
	Operator string // metric name
	Metric   string
	Dropped  Gauge
	Input    Gauge // numRecordsIn of the operator
	Rate     Gauge // lateRecordsDroppedRate, records/s over the last minute (MeterView); DataStream windows have none
	Worst    []int // subtasks where it rose, or with one fetch is above 0
	Lost     []int // subtasks without the counter, which they had before or others have
}

// lateMetrics count records that an operator dropped because they were late (WindowOperator,
// CepOperator, the SQL window operators and window join, 1.17 to 2.3).
var lateMetrics = []string{"numLateRecordsDropped", "leftNumLateRecordsDropped", "rightNumLateRecordsDropped"}

func (v *Vertex) lateCounters(a, b metricIndex, before, now *flinkapi.VertexSample) []LateCounter {
	var out []LateCounter
	for _, name := range lateMetrics {
		for _, op := range v.Chain {
			c := LateCounter{Operator: op.Metric, Metric: name, Dropped: NoGauge(), Input: NoGauge(), Rate: NoGauge()}
			told := false
			dropped, input, rate := gaugeOf(a, b, op.Metric, name), gaugeOf(a, b, op.Metric, "numRecordsIn"), gaugeOf(a, b, op.Metric, "lateRecordsDroppedRate")
			for i := 0; i < v.Parallelism; i++ {
				d := dropped(i)
				if _, ok := d.Value(); !ok {
					c.Lost = append(c.Lost, i)
					told = told || !math.IsNaN(d.Before)
					continue
				}
				told = true
				c.Dropped = AddGauges(c.Dropped, d)
				c.Input, c.Rate = AddGauges(c.Input, input(i)), AddGauges(c.Rate, rate(i))
				if rise, ok := d.Rise(); ok && rise > 0 || !ok && d.Now > 0 {
					c.Worst = append(c.Worst, i)
				}
			}
			if whole := aggregatedSum(before, now, op.Metric+"."+name); len(c.Lost) > 0 && !math.IsNaN(whole.Now) { // of a vertex of many subtasks only some are read one by one
				c.Dropped, c.Lost, told = whole, nil, true
				c.Input, c.Rate = aggregatedSum(before, now, op.Metric+".numRecordsIn"), aggregatedSum(before, now, op.Metric+".lateRecordsDroppedRate")
			}
			if told {
				out = append(out, c)
			}
		}
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].Operator < out[k].Operator })
	return out
}

// Pace is the share of its input that the operator has dropped since its start, and how many drops are due at that share
// for the records that came in between the fetches; 0 where unknown.
func (c LateCounter) Pace() (share, due float64) {
	total, _ := c.Dropped.Value()
	taken, ok := c.Input.Value()
	if !ok || taken <= 0 {
		return 0, 0
	}
	rise, _ := c.Input.Rise()
	return total / taken, total / taken * rise
}

// LastMinute is how many late records the operator dropped in the last minute; ok is false where it has no meter.
func (c LateCounter) LastMinute() (n float64, ok bool) {
	rate, ok := c.Rate.Value()
	return math.Round(rate * 60), ok
}

func aggregatedSum(before, now *flinkapi.VertexSample, id string) Gauge {
	read := func(v *flinkapi.VertexSample) float64 {
		if v != nil {
			if a, ok := v.Aggregates[id]; ok && a.Sum != nil {
				return float64(*a.Sum)
			}
		}
		return NoGauge().Now
	}
	return Gauge{read(before), read(now)}
}
