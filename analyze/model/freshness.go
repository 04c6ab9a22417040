package model

import (
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// RestartedBetween reports a job that restarted between the two samples.
func (j *Job) RestartedBetween() bool {
	rise, ok := j.Restarts.Rise()
	return ok && rise > 0
}

// fetchGap is the time between the metric fetches of two readings, ms; fresh is false for two readings of one fetch.
func (j *Job) fetchGap(a, b *flinkapi.VertexSample) (ms int64, fresh bool) {
	ta, okA := a.FetchedAt()
	tb, okB := b.FetchedAt()
	if okA && okB {
		return tb - ta, tb > ta
	}
	gap := b.ReadAt - a.ReadAt
	return gap, gap > j.IntervalMs
}

// sameValues reports a running vertex none of whose metrics changed, not even those that always grow: the fetch that
// end-timestamp announces has not reached its TaskManagers.
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

// growing maps an accumulated time to its rate (TimerGauge: 60 s average, updated every 5 s).
var growing = map[string]string{
	"accumulatedActiveTimeMs": "activeTimeMsPerSecond", // of a split, since 2.1
	"accumulateIdleTimeMs":    "idleTimeMsPerSecond",
	"accumulateBusyTimeMs":    "busyTimeMsPerSecond",
}

// mustGrow reports an accumulated time that grows at least 900 ms per second, according to its rate.
func mustGrow(id string, metrics map[string]string) bool {
	i := strings.LastIndexByte(id, '.')
	rate, paired := growing[id[i+1:]]
	if !paired {
		return false
	}
	perSecond, err := strconv.ParseFloat(metrics[id[:i+1]+rate], 64)
	return err == nil && perSecond >= 900
}

// accumulated is the idle, busy and back-pressured time of a vertex in GET /jobs/:jobid, ms summed over subtasks.
func accumulated(m flinkapi.IOMetrics) float64 {
	sum := 0.0
	for _, f := range []flinkapi.Float{m.AccumulatedIdle, m.AccumulatedBusy, m.AccumulatedBackpressured} {
		if x, ok := f.Value(); ok {
			sum += x
		}
	}
	return sum
}
