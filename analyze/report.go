// Package analyze judges samples of a Flink job: job model, blame, budget and checks. It is pure:
// no HTTP, no clock, no Kafka client.
package analyze

import "tidemark/flinkapi"

// SchemaReport names the JSON form of Report.
const SchemaReport = "tidemark.report/v1"

// Severity ranks a finding: critical = event time stands still or results are lost now,
// warning = wrong or fragile, info = explains.
type Severity string

// The severities, and OK as the rank of no finding at all.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Rank orders severities: info 1, warning 2, critical 3, anything else 0.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 3
	case Warning:
		return 2
	case Info:
		return 1
	}
	return 0
}

// Confidence says how far the evidence carries a finding.
type Confidence string

// The three confidences.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Verdict is the one word for a job.
type Verdict string

// The verdicts. Incomplete means that something needed for "healthy" could not be read.
const (
	VerdictHealthy    Verdict = "healthy"
	VerdictInfo       Verdict = "info"
	VerdictWarning    Verdict = "warning"
	VerdictCritical   Verdict = "critical"
	VerdictIncomplete Verdict = "incomplete"
)

// Report is the answer of a triage, and the only input of every output format.
type Report struct {
	Schema     string       `json:"schema"`
	Tool       Tool         `json:"tool"`
	CapturedAt string       `json:"captured_at"` // RFC 3339, JobManager time of the last answer
	Cluster    Cluster      `json:"cluster"`
	Jobs       []JobReport  `json:"jobs"`
	NotChecked []NotChecked `json:"not_checked"` // about the cluster as a whole
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Cluster is where the report was made.
type Cluster struct {
	URL          string `json:"url"`
	FlinkVersion string `json:"flink_version"`
}

// JobReport is the judgement of one job.
type JobReport struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	State       string         `json:"state"` // JobStatus
	Verdict     Verdict        `json:"verdict"`
	Headline    string         `json:"headline"`      // the verdict in one sentence
	Samples     int            `json:"samples"`       // samples of different metric fetches that were compared
	SampleGapMs int64          `json:"sample_gap_ms"` // between the first and the last fetch
	Findings    []Finding      `json:"findings"`
	Vertices    []VertexReport `json:"vertices"`
	NotChecked  []NotChecked   `json:"not_checked"`
}

// Finding is one cause at one place.
type Finding struct {
	Code       string     `json:"code"`
	Cause      string     `json:"cause"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Title      string     `json:"title"`
	Summary    string     `json:"summary"` // subject, what, who holds it, since when
	Symptom    *int       `json:"symptom"` // row of the symptom map, 1 to 6, or null
	Vertex     *Ref       `json:"vertex"`
	Operator   string     `json:"operator,omitempty"`
	Subtasks   []int      `json:"subtasks,omitempty"`
	Split      string     `json:"split,omitempty"`
	HeldBack   []Ref      `json:"held_back,omitempty"` // vertices that only inherit it
	Evidence   []Evidence `json:"evidence"`
	Fix        Fix        `json:"fix"`
	SinceMs    *int64     `json:"since_ms"`        // event or wall clock age of the fault in ms, null = unknown
	Latent     bool       `json:"latent"`          // present, but not yet what holds the watermark
	Issue      string     `json:"issue,omitempty"` // FLINK-nnnnn of a known bug
}

// Ref names a vertex.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Evidence is one reading that a finding rests on. At is the time of the metric fetch, JobManager
// clock, RFC 3339; "" where unknown.
type Evidence struct {
	Subject string `json:"subject"`
	Metric  string `json:"metric"`
	Value   string `json:"value"`
	At      string `json:"at"`
}

// Fix is what to do, as prose, DataStream code and SQL.
type Fix struct {
	Text       string `json:"text"`
	DataStream string `json:"datastream,omitempty"`
	SQL        string `json:"sql,omitempty"`
}

// NotChecked is something that could not be judged, and why. Code is the check it concerns.
type NotChecked struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// VertexReport is a vertex with its event time. Lags are JobManager wall clock minus watermark at
// the time of the fetch, ms; null where there is no number.
type VertexReport struct {
	ID             string             `json:"id"`
	Name           string             `json:"name"`
	Kind           string             `json:"kind"` // source, operator or sink
	Parallelism    int                `json:"parallelism"`
	Inputs         []string           `json:"inputs"` // ids of upstream vertices
	Min            flinkapi.Watermark `json:"min"`    // minimum over subtasks: output of a source, input elsewhere
	Out            flinkapi.Watermark `json:"out"`    // minimum over subtasks of the vertex's last output
	LagMs          *int64             `json:"lag_ms"`
	Moving         *bool              `json:"moving"` // null = cannot be told from one sample
	LocalLagMs     *int64             `json:"local_lag_ms"`
	InheritedLagMs *int64             `json:"inherited_lag_ms"`
	HeldBy         string             `json:"held_by,omitempty"` // upstream vertex, subtask and split, or finding code
	Budget         []BudgetPart       `json:"budget"`
	Operators      []OperatorReport   `json:"operators,omitempty"`
	Subtasks       []SubtaskReport    `json:"subtasks"`
}

// BudgetPart is a summand of a vertex's event-time lag, ms.
type BudgetPart struct {
	Part    string `json:"part"`
	Ms      int64  `json:"ms"`
	Certain bool   `json:"certain"`
}

// OperatorReport is an operator of the vertex's chain, minimum over its subtasks.
type OperatorReport struct {
	Name string             `json:"name"`
	In   flinkapi.Watermark `json:"in"`
	Out  flinkapi.Watermark `json:"out"`
}

// SubtaskReport is a subtask. At scale only the subtasks that matter are listed.
type SubtaskReport struct {
	Index  int                `json:"index"`
	In     flinkapi.Watermark `json:"in"`
	Out    flinkapi.Watermark `json:"out"`
	Splits []SplitReport      `json:"splits,omitempty"`
}

// SplitReport is a split of a source subtask: a Kafka partition.
type SplitReport struct {
	ID        string             `json:"id"`
	Watermark flinkapi.Watermark `json:"watermark"`
	Idle      *bool              `json:"idle"`             // null before 2.1
	Paused    *bool              `json:"paused"`           // null before 2.1
	Offset    *int64             `json:"offset,omitempty"` // Kafka offset of the last emitted record, -1 = none
}
