package random

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// build builds the graph of the shape.
func (m *maker) build(seed uint64) *job.Job {
	for i, s := range m.sources {
		m.add(m.sourceOperator(i, s))
	}
	// Operators chained behind a source come after all sources, so that sources have indices 0 to
	// n-1.
	out := make([]int, len(m.sources))
	for i, s := range m.sources {
		out[i] = m.behind(i, s)
	}
	m.downstream(out)
	switch m.truth.Operator {
	case placeMiddle:
		m.truth.Operator = m.middle
	case placeWindow:
		m.truth.Operator = m.window
	case placeSink:
		m.truth.Operator = m.sink
	}
	m.truth.Uses = m.window
	if !m.shape.sql() && m.shape.usesEventTime() && m.chance(0.15) {
		m.addHealthyGraph()
	}
	m.truth.Unknown = m.shape == joined
	if m.starts == nil {
		m.starts = []int64{m.start}
	}
	return &job.Job{Name: fmt.Sprintf("world-%d-%s", seed, m.truth.Fault), Flink: m.version, StartsMs: m.starts, Failures: m.fails, EndMs: m.end, State: m.state, CheckpointMs: m.checkMs, Operators: m.ops}
}

// addHealthyGraph adds a second, healthy graph to the job.
func (m *maker) addHealthyGraph() {
	s := m.drawSource("beside", true, wants{})
	from := m.add(m.sourceOperator(-1, s))
	if m.shape == assigned {
		m.ops[from].Source.Strategy = s.strategy
	}
	audit := m.add(job.Operator{Name: "AuditWindow", Parallelism: 1, Inputs: m.to(engine.Hash, from), Work: job.Work{Kind: job.Window, Window: engine.WindowSpec{SizeMs: 60_000}},
		Text: "Window(TumblingEventTimeWindows(60000), EventTimeTrigger, Sum, PassThroughWindowFunction)"})
	m.add(job.Operator{Name: m.sinkName(), Parallelism: 1, Chained: true, Inputs: []job.Input{{From: []int{audit}}}, Work: job.Work{Kind: job.Sink}})
}

func (m *maker) add(op job.Operator) int {
	m.ops = append(m.ops, op)
	return len(m.ops) - 1
}

func (m *maker) sourceOperator(i int, s *source) job.Operator {
	src := &job.Source{Strategy: s.strategy, Align: s.align, Bounded: s.bounded, ArrivalStamps: m.shape.sql()}
	if s.opaque {
		src.Connector = job.Opaque
	}
	for k, records := range s.splits {
		src.Splits = append(src.Splits, job.Split{Topic: s.topic(), Partition: k, Subtask: s.owner(k), Records: records})
		if i == 0 {
			src.Splits[k].ToMs = m.ends[k]
		}
	}
	op := job.Operator{Name: "Source: " + s.name, Parallelism: s.parallelism, Source: src}
	if m.shape == assigned {
		src.Strategy = job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}
	}
	if m.shape.sql() {
		m.scan(&op, i, s)
	}
	return op
}

// behind adds the operators chained to a source and returns the last of them.
func (m *maker) behind(i int, s *source) int {
	from := i
	chained := func(op job.Operator) {
		op.Parallelism, op.Chained, op.Inputs = s.parallelism, true, []job.Input{{From: []int{from}}}
		from = m.add(op)
	}
	if s.cost > 0 || m.shape == mapped || m.shape == assigned {
		chained(job.Operator{Name: "Parse", CostMs: s.cost})
	}
	if m.shape == assigned {
		chained(job.Operator{Name: "Timestamps/Watermarks", Work: job.Work{Kind: job.Assign, Strategy: s.strategy}})
	}
	if m.batchMs > 0 {
		chained(m.miniBatchOp())
	}
	if m.shape.sql() {
		chained(m.calc(i))
	}
	if m.shape == sqlWindow {
		chained(m.localAgg())
	}
	return from
}

func (m *maker) to(ship engine.Ship, from ...int) []job.Input {
	return []job.Input{{Ship: ship, From: from}}
}

// downstream adds the operators behind the first exchange.
func (m *maker) downstream(out []int) {
	p := 1 + m.r.IntN(3)
	switch m.shape {
	case rebalanced:
		m.middle = m.add(m.slow(job.Operator{Name: "Enrich", Parallelism: 1 + m.r.IntN(3), Inputs: m.to(engine.Rebalance, out[0])}))
		out = []int{m.middle}
		if m.chance(0.5) {
			out = []int{m.add(job.Operator{Name: "Clean", Parallelism: 1 + m.r.IntN(3), Inputs: m.to(engine.Rebalance, out[0])})}
		}
	case forwarded:
		m.middle = m.add(m.slow(job.Operator{Name: "Normalize", Parallelism: m.sources[0].parallelism, Inputs: m.to(engine.Forward, out[0])}))
		out = []int{m.middle}
	case unchained:
		parse := m.add(job.Operator{Name: "Parse", Parallelism: m.sources[0].parallelism, Inputs: m.to(engine.Forward, out[0])})
		m.middle = m.add(m.slow(job.Operator{Name: "Normalize", Parallelism: m.sources[0].parallelism, Inputs: m.to(engine.Forward, parse)}))
		out = []int{m.middle}
	case connected:
		m.middle = m.add(m.slow(job.Operator{Name: "ApplyRules", Parallelism: p, Inputs: []job.Input{{Ship: engine.Hash, From: out[:1]}, {Ship: engine.Broadcast, From: out[1:]}}}))
		out = []int{m.middle}
	case function:
		if m.hot {
			p = max(p, 2)
			m.truth.Subtasks = []int{engine.KeySubtask(0, p, engine.DefaultMaxParallelism(p))}
		}
		m.middle = m.add(m.slow(job.Operator{Name: "Reminders", Parallelism: p, Inputs: m.to(engine.Hash, out[0])}))
		out = []int{m.middle}
	}
	m.uses(p, out)
}

