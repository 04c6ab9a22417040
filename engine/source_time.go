package engine

import (
	"fmt"
	"math"
)

// AdvanceTo moves the clock to now (ms) and fires every periodic emission on the way at its own
// time.
func (s *Source) AdvanceTo(now int64) error {
	if now < s.now {
		return fmt.Errorf("clock goes back from %d to %d", s.now, now)
	}
	for s.nextProbe <= now && s.nextProbe != End {
		if err := s.advance(s.nextProbe, now); err != nil {
			return err
		}
	}
	s.now = now
	return nil
}

// advance moves the clock to now; the caller guarantees that nothing else happens before horizon.
func (s *Source) advance(now, horizon int64) error {
	if now < s.now {
		return fmt.Errorf("clock goes back from %d to %d", s.now, now)
	}
	for s.nextProbe <= now && s.nextProbe != End {
		s.now = s.nextProbe
		s.schedule(s.now)
		s.probe()
		s.skipQuiet(horizon)
	}
	s.now = now
	return nil
}

// Now is the clock value of the last AdvanceTo.
func (s *Source) Now() int64 { return s.now }

// NextProbe is the clock of the next periodic emission, End if there is none.
func (s *Source) NextProbe() int64 { return s.nextProbe }

// EmitNow probes at the current clock, as Flink does when a source reports a
// change of its backlog (emitImmediateWatermark, 1.19 and later).
func (s *Source) EmitNow() { s.probe() }

func (s *Source) probe() {
	changed := s.busy
	s.busy = false
	for i, split := range s.splits {
		if !split.live || split.unborn {
			continue
		}
		g := &s.gens[i]
		changed = changed || s.hot[i].active
		g.onPeriodic(&s.hot[i], split.clock.At(s.now), &split.deferred)
	}
	s.mux.update()
	changed = changed || s.mainHot.active
	s.main.onPeriodic(&s.mainHot, s.mainClock.At(s.now), &s.gate.main)
	if !s.main.idle.enabled {
		s.clearActive()
	}
	if changed {
		s.quiet = 0
	} else {
		s.quiet++
	}
}

// clearActive resets what an idleness check would have reset.
func (s *Source) clearActive() {
	s.mainHot.active = false
	for i := range s.hot {
		s.hot[i].active = false
	}
}

// skipQuiet skips probes that cannot change anything: after two quiet ones only an idle timer
// can, so the next probe moves to the first at which one expires, in whole intervals. Records,
// splits and pauses come from outside AdvanceTo, so none can fall in the gap.
func (s *Source) skipQuiet(now int64) {
	if s.quiet < 2 || s.main.mode == custom || s.nextProbe > now {
		return
	}
	due := s.main.idle.expiry(&s.mainClock)
	for i, split := range s.splits {
		if split.live && !split.unborn {
			due = min(due, s.gens[i].idle.expiry(&split.clock))
		}
	}
	due = min(due, now)
	interval := s.cfg.Strategy.IntervalMs
	if due <= s.nextProbe {
		return
	}
	gap := uint64(due) - uint64(s.nextProbe)
	if gap > math.MaxInt64 {
		return
	}
	s.nextProbe += int64(gap) / interval * interval
	s.quiet = 0
}

// expiry is a clock value before which the timer cannot expire.
func (t *idleTimer) expiry(c *ActivityClock) int64 {
	if !t.enabled || t.marked || c.Paused() {
		return End
	}
	blocked := c.blocked
	if c.wall {
		blocked = 0
	}
	switch start := t.since + blocked; {
	case t.since == 0:
		return None
	case start > End-t.timeout:
		return End
	default:
		return start + t.timeout
	}
}
