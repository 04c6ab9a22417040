package model

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// BuildJob makes the model of one job from its samples.
func BuildJob(c *flinkapi.Capture, jc flinkapi.JobCapture) *Job {
	j := &Job{ID: jc.ID, Name: jc.Name, ShortID: c.ShortID(jc.ID, jc.Name), Version: ParseVersion(c.FlinkVersion()), IntervalMs: FetchInterval(c), Restarts: NoGauge()}
	if c.HasConfig {
		j.Config = c.Config
	}
	j.pickSamples(jc.Samples)
	j.takeGaps(jc)
	if j.Now == nil {
		j.State = jc.Listed.State
		return j
	}
	s := j.Now
	j.State = s.Job.State
	j.NowMs = s.Job.Now
	j.Batch = isBatch(s)
	j.Finished = isTerminal(j.State)
	j.Restarts = j.jobGauge("numRestarts").Or(j.jobGauge("fullRestarts"))
	j.UptimeMs = uptime(s)
	j.buildGraph()
	// Between one source and one other vertex there is only one possible edge.
	j.EdgesGuess = slices.ContainsFunc(j.Gaps, noPlan) && len(j.Vertices) > 2
	before, now := metricsByID(j.Before), metricsByID(j.Now)
	for _, v := range j.Vertices {
		if j.Running() && !j.Batch {
			j.buildVertex(v, accumulated(before[v.ID]) == accumulated(now[v.ID]))
		} else { // the cached metrics are of tasks that are gone
			v.Chain = buildChain(v.Name, j.planOf(v.ID), nil, v.IsSource())
		}
	}
	j.markLeftovers()
	j.markAssigners()
	j.markProcessingTime()
	j.remember()
	j.markSigns()
	return j
}

// pickSamples takes the last sample and the one before it. An earlier one would let a watermark that has stopped since
// pass for advancing.
func (j *Job) pickSamples(samples []*flinkapi.Sample) {
	for _, s := range samples {
		if s.HasJob {
			j.Before, j.Now = j.Now, s
		}
	}
}

func isTerminal(state string) bool {
	return state == "FINISHED" || state == "FAILED" || state == "CANCELED" || state == "SUSPENDED"
}

func isBatch(s *flinkapi.Sample) bool {
	return s.Job.JobType == "BATCH" || s.Overview.JobType == "BATCH" || s.Plan.Type == "BATCH"
}

// uptime is ms since the job last began to run: the job metric, or the RUNNING timestamp.
func uptime(s *flinkapi.Sample) int64 {
	if v, err := strconv.ParseFloat(s.JobMetrics["uptime"], 64); err == nil && v > 0 {
		return int64(v)
	}
	if t := s.Job.Timestamps["RUNNING"]; t > 0 {
		return s.Job.Now - t
	}
	return s.Job.Now - s.Job.StartTime
}

func (j *Job) jobGauge(name string) Gauge {
	g := NoGauge()
	if s, ok := j.Now.JobMetrics[name]; ok {
		g.Now = parseNumber(s, true)
	}
	if j.Before != nil {
		if s, ok := j.Before.JobMetrics[name]; ok {
			g.Before = parseNumber(s, true)
		}
	}
	return g
}

// FetchInterval is the time between metric fetches, ms: the JobManager's (10 s by default), or Prometheus' scrapes.
func FetchInterval(c *flinkapi.Capture) int64 {
	if c.Origin != nil {
		return c.Origin.ResolutionMs
	}
	if d, err := units.ParseFlinkDuration(c.Config["metrics.fetcher.update-interval"]); err == nil && d > 0 {
		return d.Milliseconds()
	}
	return 10_000
}

// MaxParallelism is Flink's own limit (KeyGroupRangeAssignment.UPPER_BOUND_MAX_PARALLELISM). A larger number in a broken
// file would make one object for each subtask and use up the memory.
const MaxParallelism = 1 << 15

// buildGraph makes vertices and edges from the plan, and orders them upstream first.
func (j *Job) buildGraph() {
	byID := map[string]*Vertex{}
	for _, jv := range j.Now.Job.Vertices {
		v := &Vertex{ID: jv.ID, Name: jv.Name, Parallelism: min(jv.Parallelism, MaxParallelism), Status: jv.Status}
		if byID[v.ID] != nil {
			continue // listed twice
		}
		byID[v.ID] = v
		j.Vertices = append(j.Vertices, v)
	}
	planned := map[string]bool{}
	j.nodes = map[string]flinkapi.PlanNode{}
	for _, n := range j.Now.Plan.Nodes {
		if _, said := j.nodes[n.ID]; !said {
			j.nodes[n.ID] = n
		}
		v := byID[n.ID]
		if v == nil || planned[n.ID] {
			continue
		}
		planned[n.ID] = true
		for _, in := range n.Inputs {
			if u := byID[in.ID]; u != nil {
				e := &Edge{From: u, To: v, Ship: in.ShipStrategy}
				v.In, u.Out = append(v.In, e), append(u.Out, e)
			}
		}
	}
	for _, v := range j.Vertices {
		v.Totals = NoGauge()
	}
	for id, m := range metricsByID(j.Now) {
		if v := byID[id]; v != nil {
			v.Totals.Now = total(m, v)
		}
	}
	for id, m := range metricsByID(j.Before) {
		if v := byID[id]; v != nil {
			v.Totals.Before = total(m, v)
		}
	}
	j.sortTopologically()
}

// metricsByID lists the counters of GET /jobs/:jobid by vertex.
func metricsByID(s *flinkapi.Sample) map[string]flinkapi.IOMetrics {
	out := map[string]flinkapi.IOMetrics{}
	if s != nil {
		for _, jv := range slices.Backward(s.Job.Vertices) { // of a vertex that is listed twice the first counts
			out[jv.ID] = jv.Metrics
		}
	}
	return out
}

// total is the vertex's record counter in GET /jobs/:jobid, NaN while it is not complete. Of a source it is the records
// written: read-records is 0 for sources in all 1.x.
func total(m flinkapi.IOMetrics, v *Vertex) float64 {
	switch {
	case v.IsSource() && len(v.Out) > 0 && m.WriteRecordsComplete:
		return float64(m.WriteRecords)
	case !v.IsSource() && m.ReadRecordsComplete:
		return float64(m.ReadRecords)
	}
	return math.NaN()
}

func (j *Job) sortTopologically() {
	sort.SliceStable(j.Vertices, func(i, k int) bool { return j.Vertices[i].ID < j.Vertices[k].ID })
	rank := map[*Vertex]int{}
	var depth func(v *Vertex, guard int) int
	depth = func(v *Vertex, guard int) int {
		if r, ok := rank[v]; ok || guard > len(j.Vertices) {
			return r
		}
		d := 0
		for _, e := range v.In {
			d = max(d, depth(e.From, guard+1)+1)
		}
		rank[v] = d
		return d
	}
	for _, v := range j.Vertices {
		depth(v, 0)
	}
	sort.SliceStable(j.Vertices, func(i, k int) bool { return rank[j.Vertices[i]] < rank[j.Vertices[k]] })
}
