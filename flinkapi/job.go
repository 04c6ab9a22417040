package flinkapi

import "strings"

// JobDetails is GET /jobs/:jobid (JobDetailsInfo).
type JobDetails struct {
	ID         string           `json:"jid"`
	Name       string           `json:"name"`
	State      string           `json:"state"`    // JobStatus
	JobType    string           `json:"job-type"` // since 1.20
	StartTime  int64            `json:"start-time"`
	Now        int64            `json:"now"`        // JobManager wall clock of the answer, epoch ms
	Timestamps map[string]int64 `json:"timestamps"` // JobStatus to epoch ms, 0 = never
	Vertices   []JobVertex      `json:"vertices"`
	Plan       Plan             `json:"plan"`
}

// JobVertex is an element of the vertices of GET /jobs/:jobid.
type JobVertex struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Parallelism int            `json:"parallelism"`
	Status      string         `json:"status"`
	StartTime   int64          `json:"start-time"`
	EndTime     int64          `json:"end-time"` // epoch ms, -1 while it runs
	Tasks       map[string]int `json:"tasks"`    // execution state to number of subtasks
	Metrics     IOMetrics      `json:"metrics"`
}

// IOMetrics is the metrics object of a vertex or a subtask (IOMetricsInfo). The complete flags
// are false while the JobManager lacks a metric of at least one subtask.
type IOMetrics struct {
	ReadRecords              int64 `json:"read-records"`
	ReadRecordsComplete      bool  `json:"read-records-complete"`
	WriteRecords             int64 `json:"write-records"`
	WriteRecordsComplete     bool  `json:"write-records-complete"`
	AccumulatedIdle          Float `json:"accumulated-idle-time"` // ms since the start, summed over subtasks
	AccumulatedBusy          Float `json:"accumulated-busy-time"`
	AccumulatedBackpressured Float `json:"accumulated-backpressured-time"`
}

// Plan is the plan object of GET /jobs/:jobid and /jobs/:jobid/plan (JsonPlanGenerator).
type Plan struct {
	Type  string     `json:"type"` // STREAMING or BATCH, since 1.20
	Nodes []PlanNode `json:"nodes"`
}

// PlanNode is a vertex of the plan. A source has no inputs. Description is HTML-escaped text.
type PlanNode struct {
	ID          string      `json:"id"`
	Parallelism int         `json:"parallelism"`
	Description string      `json:"description"`
	Inputs      []PlanInput `json:"inputs"`
}

// PlanInput is an edge of the plan. ShipStrategy is the partitioner: FORWARD, HASH, REBALANCE, …
type PlanInput struct {
	Num          int    `json:"num"`
	ID           string `json:"id"`
	ShipStrategy string `json:"ship_strategy"`
}

// JobConfig is GET /jobs/:jobid/config (JobConfigInfo). It does not contain
// pipeline.auto-watermark-interval.
type JobConfig struct {
	ExecutionConfig struct {
		UserConfig map[string]string `json:"user-config"` // global job parameters
	} `json:"execution-config"`
}

// Exceptions is GET /jobs/:jobid/exceptions. RootException existed until 1.20.
type Exceptions struct {
	RootException string `json:"root-exception"`
	Timestamp     Int    `json:"timestamp"`
	History       struct {
		Entries []ExceptionEntry `json:"entries"`
	} `json:"exceptionHistory"`
}

// ExceptionEntry is a failure of the job, newest first.
type ExceptionEntry struct {
	Name       string `json:"exceptionName"`
	Stacktrace string `json:"stacktrace"`
	Timestamp  int64  `json:"timestamp"` // JobManager time, epoch ms
	TaskName   string `json:"taskName"`
}

// WantsSlots reports a failure for lack of slots, which one before it brought about.
func (e ExceptionEntry) WantsSlots() bool {
	return strings.Contains(e.Stacktrace, "NoResourceAvailableException")
}

// Checkpoints is GET /jobs/:jobid/checkpoints.
type Checkpoints struct {
	Counts struct {
		Restored  int64 `json:"restored"`
		Completed int64 `json:"completed"`
		Failed    int64 `json:"failed"`
	} `json:"counts"`
	Latest struct {
		Restored *struct {
			RestoreTimestamp int64 `json:"restore_timestamp"` // JobManager time, epoch ms
			IsSavepoint      bool  `json:"is_savepoint"`
		} `json:"restored"`
		Savepoint *Snapshot `json:"savepoint"`
		Completed *struct {
			ID         int64 `json:"id"`
			StateSize  int64 `json:"state_size"`          // bytes, of the whole state
			DurationMs int64 `json:"end_to_end_duration"` // from trigger to end
		} `json:"completed"`
	} `json:"latest"`
	History []Snapshot `json:"history"` // newest first
}

// Snapshot is a checkpoint or savepoint. A stop with savepoint has type SYNC_SAVEPOINT (1.17 to
// 2.3); REST does not show whether it drains.
type Snapshot struct {
	Status  string `json:"status"` // IN_PROGRESS, COMPLETED, FAILED
	Type    string `json:"checkpoint_type"`
	Trigger int64  `json:"trigger_timestamp"` // JobManager time, epoch ms
}

// Stopping is the newest stop with savepoint, nil if there is none.
func (c *Checkpoints) Stopping() *Snapshot {
	if c == nil {
		return nil
	}
	for i := range c.History {
		if c.History[i].Type == "SYNC_SAVEPOINT" {
			return &c.History[i]
		}
	}
	if s := c.Latest.Savepoint; s != nil && s.Type == "SYNC_SAVEPOINT" {
		return s
	}
	return nil
}

// CheckpointConfig is GET /jobs/:jobid/checkpoints/config.
type CheckpointConfig struct {
	Mode      string `json:"mode"`
	Interval  Int    `json:"interval"` // ms; Long.MAX_VALUE = off
	Unaligned bool   `json:"unaligned_checkpoints"`
}
