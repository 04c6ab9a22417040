package random

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// shape is the graph of a world.
type shape uint8

const (
	plain            shape = iota // source, window
	mapped                        // source, chained map, window
	rebalanced                    // source, rebalanced maps, window
	forwarded                     // source, unchained map of the same parallelism, window
	union                         // sources, window
	connected                     // source connected with a broadcast source, window
	joined                        // two sources, interval join
	assigned                      // source, assigner in its chain, window
	cep                           // source, CEP
	function                      // source, keyed process function, window
	sqlWindow                     // scan, local and global window aggregate
	sqlOver                       // scan, OVER
	sqlJoin                       // two scans, interval join, window
	sqlUnion                      // two scans, union, window
	sqlTemporal                   // two scans, event-time temporal join
	processing                    // SQL, processing-time windows
	stateless                     // no operator that uses event time
	unchained                     // source, two maps of the same parallelism in tasks of their own, window
	current                       // SQL, CURRENT_WATERMARK in an expression, in one task
	timers                        // keyed user function, no window
	processingStream              // DataStream, processing-time window
	shapes                        // number of shapes
)

// wants is what a fault needs from the graph; the zero value accepts any.
type wants struct {
	shapes     []shape
	idle       int  // 1 = an idle timeout on every source, -1 = none on any
	splits     int  // splits of the first source, at least
	perSubtask int  // splits per subtask of the first source, at least
	quick      bool // frequent records
}

// source is one source before it is built.
type source struct {
	name        string
	parallelism int
	splits      []records.Schedule
	strategy    job.Strategy
	align       *engine.AlignmentConfig
	everyMs     float64
	bounded     bool
	opaque      bool
	cost        float64 // of an operator chained behind it, ms per record
}

var sourceNames = []string{"Orders", "payments", "Clicks (eu)", "sensor.readings", "Trades: fast", "audit_log", "Shipments", "Kafka[users]"}

// eventTime are the shapes that use event time.
var eventTime = []shape{plain, plain, mapped, rebalanced, forwarded, union, connected, joined, assigned, cep, function, sqlWindow, sqlWindow, sqlOver, sqlJoin, sqlUnion}

// multi are the shapes with several inputs.
var multi = []shape{union, connected, joined, sqlJoin, sqlUnion}

func (s shape) sql() bool { return s >= sqlWindow && s <= processing || s == current }

func (s shape) usesEventTime() bool {
	return s != stateless && s != processing && s != timers && s != processingStream
}

func (m *maker) draw(w wants) {
	of := w.shapes
	if of == nil {
		of = eventTime
	}
	m.shape = of[m.r.IntN(len(of))]
	n := 1
	switch m.shape {
	case union:
		n = 2 + m.r.IntN(3)
	case connected, joined, sqlJoin, sqlUnion, sqlTemporal:
		n = 2
	}
	first := m.r.IntN(len(sourceNames))
	idle := w.idle
	if idle == 0 {
		idle = oneOf(m.r, 1, -1)
	}
	for i := range n {
		m.sources = append(m.sources, m.drawSource(sourceNames[(first+i)%len(sourceNames)], idle > 0, w))
	}
}

func (m *maker) drawSource(name string, idle bool, w wants) *source {
	s := &source{name: name, parallelism: 1 + m.r.IntN(4)}
	n := max(s.parallelism*(1+m.r.IntN(2)), w.splits)
	n = max(min(n, 6), s.parallelism)
	if w.perSubtask > 0 {
		s.parallelism = min(s.parallelism, 3)
		n = max(n, s.parallelism*w.perSubtask)
	}
	s.strategy.IntervalMs = 200
	s.strategy.BoundMs = oneOf(m.r, 0, int64(1000), 2000, 5000, 10_000)
	if s.strategy.SQL = m.shape.sql(); s.strategy.SQL {
		s.strategy.BoundMs = max(s.strategy.BoundMs, 1000)
	}
	if idle {
		s.strategy.IdleMs = oneOf(m.r, int64(5000), 10_000, 30_000)
	}
	total := oneOf(m.r, 2.0, 6, 15, 30) / float64(1+len(m.sources)) // records per second
	if w.quick {
		total = max(total, 3)
	}
	s.everyMs = 1000 * float64(n) / total
	if idle {
		s.everyMs = min(s.everyMs, float64(s.strategy.IdleMs)/3)
	}
	shift := -m.between(0, 1500)
	for i := range n {
		s.splits = append(s.splits, m.schedule(s, uint64(i), shift))
	}
	s.opaque = !m.shape.sql() && m.chance(0.1)
	return s
}

// schedule is an ordinary split: from before the job until after the last moment.
func (m *maker) schedule(s *source, seed uint64, shift int64) records.Schedule {
	late := int64(0)
	if s.strategy.BoundMs > 0 && m.chance(0.5) {
		late = s.strategy.BoundMs * 9 / 10
	}
	return records.Schedule{Seed: m.r.Uint64() ^ seed, Keys: 40, Phases: []records.Phase{{
		FromMs: m.start - 5000 + int64(m.r.Float64()*s.everyMs), ToMs: m.t1 + 60_000, EveryMs: s.everyMs, Jitter: 0.5, ShiftMs: shift, LateMs: late}}}
}

// each changes the phases of one split.
func (s *source) each(split int, change func(p *records.Phase)) {
	for i := range s.splits[split].Phases {
		change(&s.splits[split].Phases[i])
	}
}

// all changes the phases of every split.
func (s *source) all(change func(p *records.Phase)) {
	for i := range s.splits {
		s.each(i, change)
	}
}

// owner is the subtask that reads a split.
func (s *source) owner(split int) int { return split % s.parallelism }

// shares lists the splits of the subtask that reads a split.
func (s *source) shares(split int) int {
	n := 0
	for i := range s.splits {
		if s.owner(i) == s.owner(split) {
			n++
		}
	}
	return n
}

func (s *source) topic() string { return "t-" + fmt.Sprint(len(s.name)) + "-" + s.name[:3] }

func (s *source) splitID(split int) string {
	return job.Split{Topic: s.topic(), Partition: split}.ID()
}
