package random

import "tidemark/internal/worlds/records"

func (m *maker) late() {
	for _, s := range m.sources {
		s.strategy.BoundMs = oneOf(m.r, int64(0), 1000, 2000)
		if m.shape.sql() {
			s.strategy.BoundMs = max(s.strategy.BoundMs, 1000)
		}
		late := m.between(60_000, 150_000)
		s.all(func(p *records.Phase) { p.LateMs, p.LateEvery = late, oneOf(m.r, 2, 3, 6) })
	}
	m.closed = true
	m.blame("critical", placeWindow, "late-records")
	m.truth.Loses = true
	m.truth.Also = []string{"split-skew"} // which split is ahead depends on chance
}

// falseIdle gives a source an idle timeout far below the distance between its records.
func (m *maker) falseIdle() {
	s := m.sources[0]
	s.parallelism = min(max(s.parallelism, 2), len(s.splits))
	s.strategy.IdleMs, s.strategy.BoundMs = oneOf(m.r, int64(500), 700, 1000), 1000
	slow := m.r.IntN(s.parallelism)
	for i := range s.splits {
		s.each(i, func(p *records.Phase) {
			p.LateMs, p.EveryMs = 0, 200
			if s.owner(i) == slow {
				// Each record is older than any open window of the others, and late, because the
				// subtask is idle between two of them.
				p.EveryMs, p.ShiftMs = float64(m.between(4000, 7000)), -90_000
			}
		})
	}
	m.closed = true
	m.blame("warning", -1, "false-idle", "late-records")
	m.truth.Loses = true
	m.truth.Also = []string{"late-records", "false-idle", "split-skew"}
}

func (m *maker) alignmentStall() {
	m.align(1000 * m.between(5, 20))
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	at := m.t0 - m.between(85_000, 120_000)
	m.older(at)
	for k := range s.splits {
		s.stop(k, at)
	}
	m.blame("critical", -1, "alignment-stall")
	m.truth.Stalls = true
	m.truth.Also = []string{"quiet-input", "idle-split", "idle-subtask"}
}

func (m *maker) operatorStall() {
	m.stall = m.t0 - m.between(70_000, 90_000)
	m.older(m.stall)
	m.blame("critical", placeMiddle, "operator-stall")
	m.truth.Stalls = true
}

func (m *maker) assigner() {
	m.blame("warning", -1, "assigner-downstream")
	if m.sources[0].opaque && !m.version.AtLeast(2, 1, 0) {
		m.truth.Hidden, m.truth.Harmless = true, true // no gauge shows that a subtask has several splits
	}
}

func (m *maker) restartLoop() {
	m.checkMs = oneOf(m.r, int64(0), 5000)
	every := m.between(12_000, 45_000)
	n := int(m.between(4, 12))
	m.start = m.t0 - int64(n)*every - m.between(2000, 10_000)
	m.restarts(every, n+1)
	m.blame("critical", -1, "restart-loop")
	m.truth.Also = []string{"never-emitted", "idle-split", "late-records"}
}

// Placeholders for operators until they are built.
const (
	placeMiddle = -2 // behind the first exchange
	placeWindow = -3 // uses event time
	placeSink   = -4
)

func (m *maker) slowOperator() {
	m.pressed(0)
	m.blame("warning", placeMiddle, "backpressure")
	m.truth.Also = []string{"source-backlog"}
}

// pressed plants an operator that needs more time than it has.
func (m *maker) pressed(hot float64) {
	rate := 0.0 // records per second of all sources
	for _, s := range m.sources {
		s.everyMs = float64(len(s.splits)) * 100
		for i := range s.splits {
			s.splits[i].Hot = hot
			s.each(i, func(p *records.Phase) { p.EveryMs, p.LateMs = s.everyMs, 0 })
		}
		rate += 10
	}
	m.start = m.t0 - m.between(240_000, 400_000)
	m.fromStart()
	// Each subtask must have more than a second of work per second, with at most 3 subtasks or as
	// many as the source has.
	m.cost = 1000 / rate * float64(max(3, m.sources[0].parallelism)) * (1.3 + m.r.Float64())
	if hot > 0 {
		m.cost = 1000 / rate / hot * (1.2 + m.r.Float64()/2)
	}
}

func (m *maker) hotKey() {
	m.hot = true
	m.pressed(0.8)
	m.blame("warning", placeMiddle, "backpressure")
	m.truth.Also = []string{"source-backlog"}
}

// backlog starts a job behind an hour of history, read at a few times its rate.
func (m *maker) backlog() {
	s := m.sources[0]
	m.start = m.t0 - m.between(60_000, 100_000)
	s.everyMs = float64(len(s.splits)) * 500
	history := m.between(30*60_000, 90*60_000)
	s.all(func(p *records.Phase) { p.FromMs, p.EveryMs, p.LateMs = m.start-history, s.everyMs, 0 })
	s.cost = 1000.0 / 8 * float64(s.parallelism) // four times the rate of new records
	m.blame("info", 0, "source-backlog")
	m.truth.Also = []string{"backpressure", "split-skew"}
}
