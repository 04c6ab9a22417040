package random

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// temporalJoin is FOR SYSTEM_TIME AS OF a row's time: rows of the first table wait until the
// watermark of both tables has passed them.
func (m *maker) temporalJoin(op *job.Operator, id int, out []int) {
	op.Inputs = []job.Input{{Ship: engine.Hash, From: out[:1]}, {Ship: engine.Hash, From: out[1:]}}
	op.Name, op.Work = fmt.Sprintf("TemporalJoin[%d]", id), job.Work{Kind: job.TemporalJoin}
	op.Text = fmt.Sprintf("[%d]:TemporalJoin(joinType=[InnerJoin], where=[((k = k0) AND __TEMPORAL_JOIN_CONDITION(ts, ts0, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY(k0), __TEMPORAL_JOIN_LEFT_KEY(k), __TEMPORAL_JOIN_RIGHT_KEY(k0)))], select=[k, ts, k0, v, ts0])", id)
}

// versionsDeclared is a versioned table that changes every few seconds, or never while an idle
// timeout is set on it.
func (m *maker) versionsDeclared() {
	table := m.sources[1]
	if m.chance(0.5) {
		table.strategy.IdleMs = oneOf(m.r, int64(5000), 10_000)
		for i := range table.splits {
			table.silence(i)
		}
		return
	}
	table.all(func(p *records.Phase) { p.EveryMs, p.LateMs = float64(m.between(1000, 3000)), 0 })
}

// miniBatch adds a MiniBatchAssigner to each source: watermarks pass in steps of the interval.
func (m *maker) miniBatch() { m.batchMs = 1000 * m.between(2, 10) }

func (m *maker) miniBatchOp() job.Operator {
	id := m.id()
	return job.Operator{Name: fmt.Sprintf("MiniBatchAssigner[%d]", id), Work: job.Work{Kind: job.MiniBatch, IntervalMs: m.batchMs},
		Text: fmt.Sprintf("[%d]:MiniBatchAssigner(interval=[%dms], mode=[RowTime])", id, m.batchMs)}
}

// miniBatchSilent is a split that fell silent in front of a MiniBatchAssigner.
func (m *maker) miniBatchSilent() {
	m.miniBatch()
	m.fellSilent()
}

// miniBatchQuietInput is an input that fell silent behind a MiniBatchAssigner.
func (m *maker) miniBatchQuietInput() {
	m.miniBatch()
	m.stoppedInput()
}
