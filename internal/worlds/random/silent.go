package random

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// blame sets the place of the fault: the vertex of a source.
func (m *maker) blame(severity string, source int, causes ...string) {
	m.truth.Severity, m.truth.Operator, m.truth.Causes = severity, source, causes
}

// atSplit narrows the place to a split: its subtask, and its name if any gauge names splits.
func (m *maker) atSplit(split int) {
	s := m.sources[m.truth.Operator]
	m.truth.Subtasks = []int{s.owner(split)}
	if !s.opaque || m.version.AtLeast(2, 1, 0) {
		m.truth.Split = s.splitID(split)
	}
}

// unseen notes that no gauge of this version distinguishes the splits of an opaque source, so
// that one of several in a subtask can only be suspected.
func (m *maker) unseen(split int) {
	s := m.sources[m.truth.Operator]
	if s.opaque && !m.version.AtLeast(2, 1, 0) && s.shares(split) > 1 {
		m.truth.Hidden = true
		m.truth.Causes = append(m.truth.Causes, "generator-stopped") // looks the same
	}
}

// neverSeen adds what a split without a first record looks like where no gauge shows it.
func (m *maker) neverSeen() {
	if m.truth.Hidden {
		m.truth.Causes = append(m.truth.Causes, "never-emitted") // a source without a strategy
	}
}

func (m *maker) quietSplit(split int) {
	s := m.sources[0]
	causes := []string{"idle-split"}
	if s.shares(split) == 1 {
		causes = append(causes, "idle-subtask")
		if s.opaque && !m.version.AtLeast(2, 1, 0) {
			causes = append(causes, "excess-parallelism") // a subtask that never sent: no gauge shows whether it has a split
		}
	}
	m.blame("critical", 0, causes...)
	m.truth.Stalls = true
	m.atSplit(split)
	m.unseen(split)
}

func (m *maker) neverSent() {
	split := m.r.IntN(len(m.sources[0].splits))
	m.sources[0].silence(split)
	m.quietSplit(split)
	m.neverSeen()
}

// quietFor is a silence that is long for the rhythm of the source and above every threshold.
func (m *maker) quietFor(s *source) int64 {
	return m.t0 - m.between(max(75_000, int64(15*s.everyMs)), max(85_000, int64(25*s.everyMs)))
}

// fromStart lets records begin a little before the job does.
func (m *maker) fromStart() {
	for _, s := range m.sources {
		s.all(func(p *records.Phase) { p.FromMs = m.start - 5000 })
	}
}

func (m *maker) older(at int64) {
	if m.start > at-60_000 {
		m.start = at - m.between(60_000, 200_000)
		m.fromStart()
	}
}

func (m *maker) fellSilent() {
	s := m.sources[0]
	split := m.r.IntN(len(s.splits))
	at := m.quietFor(s)
	m.older(at)
	s.stop(split, at)
	m.quietSplit(split)
}

func (m *maker) silentSubtask() {
	s := m.sources[0]
	at := m.quietFor(s)
	m.older(at)
	s.parallelism = max(s.parallelism, 2)
	quiet := m.r.IntN(s.parallelism)
	for i := range s.splits {
		if s.owner(i) == quiet {
			s.stop(i, at)
		}
	}
	if len(s.splits) <= s.parallelism {
		s.splits = append(s.splits, m.schedule(s, 77, 0))
		if s.owner(len(s.splits)-1) == quiet {
			s.stop(len(s.splits)-1, at)
		}
	}
	m.blame("critical", 0, "idle-subtask", "idle-split")
	m.truth.Stalls = true
	m.truth.Subtasks = []int{quiet}
}

func (m *maker) excess() {
	s := m.sources[0]
	free := 1 + m.r.IntN(2)
	s.parallelism = len(s.splits) + free
	m.blame("critical", 0, "excess-parallelism")
	m.truth.Stalls = true
	for i := range free {
		m.truth.Subtasks = append(m.truth.Subtasks, len(s.splits)+i)
	}
	if s.opaque {
		m.truth.Causes = append(m.truth.Causes, "idle-subtask")
	}
}

func (m *maker) quietInput() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	for k := range s.splits {
		s.silence(k)
	}
	m.blame("critical", i, "quiet-input", "idle-split", "idle-subtask", "excess-parallelism")
	m.truth.Stalls = true
}

func (m *maker) stoppedInput() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	at := m.quietFor(s)
	m.older(at)
	for k := range s.splits {
		s.stop(k, at)
	}
	m.blame("critical", i, "quiet-input", "idle-split", "idle-subtask")
	m.truth.Stalls = true
}

// sparseInput is an input with a record every few minutes: all others wait for it, by design or
// not.
func (m *maker) sparseInput() {
	i := m.r.IntN(len(m.sources))
	s := m.sources[i]
	s.parallelism, s.splits = 1, s.splits[:1]
	m.start = m.t0 - m.between(40*60_000, 60*60_000)
	every := m.between(150_000, 300_000)
	for k, other := range m.sources {
		other.all(func(p *records.Phase) {
			p.FromMs, p.EveryMs = m.start-5000, max(p.EveryMs, 3000)
			if k == i {
				p.FromMs, p.EveryMs, p.Jitter, p.LateMs = m.t0-m.between(every/2, every-40_000)-8*every, float64(every), 0, 0
			}
		})
	}
	m.blame("info", i, "sparse-input", "quiet-input", "idle-split", "idle-subtask")
}

func (m *maker) neverEmitted() {
	s := m.sources[0]
	m.blame("critical", 0, "never-emitted")
	m.truth.Stalls = true
	if m.shape.sql() {
		// A table without WATERMARK is refused at an event-time window; only the setting remains.
		s.strategy.IntervalMs = 0
		return
	}
	switch m.r.IntN(3) {
	case 0:
		s.strategy.Kind, s.strategy.BoundMs = engine.NoWatermarks, 0
	case 1:
		s.strategy.Own = job.Silent
	default:
		s.strategy.IntervalMs = 0
	}
	s.strategy.IdleMs = 0
}

func (m *maker) generatorStopped() {
	s := m.sources[0]
	at := m.quietFor(s)
	m.older(at)
	s.strategy.Own, s.strategy.FromMs = job.Stops, at
	m.blame("critical", 0, "generator-stopped", "emission-stopped", "never-emitted")
	m.truth.Stalls = true
}

func (m *maker) wallClock() {
	s := m.sources[0]
	s.strategy.Own = job.Clock
	s.strategy.BoundMs = oneOf(m.r, int64(0), 500, 1000)
	s.all(func(p *records.Phase) { p.LateMs = 0 })
	at := m.t0 - m.between(40_000, 80_000)
	for i := range s.splits {
		s.stop(i, at)
	}
	m.blame("warning", 0, "wall-clock-generator")
}

func (m *maker) endOfInput() {
	history, live := m.sources[0], m.sources[1:]
	history.bounded = true
	m.start = m.t0 - m.between(90_000, 200_000)
	for i := range history.splits {
		history.each(i, func(p *records.Phase) {
			p.FromMs, p.ToMs = m.start-60_000, m.start-1000
		})
	}
	for _, s := range live {
		for k := range s.splits {
			s.silence(k)
		}
	}
	m.blame("critical", -1, "end-of-input-max")
	m.truth.Stalls = true
}