// slow applies a planted fault to the operator in the middle.
func (m *maker) slow(op job.Operator) job.Operator {
	op.CostMs = m.cost
	if m.stall > 0 {
		op.Work = job.Work{Kind: job.Hold, FromMs: m.stall}
	}
	if m.swallows {
		op.Name = "Timestamps/Watermarks"
		op.Work = job.Work{Kind: job.Assign, Strategy: job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}}
	}
	return op
}

// uses adds the operator that uses event time, and the sink.
func (m *maker) uses(p int, out []int) {
	switch m.shape {
	case joined:
		m.window = m.add(job.Operator{Name: "OrderPayment", Parallelism: p, Inputs: []job.Input{{Ship: engine.Hash, From: out[:1]}, {Ship: engine.Hash, From: out[1:]}},
			Work: job.Work{Kind: job.IntervalJoin, Join: engine.IntervalJoinSpec{LowerMs: -m.between(1000, 60_000), UpperMs: m.between(0, 30_000)}}})
	case cep:
		m.window = m.add(job.Operator{Name: "CepOperator", Parallelism: p, Inputs: m.to(engine.Hash, out...), Work: job.Work{Kind: job.Wait, Buffer: engine.Match}})
	case stateless:
		m.window = m.add(job.Operator{Name: oneOf(m.r, "Enrich", "Filter valid", "ToJson"), Parallelism: p, Inputs: m.to(engine.Rebalance, out...)})
	case timers:
		m.window = m.add(job.Operator{Name: oneOf(m.r, "Debounce", "KeyedProcess", "Dedup"), Parallelism: p, Inputs: m.to(engine.Hash, out...)})
	case processingStream:
		m.window = m.add(job.Operator{Name: "TumblingProcessingTimeWindows", Parallelism: p, Inputs: m.to(engine.Hash, out...), Work: job.Work{Kind: job.ProcWindow, Window: engine.WindowSpec{SizeMs: 10_000}},
			Text: "Window(TumblingProcessingTimeWindows(10000, 0), ProcessingTimeTrigger, Sum, PassThroughWindowFunction)"})
	case current:
		m.currentUses(out[0])
		return
	case sqlWindow, sqlOver, sqlJoin, sqlUnion, sqlTemporal, processing:
		m.sqlUses(p, out)
		return
	default:
		m.window = m.add(m.streamWindow(p, out))
	}
	m.ops[m.window].CostMs = max(m.ops[m.window].CostMs, m.windowCost)
	sink := job.Operator{Name: m.sinkName(), Parallelism: p, Chained: true, Inputs: []job.Input{{From: []int{m.window}}}, Work: job.Work{Kind: job.Sink}}
	if m.sinkCost > 0 || m.chance(0.15) {
		sink.CostMs = m.sinkCost
		sink.Parallelism, sink.Chained, sink.Inputs = p%3+1, false, m.to(engine.Rebalance, m.window)
	}
	m.sink = m.add(sink)
}

func (m *maker) sinkName() string {
	if m.version.AtLeast(2, 0, 0) || m.chance(0.5) {
		return "Sink: Writer"
	}
	return "Sink: Sink"
}

func (m *maker) streamWindow(p int, out []int) job.Operator {
	op := job.Operator{Parallelism: p, Inputs: m.to(engine.Hash, out...), Work: job.Work{Kind: job.Window, SideOutput: m.sideOutput}}
	size := oneOf(m.r, int64(5000), 10_000, 60_000)
	kinds := 3
	if m.closed {
		kinds = 2
	}
	switch m.r.IntN(kinds) {
	case 0:
		op.Name, op.Work.Window = "TumblingWindow", engine.WindowSpec{SizeMs: size}
		op.Text = fmt.Sprintf("Window(TumblingEventTimeWindows(%d), EventTimeTrigger, Sum, PassThroughWindowFunction)", size)
	case 1:
		op.Name, op.Work.Window = "SlidingWindow", engine.WindowSpec{Shape: engine.Hopping, SizeMs: size, SlideMs: size / 5}
		op.Text = fmt.Sprintf("Window(SlidingEventTimeWindows(%d, %d), EventTimeTrigger, Sum, PassThroughWindowFunction)", size, size/5)
	default:
		op.Name, op.Work.Window = "SessionWindow", engine.WindowSpec{Shape: engine.Session, GapMs: size}
		op.Text = fmt.Sprintf("Window(EventTimeSessionWindows(%d), EventTimeTrigger, Sum, PassThroughWindowFunction)", size)
	}
	return op
}
