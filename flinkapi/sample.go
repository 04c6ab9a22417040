package flinkapi

import (
	"sort"
	"strconv"
	"strings"
)

// Origin says where readings come from that are not from REST itself.
type Origin struct {
	Prometheus   string `json:"prometheus"`         // its URL, without secrets
	Graph        string `json:"graph,omitempty"`    // where the edges come from; "" = unknown
	SinceMs      int64  `json:"since_ms,omitempty"` // begin of the requested period, epoch ms
	AskedMs      int64  `json:"asked_ms"`           // the requested instant, epoch ms
	ResolutionMs int64  `json:"resolution_ms"`      // time between two scrapes: times are not known more exactly
	SpreadMs     int64  `json:"spread_ms"`          // time between the scrapes of one instant, over all targets
}

// Capture is what was read of a cluster: the state of the cluster and, for each job, its samples.
type Capture struct {
	Origin       *Origin // nil if REST was read, live or from a recording
	URL          string  // as given by the user; "" if a recording does not say
	ReadAt       int64   // JobManager time of the last answer, epoch ms; the client's if no job reported it. A recording is judged at this time
	SkewMs       int64   // JobManager clock minus client clock, ms
	Overview     Overview
	Config       map[string]string // cluster configuration, GET /jobmanager/config
	HasConfig    bool
	TaskManagers []TaskManager
	Lost         []TaskManager // present at first and gone later in the same reading
	Jobs         []JobCapture
	Listed       []JobOverview // every job of the cluster, finished ones included, as last listed
	Missing      []Gap         // what could not be read of the cluster itself
}

// FlinkVersion is the version that the cluster reports, "" if it could not be read.
func (c *Capture) FlinkVersion() string { return c.Overview.FlinkVersion }

// ShortID is the beginning of a job's id where another one that was read, or that has not ended, shares its name;
// "" = the name tells which job it is.
func (c *Capture) ShortID(id, name string) string {
	others := map[string]bool{}
	for _, j := range c.Jobs {
		others[j.ID] = others[j.ID] || j.Name == name
	}
	for _, j := range c.Listed {
		others[j.ID] = others[j.ID] || j.Name == name && !terminal(j.State)
	}
	n, shared := 8, false
	for other, same := range others {
		if !same || other == id {
			continue
		}
		shared = true
		for n < len(id) && strings.HasPrefix(other, id[:n]) {
			n++
		}
	}
	if !shared {
		return ""
	}
	return id[:min(n, len(id))]
}

// JobCapture is one job and its samples, oldest first.
type JobCapture struct {
	ID, Name string
	Listed   JobOverview // the job in the list of jobs; zero if it is not listed
	Samples  []*Sample
}

// Sample is one reading of a job. All its metrics come from the JobManager's cache.
type Sample struct {
	ReadAt           int64 // client wall clock at the first request of this sample, epoch ms
	Overview         JobOverview
	Job              JobDetails
	HasJob           bool
	Plan             Plan
	JobConfig        *JobConfig
	Exceptions       *Exceptions
	Restarts         *Restarts // restarts according to time series; nil for REST, which has exceptions
	Checkpoints      *Checkpoints
	CheckpointConfig *CheckpointConfig
	JobMetrics       map[string]string
	Refetched        bool // reading it started a metric fetch: its numbers are of the fetch before, at least an interval old
	Vertices         map[string]*VertexSample
	Missing          []Gap // of the job; see JobCapture.Gaps
}

// Restarts is the number of recent restarts of the job.
type Restarts struct {
	Count    int
	WindowMs int64 // before the sample
}

// VertexSample is one reading of a vertex.
type VertexSample struct {
	ID            string
	ReadAt        int64    // client wall clock of the last metric answer, epoch ms
	Watermarks    []Metric // GET …/watermarks; nil if not read
	HasWatermarks bool
	Details       *VertexDetails
	Times         *SubtaskTimes
	Backpressure  *Backpressure
	MetricIDs     []string          // ids the cluster listed, with subtask prefix
	AggregateIDs  []string          // ids the cluster listed, without subtask prefix
	Metrics       map[string]string // id to value, per subtask
	Aggregates    map[string]Aggregate
	Coordinator   map[string]string // GET …/jm-operator-metrics, since 1.20
	SubtaskAt     map[int]int64     // when a subtask was scraped, epoch ms; nil for REST, which fetches all at once
	Missing       []Gap

	refetched   bool  // its end-timestamp is of a fetch that the reading started
	sampleFetch int64 // start of the fetch that the sample was read from, 0 = unknown
}

// FetchedAt is the start of the metric fetch that this vertex was read from (JobManager time,
// epoch ms); ok is false if the cluster did not report it. The JobManager fetches for all
// vertices at once, so a vertex whose /backpressure was not read has the time of the others. A
// fetch that the reading itself started has not brought these numbers: they are of the one
// before.
func (v *VertexSample) FetchedAt() (ms int64, ok bool) {
	if v == nil {
		return 0, false
	}
	if at, ok := v.ownFetch(); ok && !v.refetched {
		return at, true
	}
	return v.sampleFetch, v.sampleFetch > 0
}

func (v *VertexSample) ownFetch() (ms int64, ok bool) {
	if v.Backpressure == nil || !v.Backpressure.EndTimestamp.Valid || v.Backpressure.EndTimestamp.V <= 0 {
		return 0, false
	}
	return v.Backpressure.EndTimestamp.V, true
}

// shareFetch sets the fetch time of vertices that do not report it. began is the JobManager's
// clock at the start of the sample, epoch ms; 0 = any fetch counts.
func (s *Sample) shareFetch(began int64) {
	var newest int64
	for _, v := range s.Vertices {
		at, ok := v.ownFetch()
		switch v.refetched = ok && began > 0 && at >= began-startSlack; {
		case v.refetched:
			s.Refetched = true
		case ok:
			newest = max(newest, at)
		}
	}
	for _, v := range s.Vertices {
		v.sampleFetch = newest
	}
	if s.Refetched = s.Refetched && newest == 0; s.Refetched {
		s.dateByUptime()
	}
}

// dateByUptime derives the time of numbers whose fetch is unknown from the job's uptime metric.
func (s *Sample) dateByUptime() {
	up, err := strconv.ParseInt(s.JobMetrics["uptime"], 10, 64)
	if since := s.Job.Timestamps["RUNNING"]; err == nil && up > 0 && since > 0 && since+up < s.Job.Now {
		for _, v := range s.Vertices {
			v.sampleFetch = since + up
		}
	}
}

// SortedVertexIDs lists the vertices of the sample in a fixed order.
func (s *Sample) SortedVertexIDs() []string {
	ids := make([]string, 0, len(s.Vertices))
	for id := range s.Vertices {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}
