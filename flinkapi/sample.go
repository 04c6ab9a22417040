package flinkapi

import (
	"sort"
	"strconv"
)

// Origin says where readings come from that REST did not give itself.
type Origin struct {
	Prometheus   string `json:"prometheus"`         // its URL, without secrets
	Graph        string `json:"graph,omitempty"`    // what gave the edges; "" = nothing did
	SinceMs      int64  `json:"since_ms,omitempty"` // the begin of the stretch that was asked for, epoch ms
	AskedMs      int64  `json:"asked_ms"`           // the instant that was asked for, epoch ms
	ResolutionMs int64  `json:"resolution_ms"`      // between two scrapes: nothing is known more exactly
	SpreadMs     int64  `json:"spread_ms"`          // between the scrapes of one instant, over all targets
}

// Capture is what was read of a cluster: the state of the cluster and, for each job, its samples.
type Capture struct {
	Origin       *Origin // nil where REST was read, live or from a recording
	URL          string  // as the user named it; "" for a recording that does not say
	ReadAt       int64   // JobManager time of the last answer, epoch ms, the client's where no job told it; a recording is judged at this time
	SkewMs       int64   // JobManager clock minus client clock, ms
	Overview     Overview
	Config       map[string]string // cluster configuration, GET /jobmanager/config
	HasConfig    bool
	TaskManagers []TaskManager
	Lost         []TaskManager // there at first and gone later in the same reading
	Jobs         []JobCapture
	Missing      []Gap // what could not be read of the cluster itself
}

// FlinkVersion is the version the cluster gives, "" where it could not be read.
func (c *Capture) FlinkVersion() string { return c.Overview.FlinkVersion }

// JobCapture is one job and what was read of it, oldest first.
type JobCapture struct {
	ID, Name string
	Listed   JobOverview // as the list of jobs has it; zero where that does not name the job
	Samples  []*Sample
}

// Sample is one reading of a job. Every metric in it is from the JobManager's cache.
type Sample struct {
	ReadAt           int64 // client wall clock at the first request of this sample, epoch ms
	Overview         JobOverview
	Job              JobDetails
	HasJob           bool
	Plan             Plan
	JobConfig        *JobConfig
	Exceptions       *Exceptions
	Restarts         *Restarts // what series tell of restarts; nil of REST, which has exceptions
	Checkpoints      *Checkpoints
	CheckpointConfig *CheckpointConfig
	JobMetrics       map[string]string
	Refetched        bool // reading it began a metric fetch: its numbers are of the one before, at least an interval older
	Vertices         map[string]*VertexSample
	Missing          []Gap // of the job; see JobCapture.Gaps
}

// Restarts is how often the job restarted lately.
type Restarts struct {
	Count    int
	WindowMs int64 // before the sample
}

// VertexSample is one reading of a vertex.
type VertexSample struct {
	ID            string
	ReadAt        int64    // client wall clock of the last metric answer, epoch ms
	Watermarks    []Metric // GET …/watermarks; nil where not read
	HasWatermarks bool
	Details       *VertexDetails
	Times         *SubtaskTimes
	Backpressure  *Backpressure
	MetricIDs     []string          // ids the cluster listed, with subtask prefix
	AggregateIDs  []string          // ids the cluster listed, without subtask prefix
	Metrics       map[string]string // id to value, per subtask
	Aggregates    map[string]Aggregate
	Coordinator   map[string]string // GET …/jm-operator-metrics, since 1.20
	SubtaskAt     map[int]int64     // when a subtask was scraped, epoch ms; nil of REST, which fetches all at once
	Missing       []Gap

	refetched   bool  // its end-timestamp is of a fetch that began with the reading
	sampleFetch int64 // start of the fetch that the sample was read from, 0 = not known
}

// FetchedAt is the start of the metric fetch this vertex was read from (JobManager time, epoch ms);
// ok is false where the cluster did not tell. The JobManager fetches for all vertices at once, so a
// vertex whose /backpressure was not read has the date of the others. A fetch that began with the
// reading has not brought these numbers: they are of the one before.
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

// shareFetch dates the vertices that do not say themselves when their metrics were fetched. began is the
// JobManager's clock when the sample was begun, epoch ms; 0 = any fetch counts.
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

// dateByUptime dates numbers whose fetch is not known by the job's own metric that runs with the clock.
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
