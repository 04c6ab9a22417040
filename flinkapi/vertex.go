package flinkapi

// VertexDetails is GET /jobs/:jobid/vertices/:vertexid.
type VertexDetails struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Now      int64     `json:"now"` // JobManager wall clock, epoch ms
	Subtasks []Subtask `json:"subtasks"`
}

// Subtask is one parallel instance of a vertex: its current attempt.
type Subtask struct {
	Index         int       `json:"subtask"`
	Status        string    `json:"status"` // ExecutionState
	Attempt       int       `json:"attempt"`
	StartTime     Int       `json:"start-time"` // JobManager time, epoch ms
	TaskManagerID string    `json:"taskmanager-id"`
	Host          string    `json:"host"`     // until 1.20
	Endpoint      string    `json:"endpoint"` // host:port, since 1.19
	Metrics       IOMetrics `json:"metrics"`
}

// SubtaskTimes is GET /jobs/:jobid/vertices/:vertexid/subtasktimes.
type SubtaskTimes struct {
	Now      int64 `json:"now"`
	Subtasks []struct {
		Index      int              `json:"subtask"`
		Duration   int64            `json:"duration"`
		Timestamps map[string]int64 `json:"timestamps"` // ExecutionState to epoch ms, 0 = never
	} `json:"subtasks"`
}

// Backpressure is GET /jobs/:jobid/vertices/:vertexid/backpressure. EndTimestamp is the
// JobManager time at which the metric fetcher last started a fetch: the only age of the metric
// cache that REST shows (MetricFetcher#getLastUpdateTime).
type Backpressure struct {
	Status       string                `json:"status"` // ok, or deprecated where there is no metric yet
	Level        string                `json:"backpressureLevel"`
	EndTimestamp Int                   `json:"end-timestamp"`
	Subtasks     []SubtaskBackpressure `json:"subtasks"`
}

// SubtaskBackpressure holds shares of the last minute, 0 to 1.
type SubtaskBackpressure struct {
	Index     int   `json:"subtask"`
	Ratio     Float `json:"ratio"`
	IdleRatio Float `json:"idleRatio"`
	BusyRatio Float `json:"busyRatio"`
}

// Metric is an element of a metrics answer; Value is always a string.
type Metric struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

// Aggregate is an element of GET …/subtasks/metrics?get=…&agg=…. Subtasks without the metric are
// skipped; Long.MIN_VALUE and Long.MAX_VALUE arrive as doubles of about ±9.22e18.
type Aggregate struct {
	ID  string `json:"id"`
	Min *Float `json:"min"`
	Max *Float `json:"max"`
	Sum *Float `json:"sum"`
}
