package random

import "tidemark/internal/worlds/records"

// restarts lets the job fail n times from its start on, a run every so many ms.
func (m *maker) restarts(every int64, n int) {
	for k := range n + 1 {
		start := m.start + int64(k)*every
		if k > 0 {
			m.fails = append(m.fails, failure(start-3000))
		}
		m.starts = append(m.starts, start)
	}
	m.fromStart()
}

// restartsEnded is a job that failed several times within minutes and has run since.
func (m *maker) restartsEnded() {
	m.checkMs = 5000
	every := m.between(20_000, 40_000)
	n := int(m.between(3, 6))
	last := m.t0 - m.between(90_000, 200_000)
	m.start = last - int64(n)*every
	m.restarts(every, n)
	m.blame("warning", -1, "restarts-ended")
	m.truth.Also = []string{"late-records-past"}
}

// wentBack is a source whose producers began again at records of an hour ago.
func (m *maker) wentBack() {
	s := m.sources[0]
	at := m.t0 - m.between(70_000, 110_000)
	m.older(at)
	by := 60_000 * m.between(20, 90)
	s.strategy.IdleMs = 0
	for i := range s.splits {
		before := s.splits[i].Phases[0]
		before.LateMs = 0
		after := before
		before.ToMs, after.FromMs, after.ShiftMs = at, at, before.ShiftMs-by
		s.splits[i].Phases = []records.Phase{before, after}
	}
	m.blame("critical", 0, "records-went-back")
	m.truth.Stalls = true
	m.truth.Also = []string{"late-records", "old-data"}
	m.truth.Hidden = s.opaque // where a subtask has several splits, no gauge shows whether each was read
	if m.shape.sql() {        // the plan's rows show no event time: a time column that stands looks the same
		m.truth.Causes = append(m.truth.Causes, "generator-stopped")
	}
}
