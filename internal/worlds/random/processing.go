package random

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// processingTime is a window, OVER or pattern on PROCTIME(). There are no watermarks, those of
// one split, or those of a WATERMARK that the table also declares; nothing waits for them.
func (m *maker) processingTime() {
	s := m.sources[0]
	m.procColumn, m.procText = oneOf(m.r, "ts", "pt", "proc_time", "$f1", "$1"), m.r.IntN(4)
	if m.chance(0.6) || m.procColumn == "ts" {
		s.strategy = job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}
	}
	m.nothingWaits(s)
}

// processingInStream is a processing-time window, or processing-time timers, behind a source with
// or without a strategy.
func (m *maker) processingInStream() {
	s := m.sources[0]
	if m.shape == timers || m.chance(0.6) { // with watermarks, a keyed function may well use them
		s.strategy = job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}
	}
	m.nothingWaits(s)
}

// nothingWaits plants a fault that would matter if anything used event time.
func (m *maker) nothingWaits(s *source) {
	switch m.r.IntN(4) {
	case 0:
		s.silence(m.r.IntN(len(s.splits)))
	case 1:
		s.stop(m.r.IntN(len(s.splits)), m.t0-m.between(40_000, 85_000))
	case 2:
		s.parallelism = len(s.splits) + 1
	}
}

// processingText writes the processing-time operator as planners do.
func (m *maker) processingText(op *job.Operator, id int) {
	col := m.procColumn
	switch m.procText {
	case 0:
		op.Name = fmt.Sprintf("WindowAggregate[%d]", id)
		op.Text = fmt.Sprintf("[%d]:WindowAggregate(groupBy=[k], window=[TUMBLE(time_col=[%s], size=[10 s])], select=[k, COUNT(*) AS EXPR$1, start('w$) AS window_start, end('w$) AS window_end])", id, col)
	case 1:
		op.Name = fmt.Sprintf("GroupWindowAggregate[%d]", id)
		op.Text = fmt.Sprintf("[%d]:GroupWindowAggregate(groupBy=[k], window=[TumblingGroupWindow('w$, %s, 10000)], select=[k, COUNT(*) AS EXPR$1])", id, col)
	case 2:
		op.Name = fmt.Sprintf("OverAggregate[%d]", id)
		op.Text = fmt.Sprintf("[%d]:OverAggregate(partitionBy=[k], orderBy=[%s ASC], window=[ RANG BETWEEN 10000 PRECEDING AND CURRENT ROW], select=[k, %s, COUNT(*) AS w0$o0])", id, col, col)
	default:
		op.Name = fmt.Sprintf("Match[%d]", id)
		op.Text = fmt.Sprintf("[%d]:Match(partitionBy=[k], orderBy=[%s ASC], measures=[FINAL(A.k) AS a], rowsPerMatch=[ONE ROW PER MATCH], after=[SKIP PAST LAST ROW], pattern=[_UTF-16LE'A'], define=[{}])", id, col)
	}
}

// currentSilent is a silent split where each subtask waits only for its own splits.
func (m *maker) currentSilent() {
	m.neverSent()
	for split := range m.sources[0].splits {
		if m.sources[0].splits[split].Phases == nil && m.sources[0].shares(split) == 1 {
			m.truth = Truth{Fault: m.truth.Fault, Operator: -1} // nothing else is in that subtask
		}
	}
}

// currentUses is a query that keeps late rows by CURRENT_WATERMARK, in the task of its source.
func (m *maker) currentUses(out int) {
	p := m.sources[0].parallelism
	id := m.id()
	m.window = m.add(job.Operator{Name: fmt.Sprintf("Calc[%d]", id), Parallelism: p, Chained: true, Inputs: []job.Input{{From: []int{out}}},
		Text: fmt.Sprintf("[%d]:Calc(select=[k, ts], where=[(ts < CURRENT_WATERMARK(ts))])", id)})
	m.add(job.Operator{Name: fmt.Sprintf("s[%d]: Writer", id+1), Parallelism: p, Chained: true, Inputs: []job.Input{{From: []int{m.window}}}, Work: job.Work{Kind: job.Sink}})
}
