// Package analyze judges samples of Flink jobs and makes the report. It is pure: no HTTP, no clock, no Kafka client.
package analyze

import (
	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

// SchemaReport names the JSON form of Report.
const SchemaReport = "tidemark.report/v1"

// Verdict is the one word for a job.
type Verdict string

// The verdicts. Incomplete means that something needed for "healthy" could not be read.
const (
	VerdictHealthy    Verdict = "healthy"
	VerdictInfo       Verdict = "info"
	VerdictWarning    Verdict = "warning"
	VerdictCritical   Verdict = "critical"
	VerdictIncomplete Verdict = "incomplete"
	// VerdictAcknowledged: all that is wrong is accepted by a policy until a day.
	VerdictAcknowledged Verdict = "acknowledged"
)

// Report is the answer of a triage, and the only input of every output format.
type Report struct {
	Schema     string               `json:"schema"`
	Tool       Tool                 `json:"tool"`
	CapturedAt string               `json:"captured_at"` // RFC 3339, JobManager time of the last answer
	CapturedMs int64                `json:"captured_ms"` // the same, epoch ms; 0 = unknown
	Cluster    Cluster              `json:"cluster"`
	Readings   *flinkapi.Origin     `json:"readings,omitempty"` // where the metrics come from, if not from REST
	Contexts   []Context            `json:"contexts,omitempty"` // the clusters, where several contexts were read
	From       []string             `json:"-"`                  // recordings that were read, as named on the command line, for suggested commands
	Jobs       []JobReport          `json:"jobs"`
	NotChecked []catalog.NotChecked `json:"not_checked"` // about the cluster as a whole
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Cluster is the cluster that the report is about.
type Cluster struct {
	URL          string `json:"url"`
	FlinkVersion string `json:"flink_version"`
}

// Context is one of several clusters, with its name in the configuration file.
type Context struct {
	Name string `json:"name"`
	Cluster
	Error string `json:"error,omitempty"` // why it could not be read
}

// JobReport is the judgement of one job.
type JobReport struct {
	Context     string            `json:"context,omitempty"` // name of the context that the job is in
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	ShortID     string            `json:"short_id,omitempty"`  // beginning of the id, where another job has the same name
	State       string            `json:"state"`               // JobStatus
	UptimeMs    int64             `json:"uptime_ms,omitempty"` // since it last began to run, 0 = unknown or not running
	SQL         bool              `json:"sql"`                 // a source is a table
	Verdict     Verdict           `json:"verdict"`
	Incomplete  bool              `json:"incomplete"`                     // something that a healthy verdict needs could not be read
	Unread      bool              `json:"unread,omitempty"`               // the job itself could not be read: its state is from the list of jobs
	Headline    string            `json:"headline"`                       // the verdict in one sentence
	Samples     int               `json:"samples"`                        // number of samples, of different metric fetches, that were compared
	SampleGapMs int64             `json:"sample_gap_ms"`                  // between the first and the last fetch
	AgeMs       int64             `json:"metrics_age_ms,omitempty"`       // with one sample: from its metric fetch to the reading, 0 = unknown
	AgeAtLeast  bool              `json:"metrics_age_at_least,omitempty"` // metrics_age_ms is a lower bound: the reading itself triggered a metric fetch
	Findings    []catalog.Finding `json:"findings"`
	// Acknowledged are findings that a policy accepts until a day; they do not count for the verdict.
	Acknowledged []Acknowledged       `json:"acknowledged,omitempty"`
	Vertices     []VertexReport       `json:"vertices"`
	NotChecked   []catalog.NotChecked `json:"not_checked"`
	Timeline     *series.Timeline     `json:"timeline,omitempty"` // how the job ran before, where more than two samples were read
	Usual        *UsualReport         `json:"usual,omitempty"`    // what is normal for the job, where a period of its past was read
}

// Label names the job in text: CONTEXT/NAME where several clusters were read, followed by the beginning of its id
// where another job has the same name.
func (r *JobReport) Label() string {
	label := r.Name
	if r.Context != "" {
		label = r.Context + "/" + label
	}
	return model.JobLabel(label, r.ShortID)
}

// Latest is the vertex with the largest lag, nil where none has one.
func (r *JobReport) Latest() *VertexReport {
	var latest *VertexReport
	for i := range r.Vertices {
		if v := &r.Vertices[i]; v.LagMs != nil && (latest == nil || *v.LagMs > *latest.LagMs) {
			latest = v
		}
	}
	return latest
}

// Acknowledged is a finding with the reason and the last day on which it is accepted.
type Acknowledged struct {
	catalog.Finding
	catalog.Acceptance
}

// VertexReport is a vertex with its event time. Lags are JobManager wall clock minus watermark at
// the time of the fetch, ms; null where there is no number.
type VertexReport struct {
	ID             string             `json:"id"`
	Name           string             `json:"name"`
	Kind           string             `json:"kind"` // source, operator or sink
	Parallelism    int                `json:"parallelism"`
	Inputs         []string           `json:"inputs"`                   // ids of upstream vertices
	Use            string             `json:"event_time_use,omitempty"` // whether its own operators use event time: yes, no or unknown
	Min            flinkapi.Watermark `json:"min"`                      // minimum over subtasks: output of a source, input elsewhere
	Out            flinkapi.Watermark `json:"out"`                      // minimum over subtasks of the vertex's last output
	LagMs          *int64             `json:"lag_ms"`
	Moving         *bool              `json:"moving"` // whether the watermark advanced between two fetches; null = unknown
	LocalLagMs     *int64             `json:"local_lag_ms"`
	InheritedLagMs *int64             `json:"inherited_lag_ms"`
	HeldBy         string             `json:"held_by,omitempty"` // upstream vertex, subtask and split, or finding code
	Holder         *Holder            `json:"holder,omitempty"`
	Budget         []model.LagPart    `json:"budget"`
	UnexplainedMs  int64              `json:"unexplained_ms"`   // part of the lag that the budget does not cover
	CountedTwiceMs int64              `json:"counted_twice_ms"` // part of the lag that overlapping parts of the budget count twice
	Account        []account.Claim    `json:"account"`
	Operators      []OperatorReport   `json:"operators,omitempty"`
	Subtasks       []SubtaskReport    `json:"subtasks"`
}

// Holder is the place that holds a vertex whose watermark stands still or is none, and the finding about that place.
type Holder struct {
	model.Point
	Code string `json:"code,omitempty"`
}

// WaitsFor is another vertex that holds this one, nil where none does.
func (v VertexReport) WaitsFor() *model.Ref {
	if v.Holder == nil || v.Holder.Vertex == nil || v.Holder.Vertex.ID == v.ID {
		return nil
	}
	return v.Holder.Vertex
}

// OperatorReport is an operator of the vertex's chain, minimum over its subtasks.
type OperatorReport struct {
	Name string             `json:"name"`
	In   flinkapi.Watermark `json:"in"`
	Out  flinkapi.Watermark `json:"out"`
}

// SubtaskReport is a subtask. Of a vertex of many subtasks at most 64 are listed, and those without a watermark.
type SubtaskReport struct {
	Index  int                `json:"index"`
	In     flinkapi.Watermark `json:"in"`
	Out    flinkapi.Watermark `json:"out"`
	Splits []SplitReport      `json:"splits,omitempty"`
}

// SplitReport is a split of a source subtask; for Kafka a partition.
type SplitReport struct {
	ID        string             `json:"id"`
	Watermark flinkapi.Watermark `json:"watermark"`
	Idle      *bool              `json:"idle"`             // null before 2.1
	Paused    *bool              `json:"paused"`           // null before 2.1
	Offset    *int64             `json:"offset,omitempty"` // Kafka offset of the last emitted record, -1 = none
}
