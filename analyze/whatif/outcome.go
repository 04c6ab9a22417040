package whatif

import (
	"fmt"

	"tidemark/analyze/model"
	"tidemark/engine/simulate"
	"tidemark/flinkapi"
)

// Result says whether the twin of a job reproduces the cluster and, where it does, what each change would have done with
// the same records. Durations are ms; clocks and event times are epoch ms.
type Result struct {
	Job         model.Ref     `json:"job"`
	ShortID     string        `json:"short_id,omitempty"` // beginning of the job's id, where another job has the same name
	Version     string        `json:"flink_version"`
	Judged      Judged        `json:"judged"`
	InForce     []InForce     `json:"in_force"`
	Fit         *Fit          `json:"fit"`          // null where nothing could be compared
	NotReady    string        `json:"not_ready"`    // why nothing could be compared, "" = it was
	NotModelled []NotModelled `json:"not_modelled"` // what the twin of the unchanged job leaves out
	Columns     []Column      `json:"columns"`      // the first is the unchanged job; empty where the twin does not fit
	Expected    []Expectation `json:"expectations"`
	Notes       []string      `json:"notes"`
}

// Reproduces reports a twin whose gauges are those of the cluster: only then changes are predicted.
func (r *Result) Reproduces() bool { return r.Fit != nil && r.Fit.Differ == 0 && r.NotReady == "" }

// Refusal says why nothing is predicted; "" = it is.
func (r *Result) Refusal() string {
	switch {
	case r.NotReady != "":
		return "nothing is predicted: " + r.NotReady
	case !r.Reproduces():
		return fmt.Sprintf("nothing is predicted: the twin differs from the cluster in %d of %d gauges", r.Fit.Differ, r.Fit.Compared)
	}
	return ""
}

// Judged is the time that was played, epoch ms by the clock of the records. What happens before from_ms is warm-up and is
// not counted.
type Judged struct {
	PlayedFromMs int64    `json:"played_from_ms"`
	FromMs       int64    `json:"from_ms"`
	ToMs         int64    `json:"to_ms"` // the last sample
	Records      int64    `json:"records"`
	SkewMs       [2]int64 `json:"skew_ms"` // from the start of the metric fetch to the reading, by the clock of the records
	Young        bool     `json:"young"`   // the job started within the time played
}

// InForce is the configuration of a source, and where each value comes from.
type InForce struct {
	Source      model.Ref         `json:"source"`
	Name        string            `json:"name"`
	Kind        string            `json:"kind"` // bounded or none
	DelayMs     int64             `json:"delay_ms"`
	IdleMs      int64             `json:"idle_timeout_ms"` // 0 = none
	IntervalMs  int64             `json:"interval_ms"`
	Emit        string            `json:"emit"`
	Place       string            `json:"place"`    // source or downstream
	Field       string            `json:"field"`    // unit in which the job reads the event time field: as given, or another
	ShiftMs     int64             `json:"shift_ms"` // time zone offset of the job's event times
	Alignment   string            `json:"alignment,omitempty"`
	Parallelism int               `json:"parallelism"`
	Splits      int               `json:"splits"`
	Origin      map[string]Origin `json:"origin"`
}

// Range is a number of the twin. The cluster's is between low and high, whatever the phase of its timers.
type Range struct {
	Low  int64 `json:"low"`
	Twin int64 `json:"twin"`
	High int64 `json:"high"`
}

// Exact reports a range of one number.
func (r Range) Exact() bool { return r.Low == r.High }

// Column is the job under one change.
type Column struct {
	Name      string            `json:"name"`
	Settings  []string          `json:"settings"` // the changes; empty for the unchanged job
	Vertices  []VertexOutcome   `json:"vertices"`
	Operators []OperatorOutcome `json:"operators"`
	Estimates []string          `json:"estimates"` // why its numbers are estimates; empty = the cluster's are within the ranges
}

// VertexOutcome is the watermark that a vertex receives, or that a source emits.
type VertexOutcome struct {
	Vertex    model.Ref          `json:"vertex"`
	Source    bool               `json:"source"`
	Uses      bool               `json:"uses_event_time"`
	Watermark flinkapi.Watermark `json:"watermark"` // at the end
	Low       flinkapi.Watermark `json:"low"`
	High      flinkapi.Watermark `json:"high"`
	Advanced  bool               `json:"advanced"`   // it advanced in the time judged
	StandsMs  int64              `json:"stands_ms"`  // for how long it has stood still at the end
	LongestMs int64              `json:"longest_ms"` // its longest standstill
	HeldBy    *Holder            `json:"held_by"`    // the place that it waits for at the end, where it stands still
	Points    []simulate.Point   `json:"points"`
}

// Holder is the place that a vertex waits for, and the watermark there.
type Holder struct {
	model.Point
	Watermark flinkapi.Watermark `json:"watermark"`
}

// OperatorOutcome is what an operator that uses event time did in the time judged.
type OperatorOutcome struct {
	Vertex   model.Ref       `json:"vertex"`
	Operator string          `json:"operator"`
	Fires    bool            `json:"fires"`    // it has windows; other operators only drop records or wait
	Windows  Range           `json:"windows"`  // windows that fired, each counted once for all keys
	Rows     Range           `json:"rows"`     // rows that it emitted for them, one per key and window
	Again    int64           `json:"again"`    // firings after the first, for late records
	Dropped  Range           `json:"dropped"`  // late records that it dropped
	Counted  bool            `json:"counted"`  // Flink counts dropped records in numLateRecordsDropped
	FirstMs  int64           `json:"first_ms"` // clock of the first firing, 0 = none
	LatestMs int64           `json:"latest_ms"`
	Latency  simulate.Spread `json:"latency"`           // clock of a firing minus the window's end, over all rows
	Open     *int            `json:"open"`              // open windows, or records that wait, at the end; null = not counted
	Peak     *int            `json:"peak"`              // largest number of open windows, or of records that wait; null = not counted
	Unknown  bool            `json:"unknown"`           // nothing can be predicted: roughly says why
	Roughly  string          `json:"roughly,omitempty"` // why its counts cannot be predicted exactly

	// Latency and Peak over all runs that make a range, for limits.
	p50, p99, peak Range
	silent         bool // it does not fire in one of them
}
