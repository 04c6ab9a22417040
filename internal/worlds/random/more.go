package random

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// historyFinished is a bounded source that was read to its end, next to a live one.
func (m *maker) historyFinished() {
	history := m.sources[0]
	history.bounded = true
	history.all(func(p *records.Phase) { p.FromMs, p.ToMs = m.start-60_000, m.start-1000 })
}

// lateKept are late records that go to a side output, which no counter shows.
func (m *maker) lateKept() {
	m.closed, m.sideOutput = true, true
	m.sources[0].strategy.BoundMs = 1000
	m.sources[0].all(func(p *records.Phase) { p.LateMs, p.LateEvery = 60_000, 5 })
}

// controlDeclared is a broadcast of rules without watermarks, marked idle.
func (m *maker) controlDeclared() {
	rules := m.sources[1]
	rules.strategy = job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200, IdleMs: 2000}}
	for i := range rules.splits {
		rules.silence(i)
	}
}

// bursts are records for a few seconds in every half minute.
func (m *maker) bursts() {
	period := m.between(15_000, 35_000)
	for _, s := range m.sources {
		s.strategy.IdleMs = 0
		for i := range s.splits {
			on := s.splits[i].Phases[0]
			on.EveryMs, on.LateMs = 200, 0
			var phases []records.Phase
			for at := m.start - period; at < m.t1+60_000; at += period {
				on.FromMs, on.ToMs = at, at+2000
				phases = append(phases, on)
			}
			s.splits[i].Phases = phases
		}
	}
}

// littleApart are splits with a negligible difference.
func (m *maker) littleApart() {
	s := m.sources[0]
	for i := range s.splits {
		behind := m.between(0, 20_000)
		s.each(i, func(p *records.Phase) { p.ShiftMs -= behind })
	}
}

// boundFits is a bound that the disorder of the records requires.
func (m *maker) boundFits() {
	for _, s := range m.sources {
		s.strategy.BoundMs = 1000 * m.between(15, 50)
		late := s.strategy.BoundMs * 9 / 10
		if m.chance(0.4) {
			late = 0 // not required, and negligible
		}
		s.all(func(p *records.Phase) { p.LateMs, p.LateEvery = late, oneOf(m.r, 1, 5) })
	}
}

// unequal are splits of one source, some of which have a record every half minute.
func (m *maker) unequal() {
	s := m.sources[0]
	for i := range s.splits {
		if i == 0 || m.chance(0.4) {
			every := float64(m.between(8000, 25_000))
			s.each(i, func(p *records.Phase) { p.FromMs, p.EveryMs, p.LateMs = m.start-int64(m.r.Float64()*every), every, 0 })
		}
	}
}

// assignerStarved is an assigner behind a source, one of whose subtasks never gets a record: it
// cannot derive a watermark, and there is no idle timeout.
func (m *maker) assignerStarved() {
	s := m.sources[0]
	s.parallelism = max(s.parallelism, 2)
	for len(s.splits) < s.parallelism {
		s.splits = append(s.splits, m.schedule(s, uint64(len(s.splits)), 0))
	}
	starved := m.r.IntN(s.parallelism)
	for i := range s.splits {
		if s.owner(i) == starved {
			s.silence(i)
		}
	}
	m.blame("critical", 0, "idle-subtask", "idle-split", "assigner-starved", "assigner-downstream", "excess-parallelism")
	m.truth.Also = []string{"assigner-downstream"}
	m.truth.Subtasks = []int{starved}
	m.truth.Stalls = true
}

// assignerSwallows is a second assigner without watermarks in the middle: it drops those of the
// source and emits none.
func (m *maker) assignerSwallows() {
	m.swallows = true
	m.blame("critical", placeMiddle, "never-emitted", "operator-stall", "assigner-downstream")
	m.truth.Stalls = true
}

// wallClockLive is a generator that emits the wall clock while records flow: nothing shows,
// nothing is lost.
func (m *maker) wallClockLive() {
	s := m.sources[0]
	s.strategy.Own, s.strategy.BoundMs = job.Clock, oneOf(m.r, int64(3000), 5000)
	s.all(func(p *records.Phase) { p.EveryMs, p.LateMs = min(p.EveryMs, 400), 0 })
}

func (m *maker) wide() {
	s := m.sources[0]
	s.parallelism = int(m.between(8, 16))
	for len(s.splits) < s.parallelism {
		s.splits = append(s.splits, m.schedule(s, uint64(len(s.splits)), 0))
	}
}

// lostSplit is a subtask that has lost all its splits, as with a source that moves on to other
// data: its watermark neither advances nor becomes idle (FLINK-39586).
func (m *maker) lostSplit() {
	s := m.sources[0]
	s.parallelism = max(s.parallelism, 2)
	for len(s.splits) < s.parallelism {
		s.splits = append(s.splits, m.schedule(s, uint64(len(s.splits)), 0))
	}
	s.splits = s.splits[:s.parallelism]
	at := m.quietFor(s)
	m.older(at)
	lost := m.r.IntN(s.parallelism)
	m.ends = map[int]int64{lost: at}
	m.blame("critical", 0, "lost-split")
	m.truth.Stalls = true
	m.truth.Subtasks = []int{lost}
	if !m.version.AtLeast(2, 1, 0) {
		// No gauge distinguishes a split that is gone from one that is silent.
		m.truth.Causes = append(m.truth.Causes, "idle-split", "idle-subtask")
		if s.opaque {
			m.truth.Causes = append(m.truth.Causes, "excess-parallelism")
		}
	}
}

func (m *maker) epochZero() {
	i := m.r.IntN(len(m.sources))
	m.sources[i].all(func(p *records.Phase) { p.Zero = true })
	m.blame("critical", i, "epoch-zero")
	m.truth.Also = []string{"late-records"}
}

func (m *maker) failed() {
	m.end, m.state = m.t0-m.between(30_000, 300_000), "FAILED"
	m.start = min(m.start, m.end-60_000)
	m.blame("critical", -1, "not-running")
}

// quietOneEarlier ends every source, and one split minutes before the others: what the others
// sent since then waits for it, and they send no later record.
func (m *maker) quietOneEarlier() {
	m.stalledByOne(false)
}

// quietOneNever ends every source, and one split never had a record.
func (m *maker) quietOneNever() {
	m.stalledByOne(true)
}

func (m *maker) stalledByOne(never bool) {
	s := m.sources[0]
	end := m.t0 - m.between(20_000, 50_000)
	earlier := end - m.between(75_000, 240_000)
	m.older(earlier)
	split := m.r.IntN(len(s.splits))
	for _, other := range m.sources {
		for i := range other.splits {
			other.stop(i, end)
		}
	}
	if never {
		s.silence(split)
	} else {
		s.stop(split, earlier)
	}
	m.quietSplit(split)
	if never {
		m.neverSeen()
	}
	if !m.version.AtLeast(2, 1, 0) {
		m.truth.Causes = append(m.truth.Causes, "idle-subtask") // offsets that are all equal do not identify a split
	}
}
