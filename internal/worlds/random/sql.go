package random

import (
	"fmt"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// Names and plan lines of SQL operators as the planners of 1.18 to 2.3 write them.

// id gives each SQL operator the next number.
func (m *maker) id() int { return len(m.ops) + 11 }

func (m *maker) scan(op *job.Operator, i int, s *source) {
	table := string(rune('o' + i))
	if m.version.AtLeast(2, 0, 0) {
		op.Name = "Source: KafkaSource-default_catalog.default_database." + table
		return // as on a live 2.3.0: without TableSourceScan
	}
	id := m.id()
	op.Name = fmt.Sprintf("Source: %s[%d]", table, id)
	text := ""
	if s.strategy.Kind != engine.NoWatermarks {
		text = fmt.Sprintf(", watermark=[-(TO_TIMESTAMP_LTZ(CAST(SPLIT_INDEX(line, _UTF-16LE',', 1) AS BIGINT), 3), %d:INTERVAL SECOND)]", s.strategy.BoundMs)
		if s.strategy.IdleMs > 0 {
			text += fmt.Sprintf(", idletimeout=[%d]", s.strategy.IdleMs)
		}
		text += ", watermarkEmitStrategy=[on-periodic]"
		if a := s.align; a != nil {
			text += fmt.Sprintf(", watermarkAlignment=[%s, PT%dS, PT1S]", a.Group, a.MaxDriftMs/1000)
		}
	}
	op.Text = fmt.Sprintf("[%d]:TableSourceScan(table=[[default_catalog, default_database, %s%s]], fields=[line])", id, table, text)
}

func (m *maker) calc(i int) job.Operator {
	id := m.id()
	ts := "Reinterpret(TO_TIMESTAMP_LTZ(CAST(SPLIT_INDEX(line, ',', 1) AS BIGINT), 3)) AS ts"
	switch {
	case m.shape == processing && m.sources[i].strategy.Kind == engine.NoWatermarks:
		ts = "PROCTIME() AS " + m.procColumn
	case m.shape == processing:
		ts = "PROCTIME() AS " + m.procColumn + ", " + ts
	}
	return job.Operator{Name: fmt.Sprintf("Calc[%d]", id), Text: fmt.Sprintf("[%d]:Calc(select=[SPLIT_INDEX(line, ',', 0) AS k, %s])", id, ts)}
}

// tvf is a window table function as a plan writes it, with its local half's text.
func (m *maker) tvf() (spec engine.WindowSpec, name, args string) {
	spec = engine.WindowSpec{Dialect: engine.SQL, SizeMs: 10_000}
	switch m.r.IntN(3) {
	case 0:
		return spec, "TUMBLE", "size=[10 s]"
	case 1:
		spec.Shape, spec.SlideMs = engine.Hopping, 5000
		return spec, "HOP", "size=[10 s], slide=[5 s]"
	default:
		spec.Shape, spec.SizeMs, spec.SlideMs = engine.Cumulating, 60_000, 10_000
		return spec, "CUMULATE", "max_size=[1 min], step=[10 s]"
	}
}

// localAgg is the local half; the global half that sqlUses adds has the same window.
func (m *maker) localAgg() job.Operator {
	id := m.id()
	spec, name, args := m.tvf()
	return job.Operator{Name: fmt.Sprintf("LocalWindowAggregate[%d]", id), Work: job.Work{Kind: job.LocalAgg, Window: spec},
		Text: fmt.Sprintf("[%d]:LocalWindowAggregate(groupBy=[k], window=[%s(time_col=[ts], %s)], select=[k, COUNT(*) AS count1$0, slice_end('w$) AS $slice_end])", id, name, args)}
}

func (m *maker) sqlUses(p int, out []int) {
	id := m.id()
	op := job.Operator{Parallelism: p, Inputs: m.to(engine.Hash, out...)}
	switch m.shape {
	case sqlWindow:
		local := m.ops[out[0]]
		spec := local.Work.Window
		op.Name, op.Work = fmt.Sprintf("GlobalWindowAggregate[%d]", id), job.Work{Kind: job.Window, Window: spec}
		args := map[engine.Shape]string{engine.Tumbling: "TUMBLE(slice_end=[$slice_end], size=[10 s])", engine.Hopping: "HOP(slice_end=[$slice_end], size=[10 s], slide=[5 s])", engine.Cumulating: "CUMULATE(slice_end=[$slice_end], max_size=[1 min], step=[10 s])"}[spec.Shape]
		op.Text = fmt.Sprintf("[%d]:GlobalWindowAggregate(groupBy=[k], window=[%s], select=[k, COUNT(count1$0) AS EXPR$2, start('w$) AS window_start, end('w$) AS window_end])", id, args)
	case sqlOver:
		op.Name, op.Work = fmt.Sprintf("OverAggregate[%d]", id), job.Work{Kind: job.Wait, Buffer: engine.Over}
		op.Text = fmt.Sprintf("[%d]:OverAggregate(partitionBy=[k], orderBy=[ts ASC], window=[ RANG BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW], select=[k, ts, COUNT(*) AS w0$o0])", id)
	case sqlJoin:
		lower, upper := m.between(1, 20), m.between(0, 20)
		op.Inputs = []job.Input{{Ship: engine.Hash, From: out[:1]}, {Ship: engine.Hash, From: out[1:]}}
		op.Name = fmt.Sprintf("IntervalJoin[%d]", id)
		op.Work = job.Work{Kind: job.IntervalJoin, Join: engine.FromSQLBounds(-lower*1000, upper*1000)}
		op.Text = fmt.Sprintf("[%d]:IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-%d000, leftUpperBound=%d000, leftTimeIndex=0, rightTimeIndex=0], where=[((k = k0) AND (ts >= (ts0 - %d000:INTERVAL SECOND)) AND (ts <= (ts0 + %d000:INTERVAL SECOND)))], select=[ts, k, ts0, k0])", id, lower, upper, lower, upper)
	case sqlTemporal:
		m.temporalJoin(&op, id, out)
	case processing:
		op.Name, op.Work = "", job.Work{Kind: job.ProcWindow, Window: engine.WindowSpec{SizeMs: 10_000}}
		m.processingText(&op, id)
	default:
		spec, name, args := m.tvf()
		op.Name, op.Work = fmt.Sprintf("WindowAggregate[%d]", id), job.Work{Kind: job.Window, Window: spec}
		op.Text = fmt.Sprintf("[%d]:WindowAggregate(groupBy=[k], window=[%s(time_col=[ts], %s)], select=[k, COUNT(*) AS EXPR$1, start('w$) AS window_start, end('w$) AS window_end])", id, name, args)
	}
	op.CostMs = m.windowCost
	m.window = m.add(op)
	calc := m.add(job.Operator{Name: fmt.Sprintf("Calc[%d]", id+1), Text: fmt.Sprintf("[%d]:Calc(select=[k])", id+1), Parallelism: p, Chained: true, Inputs: []job.Input{{From: []int{m.window}}}})
	m.add(job.Operator{Name: fmt.Sprintf("s[%d]: Writer", id+2), Parallelism: p, Chained: true, Inputs: []job.Input{{From: []int{calc}}}, Work: job.Work{Kind: job.Sink}})
}
