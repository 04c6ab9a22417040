package engine

import "fmt"

// SourceConfig describes one source subtask.
type SourceConfig struct {
	Strategy Strategy
	// Version selects the release; the zero value is Latest. Behaviour, if set, replaces the
	// version's rules.
	Version   Version
	Behaviour *Behaviour
	// StartMs is the clock when periodic emission starts.
	StartMs int64
	// OnSplit, if set, is called with each split's watermark and idleness, as the split metrics
	// of Flink 2.1 and later show them.
	OnSplit func(split int, watermark int64, idle bool)
}

// Source is one source subtask: one generator per split, combined, plus the generator of the main
// output. It corresponds to ProgressiveTimestampsAndWatermarks (2.3.0). All times passed in are ms of
// one clock and must not go back.
type Source struct {
	hot       []hot // by split handle; the hot path touches nothing else
	gens      []generator
	splits    []*sourceSplit
	main      generator
	mainHot   hot
	mainClock ActivityClock
	gate      *idleGate
	mux       *multiplexer
	forward   *forward
	cfg       SourceConfig
	behaviour Behaviour
	now       int64
	nextProbe int64
	quiet     int // probes in a row that changed nothing
	busy      bool
	alignment *Alignment
}

type sourceSplit struct {
	part      *Partial
	immediate immediateOutput
	deferred  deferredOutput
	clock     ActivityClock
	live      bool
	unborn    bool // restored: no output until its first record
	shownIdle bool
}

// NewSource builds a subtask without splits that writes to out.
func NewSource(cfg SourceConfig, out Output) (*Source, error) {
	if err := cfg.Strategy.Validate(); err != nil {
		return nil, err
	}
	b := cfg.Version.Behaviour()
	if cfg.Behaviour != nil {
		b = *cfg.Behaviour
	}
	f := &forward{out: out, max: None}
	gate := newIdleGate(f)
	s := &Source{
		gate: gate, forward: f, cfg: cfg, behaviour: b,
		mux: &multiplexer{combined: NewCombined(b), out: &gate.splits},
		now: cfg.StartMs, nextProbe: End,
	}
	s.main, s.mainHot = newGenerator(cfg.Strategy, b)
	s.mainClock.wall = !b.PausableClocks
	s.schedule(cfg.StartMs)
	return s, nil
}

// schedule sets the next probe one interval after from, or never when that overflows.
func (s *Source) schedule(from int64) {
	interval := s.cfg.Strategy.IntervalMs
	if interval == 0 || from > End-interval {
		s.nextProbe = End
		return
	}
	s.nextProbe = from + interval
}

// AddSplit registers a new split and returns its handle. Handles are not reused.
func (s *Source) AddSplit() int {
	id := s.newSplit()
	s.mux.combined.parts = append(s.mux.combined.parts, s.splits[id].part)
	return id
}

// RestoreSplit registers a split from a checkpoint. Before the fix of FLINK-32828 it has no
// output until its first record, so a silent one does not hold the watermark; after the fix it
// counts from the start like any other.
func (s *Source) RestoreSplit() int {
	if s.behaviour.RestoredSplitsCount {
		return s.AddSplit()
	}
	id := s.newSplit()
	s.splits[id].unborn, s.hot[id].fast = true, false
	return id
}

// bear creates the output of a restored split.
func (s *Source) bear(id int) {
	split := s.splits[id]
	split.unborn, s.hot[id].fast = false, s.gens[id].mode == fastMax
	s.mux.combined.parts = append(s.mux.combined.parts, split.part)
}

func (s *Source) newSplit() int {
	id := len(s.gens)
	split := &sourceSplit{part: &Partial{watermark: None}, live: true}
	split.part.id, split.part.listener = id, s
	split.immediate = immediateOutput{s.mux, split.part}
	split.deferred = deferredOutput{split.part}
	split.clock.wall = !s.behaviour.PausableClocks
	g, h := newGenerator(s.cfg.Strategy, s.behaviour)
	s.gens, s.hot = append(s.gens, g), append(s.hot, h)
	s.splits = append(s.splits, split)
	s.busy = true
	return id
}

// ReleaseSplit removes a finished split: its last watermark no longer counts. The minimum is
// recomputed at the next probe, and never once no split is left (FLINK-39586).
func (s *Source) ReleaseSplit(split int) error {
	if err := s.check(split); err != nil {
		return err
	}
	s.busy = true
	s.splits[split].live = false
	s.gens[split].mode, s.hot[split].fast = released, false
	s.mux.combined.Remove(s.splits[split].part)
	if s.alignment != nil {
		s.alignment.splitFinished(split)
	}
	return nil
}

func (s *Source) check(split int) error {
	if split < 0 || split >= len(s.splits) {
		return fmt.Errorf("unknown split %d: the subtask has had %d", split, len(s.splits))
	}
	if !s.splits[split].live {
		return fmt.Errorf("split %d was released", split)
	}
	return nil
}

// Record gives a record's event time (ms) to the generator of its split. The caller has already
// sent the record downstream: Flink emits a record before its generator sees it, so it is late
// only against watermarks of earlier records.
func (s *Source) Record(split int, ts int64) error {
	if uint(split) < uint(len(s.hot)) && s.hot[split].fast {
		h := &s.hot[split]
		h.active = true
		if v := ts - h.before; v > h.max {
			h.max = v
		}
		return nil
	}
	return s.record(split, ts)
}

func (s *Source) record(split int, ts int64) error {
	if err := s.check(split); err != nil {
		return err
	}
	s.busy = true
	if s.splits[split].unborn {
		s.bear(split)
	}
	s.gens[split].onEvent(&s.hot[split], ts, &s.splits[split].immediate)
	return nil
}

// RecordMain handles a record that the reader emits without a split.
func (s *Source) RecordMain(ts int64) {
	s.busy = true
	s.main.onEvent(&s.mainHot, ts, &s.gate.main)
}

// EmitMain emits a watermark of the reader itself through the main output.
func (s *Source) EmitMain(ts int64) { s.gate.main.EmitWatermark(ts) }

// Finish ends the subtask's input, as a bounded source does: it emits End.
func (s *Source) Finish() {
	if s.alignment != nil {
		s.alignment.finished = true
	}
	s.nextProbe = End
	s.forward.EmitWatermark(End)
}
