package random

import "tidemark/internal/worlds/records"

// slowWindow is an operator that uses event time, SQL or not, and needs more time than it has.
func (m *maker) slowWindow() {
	m.pressed(0)
	m.windowCost, m.cost = m.cost, 0
	m.blame("warning", placeWindow, "backpressure")
	m.truth.Also = []string{"source-backlog"}
}

// slowChained is a slow operator chained to its source: there is no back pressure, the source is
// busy.
func (m *maker) slowChained() {
	m.pressed(0)
	s := m.sources[0]
	fewest := len(s.splits)
	for i := range s.splits {
		fewest = min(fewest, s.shares(i))
	}
	s.cost, m.cost = 100*float64(len(s.splits))/float64(fewest)*(1.3+m.r.Float64()), 0
	m.blame("warning", 0, "source-backlog", "backpressure")
	m.truth.Hidden = s.opaque // only the pending records show whether it falls behind or catches up
	m.truth.Also = []string{"split-skew"}
}

// slowEmpty is a slow operator behind a source with more subtasks than partitions and an idle
// timeout.
func (m *maker) slowEmpty() {
	for _, s := range m.sources {
		s.strategy.IdleMs = oneOf(m.r, int64(5000), 10_000)
	}
	s := m.sources[0]
	if m.shape == rebalanced || m.shape == function || m.shape == connected {
		s.parallelism = len(s.splits) + 1 + m.r.IntN(4)
	}
	m.pressed(0)
	m.start = m.t0 - m.between(70_000, 250_000)
	m.blame("warning", placeMiddle, "backpressure")
	m.truth.Also = []string{"source-backlog", "late-records", "false-idle"} // the idleness clock does not pause up to 1.20.0
	m.truth.Mild = []string{"excess-parallelism", "idle-subtask"}
}

// backlogApart is a replay with splits that are hours apart: it must catch up, and one split
// keeps the state of the others.
func (m *maker) backlogApart() {
	m.backlog()
	m.truth.Also = append(m.truth.Also, "split-skew")
	s := m.sources[0]
	split := m.r.IntN(len(s.splits))
	behind := m.between(60, 240)*60_000 + 200_000
	s.each(split, func(p *records.Phase) { p.ShiftMs -= behind })
	second := Truth{Severity: "warning", Operator: 0, Causes: []string{"split-skew", "alignment-missing"}, Subtasks: []int{s.owner(split)}, Hidden: s.shares(split) > 1} // it depends on chance which split a reader reads first
	m.truth.Second = &second
}

// oldUnknown is old data from a connector without pendingRecords.
func (m *maker) oldUnknown() {
	m.sources[0].opaque = true
	s := m.sources[0]
	behind := m.notAZone()
	s.all(func(p *records.Phase) { p.ShiftMs -= behind })
	m.blame("warning", 0, "old-data", "bound-too-large")
	m.truth.Also = []string{"split-skew", "late-records"}
}

// lateByQuarters is data that is late by about a quarter of an hour or a multiple: it looks like
// a time zone.
func (m *maker) lateByQuarters() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	behind := 15*60_000*m.between(1, 8) + m.between(-60_000, 60_000)
	s.all(func(p *records.Phase) { p.ShiftMs -= behind })
	m.blame("warning", i, "zone-shift", "old-data")
	m.truth.Also = []string{"late-records", "split-skew", "bound-too-large"}
}

// falseIdleWithin plants an idle timeout below the distance between records in other graphs, and
// within one subtask.
func (m *maker) falseIdleWithin() {
	m.falseIdle()
	s := m.sources[0]
	s.parallelism = 1
	for i := range s.splits {
		s.each(i, func(p *records.Phase) {
			p.EveryMs, p.ShiftMs = 200, -500
			if i == 0 {
				p.EveryMs, p.ShiftMs = float64(m.between(4000, 7000)), -90_000
			}
		})
	}
}

// splitUnitStopped is a split in another unit that has stopped sending records.
func (m *maker) splitUnitStopped() {
	m.splitUnit()
	s := m.sources[0]
	at := m.t0 - m.between(20_000, 60_000)
	for i := range s.splits {
		if s.splits[i].Phases[0].Times != 0 || s.splits[i].Phases[0].Per != 0 {
			s.stop(i, at)
		}
	}
	if !m.version.AtLeast(2, 1, 0) && s.strategy.IdleMs > 0 {
		m.truth.Hidden, m.truth.Harmless = true, true // idle by now, and no gauge shows what it read
	}
	m.truth.Also = append(m.truth.Also, "idle-split", "idle-subtask", "future-record")
	m.truth.Causes = append(m.truth.Causes, "future-record")
}
