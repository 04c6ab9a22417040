package engine

import "fmt"

// AlignmentConfig is a source's membership in an alignment group
// (WatermarkStrategy.withWatermarkAlignment; scan.watermark.alignment.*).
type AlignmentConfig struct {
	Group      string
	MaxDriftMs int64
	// UpdateMs is the update interval; it must be positive.
	UpdateMs int64
	// Samples overrides pipeline.watermark-alignment.buffer-size (2.3 and later,
	// default 3); negative keeps the version's default.
	Samples int
}

func (c AlignmentConfig) validate() error {
	switch {
	case c.MaxDriftMs < 0:
		return fmt.Errorf("alignment: max drift %d ms is negative", c.MaxDriftMs)
	case c.UpdateMs <= 0:
		return fmt.Errorf("alignment: update interval %d ms is not positive", c.UpdateMs)
	}
	return nil
}

// Alignment is the alignment logic of one source subtask (SourceOperator): it
// reports the subtask's watermark and pauses splits, or the whole source, that
// run ahead of the announced maximum.
type Alignment struct {
	source   *Source
	b        Behaviour
	allowed  int64
	latest   *sampler
	splits   map[int]*sampler
	order    []int
	paused   map[int]bool
	idle     map[int]bool
	waiting  bool
	srcIdle  bool
	finished bool
	events   int // splits added by assignment, not by restore
	onPause  func(split int, paused bool)
}

// Align puts a source under watermark alignment. onPause, if set, is called for each split that
// is paused or resumed. The caller must hold back the records of a paused split and, while
// Waiting, those of the whole subtask.
func Align(s *Source, cfg AlignmentConfig, onPause func(split int, paused bool)) (*Alignment, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if s.alignment != nil || len(s.splits) > 0 {
		return nil, fmt.Errorf("alignment: set it once, before the first split")
	}
	b := s.behaviour
	if cfg.Samples >= 0 && b.AlignmentSampler {
		b.AlignmentSamples = cfg.Samples
	}
	a := &Alignment{
		source: s, b: b, allowed: End, latest: newSampler(b.AlignmentSamples),
		splits: map[int]*sampler{}, paused: map[int]bool{}, idle: map[int]bool{}, onPause: onPause,
	}
	s.alignment, s.forward.listener = a, a
	return a, nil
}

// Assigned marks a split as assigned by the enumerator. Without it the split counts as restored;
// releases before FLINK-36751 do not count restored splits.
func (a *Alignment) Assigned(split int) {
	a.events++
	a.track(split)
}

// track starts sampling a split's watermark, as assignment and restore do from 2.1 on.
func (a *Alignment) track(split int) *sampler {
	s, known := a.splits[split]
	if !known {
		s = newSampler(a.b.AlignmentSamples)
		a.splits[split] = s
		a.order = append(a.order, split)
	}
	return s
}

// Announce sets the maximum allowed watermark that the coordinator announced.
func (a *Alignment) Announce(allowed int64) {
	a.allowed = allowed
	a.checkSource()
	a.checkSplits()
}

// Report samples the current watermark and returns what the subtask reports to the coordinator at
// each update interval. ok is false when there is nothing to report yet.
func (a *Alignment) Report() (watermark int64, ok bool) {
	if a.finished && a.b.AlignmentReportsFinish {
		a.latest.value = End
	}
	if a.b.AlignmentSampler {
		for _, split := range a.order {
			a.splits[split].sample()
		}
		a.latest.sample()
		a.checkSource()
		a.checkSplits()
	}
	switch {
	case a.latest.value == None && a.b.AlignmentSkipsUninitialized:
		return None, false
	case a.srcIdle && a.b.AlignmentReportsIdle:
		return End, true
	default:
		return a.latest.value, true
	}
}

// Waiting reports whether the whole subtask is held back.
func (a *Alignment) Waiting() bool { return a.waiting }

// Paused reports whether a split is held back.
func (a *Alignment) Paused(split int) bool { return a.paused[split] }

// Allowed is the maximum last announced, End before the first.
func (a *Alignment) Allowed() int64 { return a.allowed }

func (a *Alignment) effectiveWatermark(ts int64) {
	a.latest.value = ts
	a.checkSource()
}

func (a *Alignment) effectiveIdle(idle bool) { a.srcIdle = idle }

func (a *Alignment) splitWatermark(split int, ts int64) {
	a.track(split).value = ts
	if a.b.IdleSplitsExempt && a.idle[split] {
		return
	}
	a.pauseIfAhead(split)
}

func (a *Alignment) splitIdle(split int, idle bool) {
	if !a.b.IdleSplitsExempt || idle == a.idle[split] {
		return
	}
	if idle {
		a.idle[split] = true
		return
	}
	delete(a.idle, split)
	a.track(split)
	a.pauseIfAhead(split)
}

func (a *Alignment) splitFinished(split int) {
	if !a.b.FinishClearsSplit {
		return
	}
	delete(a.splits, split)
	delete(a.idle, split)
	for i, s := range a.order {
		if s == split {
			a.order = append(a.order[:i], a.order[i+1:]...)
			break
		}
	}
}
