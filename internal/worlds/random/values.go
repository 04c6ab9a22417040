package random

import "tidemark/internal/worlds/records"

func (m *maker) wrongUnit() {
	s := m.sources[0]
	factor := oneOf(m.r, [2]int64{1000, 0}, [2]int64{0, 1000}, [2]int64{1_000_000, 0})
	s.all(func(p *records.Phase) { p.Times, p.Per = factor[0], factor[1] })
	m.blame("critical", 0, "epoch-unit")
	m.truth.Also = []string{"late-records"} // a bound of seconds means nothing in another unit
}

func (m *maker) splitUnit() {
	s := m.sources[0]
	split := m.r.IntN(len(s.splits))
	slow, ahead := m.chance(0.5), oneOf(m.r, int64(1000), 1000, 1_000_000)
	s.each(split, func(p *records.Phase) {
		p.Times = ahead
		if slow {
			p.Times, p.Per = 0, 1000
		}
	})
	m.blame("critical", 0, "epoch-unit")
	if !slow {
		m.truth.Severity = "warning" // nothing waits for it: its own records are in windows that never close
	}
	m.atSplit(split)
	m.truth.Also = []string{"late-records"}
	// A split that is ahead does not show in a minimum, and older versions have no gauges of
	// splits.
	if !slow && !m.version.AtLeast(2, 1, 0) && s.shares(split) > 1 {
		m.truth.Hidden, m.truth.Harmless = true, true
	}
	if !m.version.AtLeast(2, 1, 0) {
		m.truth.Split = ""
	}
}

func (m *maker) wrongZone() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	hours := oneOf(m.r, int64(-8), -5, -2, 1, 2, 5, 8, 9)
	s.all(func(p *records.Phase) { p.ShiftMs += hours * 3_600_000 })
	m.blame("critical", i, "zone-shift")
	if hours < 0 {
		m.truth.Severity = "warning" // hours late: a backlog looks the same
		m.truth.Causes = append(m.truth.Causes, "old-data", "bound-too-large")
	}
	m.truth.Also = []string{"late-records", "split-skew"}
}

const tenYearsMs = 3650 * 86_400_000

// future gives a split one record of the far future at a time.
func (m *maker) future(s *source, split int, at int64) {
	old := s.splits[split].Phases[0]
	before, one, after := old, old, old
	before.ToMs = at
	one.FromMs, one.ToMs, one.Count, one.LateMs, one.Jitter = at, at+1, 1, 0, 0
	one.ShiftMs += tenYearsMs
	after.FromMs = at + int64(old.EveryMs)
	s.splits[split].Phases = []records.Phase{before, one, after}
}

func (m *maker) futureStruck() {
	at := m.t0 - m.between(40_000, 80_000)
	for _, s := range m.sources {
		for i := range s.splits {
			m.future(s, i, at)
		}
	}
	m.blame("critical", -1, "future-record")
	m.truth.Also = []string{"late-records", "epoch-unit"}
}

func (m *maker) futureLatent() {
	s := m.sources[0]
	split := m.r.IntN(len(s.splits))
	m.future(s, split, m.t0-m.between(30_000, 80_000))
	m.blame("warning", 0, "future-record")
	m.atSplit(split)
	if !m.version.AtLeast(2, 1, 0) {
		m.truth.Split = ""
		if s.shares(split) > 1 {
			m.truth.Hidden, m.truth.Harmless = true, true
		}
	}
}

func (m *maker) boundTooLarge() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	s.strategy.BoundMs = m.notAZone()
	s.all(func(p *records.Phase) { p.LateMs = 0 })
	m.blame("warning", i, "bound-too-large")
	if m.shape.sql() || s.opaque {
		m.truth.Causes = append(m.truth.Causes, "old-data") // the age of the records that were read is unknown
	}
}

// notAZone is a time of 4 to 26 minutes that is not near a multiple of a quarter of an hour, as
// time zones are.
func (m *maker) notAZone() int64 {
	if m.chance(0.5) {
		return 60_000 * m.between(4, 12)
	}
	return 60_000 * m.between(18, 26)
}

func (m *maker) oldData() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	behind := m.notAZone()
	s.all(func(p *records.Phase) { p.ShiftMs -= behind })
	m.blame("warning", i, "old-data")
	m.truth.Also = []string{"split-skew", "late-records"}
}

func (m *maker) skew() {
	s := m.sources[0]
	split := m.r.IntN(len(s.splits))
	behind := m.notAZone()
	s.each(split, func(p *records.Phase) { p.ShiftMs -= behind })
	m.blame("warning", 0, "split-skew")
	m.atSplit(split)
	if !m.version.AtLeast(2, 1, 0) {
		m.truth.Hidden = s.shares(split) > 1 || len(m.sources[0].splits) == 1
		m.truth.Split = ""
		m.truth.Causes = append(m.truth.Causes, "old-data", "bound-too-large")
	}
}
