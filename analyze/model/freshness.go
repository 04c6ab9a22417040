package model

import (
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// RestartedBetween reports a job whose tasks are not those of the first sample any more.
func (j *Job) RestartedBetween() bool {
	rise, ok := j.Restarts.Rise()
	return ok && rise > 0
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
func sameValues(v *Vertex, a, b *flinkapi.VertexSample, stood bool) bool {
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
	return common >= 3 && v.Status == "RUNNING" && (grows || stood)
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

// accumulated are the times of a vertex in GET /jobs/:jobid, ms summed over subtasks.
func accumulated(m flinkapi.IOMetrics) float64 {
	sum := 0.0
	for _, f := range []flinkapi.Float{m.AccumulatedIdle, m.AccumulatedBusy, m.AccumulatedBackpressured} {
		if x, ok := f.Value(); ok {
			sum += x
		}
	}
	return sum
}
