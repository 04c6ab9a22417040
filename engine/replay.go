package engine

import "fmt"

// Record is one record of a topic: its split, its arrival (wall clock) and its event time, both
// in epoch ms.
type Record struct {
	Split              int32
	Arrival, EventTime int64
}

// ReplayConfig says what the records run through: a source with one generator per split, spread
// over subtasks, then a keyed exchange and windows.
type ReplayConfig struct {
	Strategy Strategy
	Version  Version
	// Splits is the number of splits, numbered from 0. Silent ones count, because they hold the
	// watermark.
	Splits int
	// Parallelism is the number of source subtasks (default 1). Owner returns the subtask that
	// reads a split; nil assigns them round-robin. KafkaOwner is Kafka's rule.
	Parallelism int
	Owner       func(split int32) int
	// Downstream assigns watermarks behind the source instead of per split, so that the splits of
	// a subtask share one generator.
	Downstream bool
	// Windows are evaluated side by side, with all records under one key.
	Windows []WindowSpec
	// StartMs is the clock at which the emission timers start; nil is the arrival of the first
	// record.
	StartMs *int64
	// OnPoint, if set, is called for the timeline: every change of a watermark or status.
	OnPoint func(Point)
	// OnFired, OnDropped and OnLate, if set, are called for each firing, dropped record and late
	// record, with the window's index in Windows.
	// with the window's index in Windows.
	OnFired   func(window int, f Fired)
	OnDropped func(window int, d Dropped)
	OnLate    func(window int, l Late)
}

// Scope says whose watermark a Point shows.
type Scope uint8

const (
	// OfSplit is a split's own watermark.
	OfSplit Scope = iota
	// OfSubtask is what a source subtask emits.
	OfSubtask
	// Global is what the operator behind the exchange receives.
	Global
)

// Point is a change on the timeline.
type Point struct {
	At        int64 // clock, ms
	Scope     Scope
	Index     int   // of the split or subtask
	Watermark int64 // None while there is none
	Idle      bool
}

// Replayer runs records through one strategy. Its memory depends on the splits and open windows,
// not on the number of records.
type Replayer struct {
	cfg     ReplayConfig
	readers []reader
	owner   []int32 // by split: reader
	handle  []int32 // by split: handle inside the reader
	valve   *Valve
	windows []*Window
	result  Result
	now     int64
	probe   int64
	started bool
}

// reader is one source subtask: per-split generators, or one assigner.
type reader struct {
	source   *Source
	assigner *Assigner
	channel  *Channel
}

// NewReplayer checks the configuration and builds the subtasks.
func NewReplayer(cfg ReplayConfig) (*Replayer, error) {
	if cfg.Parallelism == 0 {
		cfg.Parallelism = 1
	}
	if cfg.Splits < 1 || cfg.Parallelism < 1 {
		return nil, fmt.Errorf("replay of %d splits over %d subtasks: want at least one of each", cfg.Splits, cfg.Parallelism)
	}
	if err := cfg.Strategy.Validate(); err != nil {
		return nil, err
	}
	r := &Replayer{cfg: cfg, probe: End}
	var err error
	if r.valve, err = NewValve(cfg.Parallelism, global{r}); err != nil {
		return nil, err
	}
	r.result.Splits = make([]SplitResult, cfg.Splits)
	r.result.Windows = make([]WindowResult, len(cfg.Windows))
	for i, spec := range cfg.Windows {
		sink := WindowSink{
			OnFired:   func(f Fired) { r.fired(i, f) },
			OnDropped: func(d Dropped) { r.dropped(i, d) },
		}
		if cfg.OnLate != nil {
			sink.OnLate = func(l Late) { cfg.OnLate(i, l) }
		}
		w, err := NewWindow(spec, sink)
		if err != nil {
			return nil, err
		}
		r.windows = append(r.windows, w)
		r.result.Windows[i].Spec = spec
	}
	r.owner, r.handle = make([]int32, cfg.Splits), make([]int32, cfg.Splits)
	for split := range cfg.Splits {
		owner := split % cfg.Parallelism
		if cfg.Owner != nil {
			owner = cfg.Owner(int32(split))
		}
		if owner < 0 || owner >= cfg.Parallelism {
			return nil, fmt.Errorf("split %d belongs to subtask %d of %d", split, owner, cfg.Parallelism)
		}
		r.owner[split] = int32(owner)
		r.result.Splits[split] = SplitResult{Subtask: owner, Newest: None, Watermark: None}
	}
	return r, nil
}
