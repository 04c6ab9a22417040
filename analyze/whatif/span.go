package whatif

import (
	"fmt"
	"math"
	"slices"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/engine/twin/run"
	"tidemark/internal/units"
)

// settleMs is how long a reader may take after its start for the records that wait for it.
const settleMs = 10_000

// leastMs is the shortest time to judge.
const leastMs = 1000

// warmUp is how long a twin must run before its results no longer depend on what came before, ms: state for its
// watermarks (idle timeouts and the drift of alignment), windows for its windows as well (their length and the bound).
func warmUp(d *design, j *job.Job) (state, windows int64) {
	bound, span := int64(0), int64(0)
	for _, f := range d.sources {
		bound, state = max(bound, f.strategy.BoundMs), max(state, f.strategy.IdleMs)
		if f.align != nil {
			state = max(state, f.align.MaxDriftMs+apart(d))
		}
	}
	for i := range j.Operators {
		switch w := j.Operators[i].Work; w.Kind {
		case job.Window, job.LocalAgg:
			span += spanOf(w.Window)
		case job.IntervalJoin:
			span += w.Join.UpperMs - w.Join.LowerMs + w.Join.DelayMs()
		case job.MiniBatch:
			span += w.IntervalMs
		case job.Assign, job.SQLAssign:
			bound, state = max(bound, w.Strategy.BoundMs), max(state, w.Strategy.IdleMs)
		}
	}
	return state + settleMs, state + bound + span + settleMs
}

// findSpan decides from when on the twin is played and judged; why says why that is not possible.
func (b *base) findSpan(designs []*design) (why string) {
	end := b.now.lo
	state, most := int64(0), int64(0)
	needs := make([]int64, len(designs))
	for i, d := range designs {
		s, w := warmUp(d, b.build(d, nominal).job)
		state, most, needs[i] = max(state, s), max(most, w), w
	}
	held := int64(math.MinInt64 / 4)
	for _, s := range b.cross.Sources {
		for id, d := range s.Data {
			l := b.logs[id]
			if l != nil && len(l.entries) > 0 && (l.cut || !d.Complete || d.Start > 0) {
				held = max(held, l.entries[0].arrival)
			}
		}
	}
	b.fromMs, b.heldMs = end-b.lastMs, held
	b.playMs, b.backMs = max(b.fromMs-most, held), 0
	if b.startMs >= b.playMs { // everything since the job's start is known
		b.playMs, b.backMs = b.startMs, most
		b.fromMs = max(b.fromMs, b.startMs+settleMs)
	} else {
		b.fromMs = max(b.fromMs, b.playMs+state)
		for i, d := range designs {
			d.shortMs = max(b.playMs+needs[i]-b.fromMs, 0)
		}
	}
	if b.fromMs+leastMs > b.before.lo {
		if b.playMs == b.startMs {
			return fmt.Sprintf("the job has run for %s only: the first %s are warm-up, and two samples are needed after that", units.Duration(end-b.startMs), units.Duration(settleMs))
		}
		return fmt.Sprintf("the records reach back %s, and the twin needs %s before the first sample", units.Duration(end-held), units.Duration(state))
	}
	return ""
}

// unplayed finds the arrival, epoch ms, of the earliest record before the start of the twin whose window, join or buffer
// is open at the start of the time judged and may end within it. A source that is held back, by a sparse split or by one in
// another unit, keeps windows open for longer than its bound and their length. cut says that such a record is not held.
func (b *base) unplayed(f *playback) (arrivalMs int64, cut bool) {
	arrivalMs = b.playMs
	first, last := f.at[b.fromMs], f.at[b.now.lo]
	for at, p := range f.places {
		span, waits := waitsFor(f.job.Operators[at].Work)
		if !waits {
			continue
		}
		from, to := into(&first.Operators[at]), into(&last.Operators[at])
		sources := feeding(b.cross, p.vertex)
		open := func(ms int64) bool { return (from == engine.None || ms > from-span) && ms <= to }
		for id, v := range f.views {
			if !v.before || !slices.ContainsFunc(sources, func(s *crosscheck.CrossSource) bool { return s.Data[id] != nil }) {
				continue
			}
			for i := range v.log.entries[:v.from] {
				if e := &v.log.entries[i]; e.arrival < arrivalMs && open(v.read(e.event)) {
					arrivalMs = e.arrival
					break
				}
			}
			cut = cut || v.log.cut && open(v.read(v.log.top))
		}
	}
	return arrivalMs, cut
}

