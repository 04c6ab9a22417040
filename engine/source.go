package engine

import "fmt"

// SourceConfig describes one source subtask.
type SourceConfig struct {
	Strategy Strategy
	// Version selects the release; the zero value is Latest. Behaviour, when set,
	// replaces the version's rules.
	Version   Version
	Behaviour *Behaviour
	// StartMs is the clock when periodic emission starts.
	StartMs int64
	// OnSplit, if set, hears each split's watermark and idleness as the split
	// metrics of Flink 2.1 and later show them.
	OnSplit func(split int, watermark int64, idle bool)
}

// Source is one source subtask: a generator per split, merged, plus the main
// output's own generator, emitted at each interval. It stands for
// ProgressiveTimestampsAndWatermarks (2.3.0). Times handed in are milliseconds
// of one clock, never going back.
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
	paused    bool
	live      bool
	shownIdle bool
}

// NewSource builds a subtask without splits writing to out.
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

// schedule sets the next probe one interval after from, or never when that time
// does not exist.
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
	id := len(s.gens)
	split := &sourceSplit{part: s.mux.combined.Add(), live: true}
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

// ReleaseSplit ends a split: its last watermark no longer counts. Nothing is
// re-derived until the next probe, and nothing at all once no split is left
// (FLINK-39586).
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

// Record feeds one record's event time (ms) to its split's generator. The
// caller has already sent the record downstream: Flink emits a record before its
// generator sees it, so it is late only against watermarks of earlier records.
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
	s.gens[split].onEvent(&s.hot[split], ts, &s.splits[split].immediate)
	return nil
}

// RecordMain feeds a record that the reader emits without a split.
func (s *Source) RecordMain(ts int64) {
	s.busy = true
	s.main.onEvent(&s.mainHot, ts, &s.gate.main)
}

// EmitMain sends a watermark the reader itself made through the main output.
func (s *Source) EmitMain(ts int64) { s.gate.main.EmitWatermark(ts) }

// Watermark is the last watermark emitted, None before the first.
func (s *Source) Watermark() int64 { return s.forward.max }

// Idle reports whether downstream was last told that the subtask is idle.
func (s *Source) Idle() bool { return s.forward.idle }

// SplitWatermark is a split's own watermark, None before its first.
func (s *Source) SplitWatermark(split int) int64 { return s.splits[split].part.watermark }

// SplitIdle reports whether a split is left out of the minimum.
func (s *Source) SplitIdle(split int) bool { return s.splits[split].part.idle }

// Finish ends the subtask's input: the bounded-source path that emits End.
func (s *Source) Finish() {
	if s.alignment != nil {
		s.alignment.finished = true
	}
	s.nextProbe = End
	s.forward.EmitWatermark(End)
}

func (s *Source) partialWatermark(id int, ts int64) {
	if s.cfg.OnSplit != nil {
		s.cfg.OnSplit(id, ts, false)
	}
	if s.alignment != nil {
		s.alignment.splitWatermark(id, ts)
	}
}

func (s *Source) partialIdle(id int, idle bool) {
	split := s.splits[id]
	if changed := split.shownIdle != idle; changed && s.cfg.OnSplit != nil {
		s.cfg.OnSplit(id, split.part.watermark, idle)
	}
	split.shownIdle = idle
	if s.alignment != nil {
		s.alignment.splitIdle(id, idle)
	}
}
