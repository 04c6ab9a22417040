package simulate

import (
	"slices"

	"tidemark/flinkapi"
	"tidemark/kafkastats/record"
)

// Result is what strategies would have done with the same records, side by side. Durations are ms;
// clocks and event times are epoch ms.
type Result struct {
	Input        Input         `json:"input"`
	Strategies   []Outcome     `json:"strategies"`
	Expectations []Expectation `json:"expectations"`
	Notes        []string      `json:"notes"`
}

// Met reports whether every limit was met.
func (r *Result) Met() bool {
	return !slices.ContainsFunc(r.Expectations, func(e Expectation) bool { return !e.Met })
}

// Input describes the records and the clock of the simulation.
type Input struct {
	Source     string          `json:"source"`
	Topic      string          `json:"topic,omitempty"`
	Records    int64           `json:"records"`
	Skipped    int64           `json:"skipped"` // records without a usable event time, left out on request
	Partitions []int32         `json:"partitions"`
	StartMs    int64           `json:"start_ms"`           // first arrival
	EndMs      int64           `json:"end_ms"`             // last arrival
	LeftOut    *record.LeftOut `json:"left_out,omitempty"` // by --since, --until and --last, of a file
}

// Outcome is one strategy and its result.
type Outcome struct {
	Name         string             `json:"name"`
	DelayMs      int64              `json:"delay_ms"`
	Kind         string             `json:"kind"`    // bounded, ascending or none
	Dialect      string             `json:"dialect"` // datastream or sql
	Emit         string             `json:"emit"`    // on-periodic or on-event
	IntervalMs   int64              `json:"interval_ms"`
	IdleMs       int64              `json:"idle_timeout_ms"` // 0 = none
	Parallelism  int                `json:"parallelism"`
	Place        string             `json:"place"` // source (one generator per split) or downstream (one per subtask)
	FlinkVersion string             `json:"flink_version"`
	Late         int64              `json:"late"` // at or below the watermark when they reached the operator
	LateFraction float64            `json:"late_fraction"`
	Watermark    flinkapi.Watermark `json:"watermark"` // at the end, behind the exchange
	Idle         bool               `json:"idle"`
	Lag          Spread             `json:"lag"` // clock minus watermark, at each step of the watermark
	Splits       []Split            `json:"splits"`
	Windows      []Window           `json:"windows"`
	Timeline     []Series           `json:"timeline"`
}

// Spread sums up durations in ms; P50 and P99 are within 0.8 % above the exact ones.
type Spread struct {
	N    int64   `json:"n"`
	Mean float64 `json:"mean"`
	P50  int64   `json:"p50"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

// Split is one partition under a strategy.
type Split struct {
	Partition int32              `json:"partition"`
	Subtask   int                `json:"subtask"`
	Records   int64              `json:"records"`
	Late      int64              `json:"late"`
	Newest    flinkapi.Watermark `json:"newest"` // largest event time, state none without records
	Watermark flinkapi.Watermark `json:"watermark"`
	Idle      bool               `json:"idle"`
}

// Window is one window operator under a strategy.
type Window struct {
	Window  string   `json:"window"`
	Fired   int64    `json:"fired"`   // windows, each once
	Again   int64    `json:"again"`   // firings after the first, for late records
	Taken   int64    `json:"taken"`   // records in fired windows at their first firing
	Dropped int64    `json:"dropped"` // records no window took
	Counted int64    `json:"counted"` // of those, in numLateRecordsDropped
	Open    int      `json:"open"`    // windows still open at the end
	Added   Spread   `json:"added_latency"`
	Latency Spread   `json:"latency"` // clock of a firing minus the window's end
	Firings []Firing `json:"firings"` // the first ones
	More    int64    `json:"more_firings"`
	// All firings and late records, in slices of the clock.
	Bars        []Bar         `json:"bars"`
	LateRecords []LateRecords `json:"late_records"`
}

// Firing is one firing of a window.
type Firing struct {
	Start   int64 `json:"start"`
	End     int64 `json:"end"`
	At      int64 `json:"at"` // clock
	Records int64 `json:"records"`
	Late    int64 `json:"late"`
	Again   bool  `json:"again,omitempty"`
}

// Series is a watermark over time, thinned to a bounded number of points.
type Series struct {
	Scope  string  `json:"scope"` // split, subtask or global
	Index  int32   `json:"index"` // partition or subtask
	Points []Point `json:"points"`
}

// Point is the last state of a watermark in a slice of time.
type Point struct {
	At        int64              `json:"at"`
	Watermark flinkapi.Watermark `json:"watermark"`
	Idle      bool               `json:"idle,omitempty"`
}

// Expectation is one limit and whether it was met.
type Expectation struct {
	Item     int    `json:"-"` // index in the request's Expect
	Text     string `json:"text"`
	Strategy string `json:"strategy"`
	Window   string `json:"window,omitempty"`
	Met      bool   `json:"met"`
	Actual   string `json:"actual"`
}

// Reason says what was expected and what was found.
func (e Expectation) Reason() string {
	s := "expected " + e.Text + ", strategy " + e.Strategy
	if e.Window != "" {
		s += ", window " + e.Window
	}
	return s + " has " + e.Actual
}

// Global is the watermark that the operator behind the exchange receives.
func (s Outcome) Global() []Point {
	for _, series := range s.Timeline {
		if series.Scope == "global" {
			return series.Points
		}
	}
	return nil
}
