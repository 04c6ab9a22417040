package random

import "tidemark/internal/worlds/records"

// driftBelowIdle is an alignment group whose idle timeout is longer than its drift: when a member
// falls silent, the others pause until it is idle. Only a plan of Flink SQL 1.x shows both.
func (m *maker) driftBelowIdle() {
	drift := 1000 * m.between(5, 10)
	m.align(drift)
	for _, s := range m.sources {
		s.strategy.BoundMs = m.sources[0].strategy.BoundMs
		s.strategy.IdleMs = drift + 1000*m.between(10, 30)
		s.all(func(p *records.Phase) { p.LateMs, p.EveryMs = 0, min(p.EveryMs, 500) })
	}
	m.blame("warning", -1, "drift-below-idle")
	m.truth.Hidden = !m.shape.sql() || m.version.AtLeast(2, 0, 0)
	m.truth.Harmless = m.truth.Hidden
}

// throttled replays hours of history in an alignment group with a small drift: each second, event
// time gains at most the drift.
func (m *maker) throttled() {
	m.start = m.t0 - m.between(60_000, 120_000)
	m.align(1000 * m.between(2, 5))
	history := m.between(60*60_000, 120*60_000)
	for _, s := range m.sources {
		s.strategy.BoundMs, s.strategy.IdleMs = m.sources[0].strategy.BoundMs, 0
		s.cost = 10 // between two emissions a source reads past the drift: less than half of its time is enough
		s.all(func(p *records.Phase) {
			p.FromMs, p.EveryMs, p.LateMs, p.ShiftMs = m.start-history, 500, 0, 0
		})
	}
	m.blame("warning", -1, "alignment-throttle")
	if m.version.AtLeast(2, 3, 0) { // compares with an older announcement, and soon catches up
		m.blame("info", -1, "source-backlog", "alignment-throttle")
		m.truth.Harmless = true
	}
	m.truth.Also = []string{"source-backlog", "split-skew", "old-data"} // old-data where no gauge shows what waits
}
