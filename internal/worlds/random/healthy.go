package random

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

func (m *maker) healthy() {}

// silence leaves a split without records.
func (s *source) silence(split int) { s.splits[split].Phases = nil }

// stop ends a split at a time.
func (s *source) stop(split int, at int64) {
	s.each(split, func(p *records.Phase) { p.ToMs = min(p.ToMs, at) })
}

func (m *maker) lowRate() {
	m.start = m.t0 - m.between(30*60_000, 90*60_000)
	for _, s := range m.sources {
		s.parallelism = min(s.parallelism, 2)
		if len(s.splits) > 2 {
			s.splits = s.splits[:2]
		}
		s.parallelism = min(s.parallelism, len(s.splits))
		every := 1000 * float64(m.between(20, 60))
		for i := range s.splits {
			s.each(i, func(p *records.Phase) {
				p.FromMs, p.EveryMs, p.Jitter = m.start-int64(m.r.Float64()*every), every, 0.3
				p.LateMs = 0
			})
		}
	}
}

func (m *maker) idleForward() {
	s := m.sources[0]
	s.parallelism = max(s.parallelism, 2)
	for len(s.splits) < s.parallelism {
		s.splits = append(s.splits, m.schedule(s, uint64(len(s.splits)), 0))
	}
	quiet := m.r.IntN(s.parallelism)
	at := m.t0 - m.between(60_000, 80_000)
	for i := range s.splits {
		if s.owner(i) != quiet {
			continue
		}
		if m.chance(0.5) {
			s.silence(i)
		} else {
			s.stop(i, at)
		}
	}
}

func (m *maker) declared() {
	s := m.sources[0]
	quiet := m.r.IntN(len(s.splits))
	if m.chance(0.5) {
		s.silence(quiet)
		return
	}
	s.stop(quiet, m.t0-m.between(int64(s.everyMs)+2*s.strategy.IdleMs, 85_000))
}

func (m *maker) excessDeclared() {
	s := m.sources[0]
	s.parallelism = len(s.splits) + 1 + m.r.IntN(2)
}

// allQuiet ends every source at the same moment: the last window waits, which is not a fault.
func (m *maker) allQuiet() {
	at := m.t0 - m.between(20_000, 75_000)
	for _, s := range m.sources {
		for i := range s.splits {
			s.stop(i, at)
		}
	}
}

func (m *maker) justStarted() {
	m.truth.Young = true
	m.start = m.t0 - m.between(3000, 40_000)
	for _, s := range m.sources {
		for i := range s.splits {
			s.each(i, func(p *records.Phase) { p.FromMs = m.start - int64(m.r.Float64()*s.everyMs) })
		}
	}
}

func (m *maker) noEventTime() {
	s := m.sources[0]
	s.strategy = job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}
	if m.chance(0.3) {
		s.silence(m.r.IntN(len(s.splits)))
	}
}

func (m *maker) align(driftMs int64) {
	for _, s := range m.sources {
		s.align = &engine.AlignmentConfig{Group: "g", MaxDriftMs: driftMs, UpdateMs: 1000, Samples: -1}
	}
}

func (m *maker) alignedHealthy() {
	m.align(1000 * m.between(45, 90))
	for _, s := range m.sources {
		s.strategy.BoundMs = m.sources[0].strategy.BoundMs
		s.all(func(p *records.Phase) { p.LateMs = min(p.LateMs, s.strategy.BoundMs*9/10) })
		if s.strategy.IdleMs > 0 {
			s.strategy.IdleMs = 30_000
		}
	}
}

func (m *maker) restoredOnce() {
	m.checkMs = 10_000
	failed := m.t0 - m.between(150_000, 240_000)
	m.start = failed - m.between(120_000, 300_000)
	m.fromStart()
	m.starts = []int64{m.start, failed + 3000}
	m.fails = []job.Failure{failure(failed)}
}

func failure(at int64) job.Failure {
	return job.Failure{AtMs: at, Task: "Parse (1/2)", Exception: "java.lang.RuntimeException: connection reset",
		Stack: "\tat com.example.Lookup.map(Lookup.java:41)\n\tat org.apache.flink.streaming.api.operators.StreamMap.processElement(StreamMap.java:38)"}
}
