package random

import "tidemark/internal/worlds/records"

// longRun makes the job run for some minutes, long enough to know the rhythm of rare records.
func (m *maker) longRun(minutes int64) {
	m.start = m.t0 - 60_000*m.between(minutes, 2*minutes)
	for _, s := range m.sources {
		s.all(func(p *records.Phase) { p.FromMs, p.EveryMs = m.start-5000, max(p.EveryMs, 1000) })
	}
}

func (m *maker) rare(s *source, split int, every float64) {
	s.each(split, func(p *records.Phase) {
		p.FromMs, p.EveryMs, p.Jitter, p.LateMs = m.start-int64(m.r.Float64()*every), every, 0.3, 0
	})
}

// lowRateWide is one record per minute in each split of several subtasks.
func (m *maker) lowRateWide() {
	m.longRun(40)
	for _, s := range m.sources {
		s.strategy.IdleMs = 0
		every := 1000 * float64(m.between(30, 75))
		for i := range s.splits {
			m.rare(s, i, every)
		}
	}
}

// oneRare is one split with a record per minute next to fast ones.
func (m *maker) oneRare() {
	m.longRun(25)
	s := m.sources[0]
	s.opaque = false // otherwise no gauge shows what is usual for that split
	m.rare(s, m.r.IntN(len(s.splits)), 1000*float64(m.between(30, 100)))
}

// snapshots is a source that delivers everything at once every few minutes, as lakes and files
// do.
func (m *maker) snapshots() {
	m.start = m.t0 - 60_000*m.between(30, 60)
	every := 1000 * m.between(100, 300)
	phase := m.between(30_000, every)
	for _, s := range m.sources {
		s.opaque, s.strategy.IdleMs = true, 0
		for i := range s.splits {
			p := s.splits[i].Phases[0]
			p.EveryMs, p.LateMs = 50, 0
			s.splits[i].Phases = nil
			for at := m.t0 - phase - every*((m.t0-phase-m.start)/every); at < m.t1+60_000; at += every {
				p.FromMs, p.ToMs = at, at+1000
				s.splits[i].Phases = append(s.splits[i].Phases, p)
			}
		}
	}
}

// quietInputEarlier ends every input, one of them minutes before the others.
func (m *maker) quietInputEarlier() {
	end := m.t0 - m.between(20_000, 50_000)
	earlier := end - m.between(80_000, 240_000)
	m.older(earlier)
	i := m.r.IntN(len(m.sources))
	for k, s := range m.sources {
		for n := range s.splits {
			s.stop(n, end)
			if k == i {
				s.stop(n, earlier)
			}
		}
	}
	m.blame("critical", i, "quiet-input", "idle-split", "idle-subtask")
	m.truth.Stalls = true
}

// quietSubtaskEarlier ends every split, those of one subtask minutes before the others.
func (m *maker) quietSubtaskEarlier() {
	s := m.sources[0]
	s.parallelism = min(max(s.parallelism, 2), len(s.splits))
	end := m.t0 - m.between(20_000, 50_000)
	earlier := end - m.between(80_000, 240_000)
	m.older(earlier)
	for _, o := range m.sources {
		for n := range o.splits {
			o.stop(n, end)
		}
	}
	quiet := m.r.IntN(s.parallelism)
	for n := range s.splits {
		if s.owner(n) == quiet {
			s.stop(n, earlier)
		}
	}
	m.blame("critical", 0, "idle-subtask", "idle-split")
	m.truth.Subtasks, m.truth.Stalls = []int{quiet}, true
}

// idleUnchained is idleness behind tasks that are connected by FORWARD: silent, never active, or
// without a split.
func (m *maker) idleUnchained() {
	s := m.sources[0]
	switch m.r.IntN(3) {
	case 0:
		s.parallelism = len(s.splits) + 1 + m.r.IntN(2)
	case 1:
		m.idleForward()
	default:
		m.declared()
	}
}

// finishedSubtasks is a source that finishes subtasks without a split, with an idle timeout and a
// split that has been idle: once all are idle, the watermark jumps to the end.
func (m *maker) finishedSubtasks() {
	s := m.sources[0]
	s.bounded, s.parallelism = true, len(s.splits)+1+m.r.IntN(2)
	split := m.r.IntN(len(s.splits))
	later := s.splits[split].Phases[0]
	later.FromMs, later.ToMs = m.t1+30_000, m.t1+90_000
	s.stop(split, m.t0-m.between(int64(s.everyMs)+2*s.strategy.IdleMs, 85_000))
	s.splits[split].Phases = append(s.splits[split].Phases, later)
	m.blame("warning", 0, "end-of-input-max")
	m.truth.Also = []string{"idle-split"}
	if !m.version.AtLeast(2, 1, 0) {
		m.truth.Hidden, m.truth.Harmless = true, true
	}
}

// excessBesideSilent is more parallelism than partitions with an idle timeout, next to a silent
// input.
func (m *maker) excessBesideSilent() {
	m.sources[0].strategy.IdleMs = oneOf(m.r, int64(5000), 10_000)
	m.sources[0].parallelism = len(m.sources[0].splits) + 1
	i := 1 + m.r.IntN(len(m.sources)-1)
	for k := range m.sources[i].splits {
		m.sources[i].silence(k)
	}
	m.blame("critical", i, "quiet-input", "idle-split", "idle-subtask")
	m.truth.Stalls = true
	m.truth.Mild = []string{"excess-parallelism", "idle-subtask"} // no gauge shows whether an idle timeout is set there
}

// wallClockRare is a generator that emits the wall clock, with a record about every ten seconds.
func (m *maker) wallClockRare() {
	m.wallClock()
	s := m.sources[0]
	every := float64(m.between(8000, 15_000))
	for i := range s.splits {
		s.splits[i].Phases = []records.Phase{{FromMs: m.start - int64(m.r.Float64()*every), ToMs: m.t1 + 60_000, EveryMs: every, Jitter: 0.2}}
	}
	m.truth.Hidden, m.truth.Harmless = true, true // a record may have arrived a moment ago
	m.truth.Also = []string{"late-records"}
}

// boundBelow is a harmless bound with a record every few seconds: it looks larger by their
// distance.
func (m *maker) boundBelow() {
	for _, s := range m.sources {
		s.strategy.BoundMs = 1000 * m.between(40, 57)
		for i := range s.splits {
			every := float64(m.between(3000, 12_000))
			s.each(i, func(p *records.Phase) { p.EveryMs, p.LateMs = every, 0 })
		}
	}
}

// boundAbove is a bound of about two minutes that must be inferred from few records.
func (m *maker) boundAbove() {
	m.boundBelow()
	s := m.sources[0]
	s.strategy.BoundMs = 1000 * m.between(90, 150)
	m.blame("warning", 0, "bound-too-large")
	m.truth.Also = []string{"bound-too-large"} // the others look as large by the distance between their records
}
