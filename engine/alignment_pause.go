package engine

// sampler keeps the last samples of a watermark and returns the oldest of them; it corresponds to
// WatermarkSampler (2.3). With capacity 0 it returns the latest.
type sampler struct {
	ring  []int64
	next  int
	value int64
}

func newSampler(capacity int) *sampler {
	s := &sampler{ring: make([]int64, capacity), value: None}
	for i := range s.ring {
		s.ring[i] = None
	}
	return s
}

func (s *sampler) sample() {
	if len(s.ring) == 0 {
		return
	}
	s.ring[s.next] = s.value
	s.next = (s.next + 1) % len(s.ring)
}

func (s *sampler) oldest() int64 {
	if len(s.ring) == 0 {
		return s.value
	}
	return s.ring[s.next]
}

// pausesSplits reports whether split-level pausing is on: releases before FLINK-36751 skip it for
// readers with at most one assigned split.
func (a *Alignment) pausesSplits() bool { return a.b.SingleSplitPauses || a.events > 1 }

// checkSource pauses or resumes the whole subtask.
func (a *Alignment) checkSource() {
	if wait := a.allowed < a.latest.oldest(); wait != a.waiting {
		a.waiting = wait
		if wait {
			a.source.PauseMain()
		} else if err := a.source.ResumeMain(); err != nil {
			panic(err) // a.waiting pairs every resume with a pause
		}
	}
}

func (a *Alignment) pauseIfAhead(split int) {
	if a.pausesSplits() && a.splits[split].oldest() > a.allowed && !a.paused[split] {
		a.setPaused(split, true)
	}
}

// checkSplits pauses and resumes every tracked split against the announced maximum. Where the
// release exempts idle splits, they are skipped, so a split that was paused before it became idle
// stays paused (FLINK-40093).
func (a *Alignment) checkSplits() {
	if !a.pausesSplits() {
		return
	}
	for _, split := range a.order {
		if a.b.IdleSplitsExempt && a.idle[split] {
			continue
		}
		ahead := a.splits[split].oldest() > a.allowed
		if ahead != a.paused[split] {
			a.setPaused(split, ahead)
		}
	}
}

func (a *Alignment) setPaused(split int, paused bool) {
	if paused {
		a.paused[split] = true
	} else {
		delete(a.paused, split)
	}
	if s := a.source; s.splits[split].live {
		if paused {
			s.splits[split].clock.Pause(s.now)
		} else if err := s.splits[split].clock.Resume(s.now); err != nil {
			panic(err) // a.paused pairs every resume with a pause
		}
		s.busy = true
	}
	if a.onPause != nil {
		a.onPause(split, paused)
	}
}