// waitsFor is how far below the watermark an operator still needs records, ms of event time.
func waitsFor(w job.Work) (span int64, waits bool) {
	switch w.Kind {
	case job.Window, job.LocalAgg:
		return spanOf(w.Window), true
	case job.IntervalJoin:
		return w.Join.UpperMs - w.Join.LowerMs + w.Join.DelayMs(), true
	case job.Wait, job.TemporalJoin:
		return 0, true
	}
	return 0, false
}

// into is the smallest input watermark of an operator.
func into(op *run.Operator) int64 {
	least := engine.End
	for k := range op.Subtasks {
		least = min(least, op.Subtasks[k].In)
	}
	return least
}

// feeding lists the sources whose records reach a vertex.
func feeding(x *crosscheck.Crosscheck, vx *model.Vertex) (sources []*crosscheck.CrossSource) {
	up := vx.Ancestors()
	for _, s := range x.Sources {
		if s.Vertex == vx || slices.Contains(up, s.Vertex) {
			sources = append(sources, s)
		}
	}
	return sources
}

// apart is the distance between the watermarks of the newest and the oldest aligned subtask, ms: after a start, alignment
// may pause the newest for as long.
func apart(d *design) int64 {
	lo, hi, any := int64(0), int64(0), false
	for _, f := range d.sources {
		for _, t := range f.vertex.Subtasks {
			ms, ok := t.SourceOut().Now.Millis()
			if !ok || f.align == nil {
				continue
			}
			if !any || ms < lo {
				lo = ms
			}
			if !any || ms > hi {
				hi = ms
			}
			any = true
		}
	}
	return hi - lo
}

// phaseOf is how long alignment may pause a source that is ahead of its group, ms: it is resumed, reads what waits, and is
// paused again. Where in this cycle it is depends on when it was first paused, which no record shows. What the slowest
// source of the group determines does not depend on it.
func (d *design) phaseOf(vx *model.Vertex) int64 {
	f := d.source(vx)
	if f == nil || f.align == nil {
		return 0
	}
	if n := apart(d); n > f.align.MaxDriftMs {
		return n
	}
	return 0
}

// back is how long before a gauge was read its watermark may have been generated, ms of wall clock: an emission interval,
// another one for a timer that waits for the current record, and slackMs.
func back(d *design) int64 {
	interval := d.intervalMs
	for _, f := range d.sources {
		if f.strategy.EmitOnEvent && len(d.sources) == 1 {
			interval = 0
		}
	}
	return 2*interval + slackMs + alignedFor(d)
}

// alignedFor is what the timers of alignment add, ms: for reports, for announcements and for the samples kept.
func alignedFor(d *design) int64 {
	most := int64(0)
	for _, f := range d.sources {
		if f.align == nil {
			continue
		}
		b := d.version.Behaviour()
		most = max(most, f.align.UpdateMs*int64(2+b.AlignmentSamples))
	}
	return most
}

// ahead is how much later than its vertex a gauge may have been read, ms; slackMs is in the early run already.
func ahead(d *design) int64 { return d.intervalMs/10 + alignedFor(d) }

// bufferMs is the default of execution.buffer-timeout.interval: how long a watermark may wait at each exchange in a buffer
// that is not full.
const bufferMs = 100

// onTheWay is how long a record may take from its source to a vertex, ms.
func onTheWay(vx *model.Vertex) int64 {
	seen := map[*model.Vertex]int64{}
	var to func(*model.Vertex) int64
	to = func(v *model.Vertex) int64 {
		if ms, ok := seen[v]; ok {
			return ms
		}
		seen[v] = 0
		for _, e := range v.In {
			seen[v] = max(seen[v], to(e.From)+bufferMs)
		}
		return seen[v]
	}
	return to(vx)
}
