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

// settleMs is what a reader that begins gets for what waited for it.
const settleMs = 10_000

// leastMs is the shortest time worth judging.
const leastMs = 1000

// warmUp is how long a twin must run before what it shows no longer depends on what came before. State is
// that for watermarks: the idle timeouts and the drift of alignment. Windows need the longest of them as
// well, and the bound that they wait for.
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

// findSpan decides from when on the twin is played and judged; why says why it cannot be.
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
			return fmt.Sprintf("the job has run for %s: the first %s belong to its start, and a sample before the last must come after it", units.Duration(end-b.startMs), units.Duration(settleMs))
		}
		return fmt.Sprintf("the records held reach back %s, and the twin needs %s before the earlier sample", units.Duration(end-held), units.Duration(state))
	}
	return ""
}

// unplayed finds the earliest record before the twin's beginning whose window, join or buffer is still open when
// what is judged begins and may be done before its end. A source that is held back, by a sparse split or one in
// another unit, keeps them open for longer than a bound and a window tell. cut says that such a one is not held.
func (b *base) unplayed(f *film) (arrivalMs int64, cut bool) {
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

// waitsFor is how far behind the watermark an operator still needs records.
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

// into is the least watermark that an operator goes by.
func into(op *run.Operator) int64 {
	least := engine.End
	for k := range op.Subtasks {
		least = min(least, op.Subtasks[k].In)
	}
	return least
}

// feeding are the sources whose records reach a vertex.
func feeding(x *crosscheck.Crosscheck, vx *model.Vertex) (sources []*crosscheck.CrossSource) {
	up := vx.Ancestors()
	for _, s := range x.Sources {
		if s.Vertex == vx || slices.Contains(up, s.Vertex) {
			sources = append(sources, s)
		}
	}
	return sources
}

// apart is how far the newest splits of aligned sources are from the oldest: for so long the ones ahead
// are held before the group moves as it will.
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

// phaseOf is how long alignment may hold a source that runs ahead of its group: it is let go, reads all that
// waits, and is held again. When in this turn it stands depends on when it was held first, which no record
// tells; what the group's slowest source decides does not depend on it.
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

// back is how long before a gauge was read its watermark can have been made, ms of wall clock: an
// emission interval, once more for a timer that waits for the record in hand, and the slack.
func back(d *design) int64 {
	interval := d.intervalMs
	for _, f := range d.sources {
		if f.strategy.EmitOnEvent && len(d.sources) == 1 {
			interval = 0
		}
	}
	return 2*interval + slackMs + alignedFor(d)
}

// alignedFor is what the timers of alignment add: of reports, of announcements, and of the samples kept.
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

// ahead is how much later than its vertex was read a gauge may have been: the early run leads by the slack
// already.
func ahead(d *design) int64 { return d.intervalMs/10 + alignedFor(d) }

// bufferMs is execution.buffer-timeout.interval's default: how long a watermark may wait in a buffer
// that is not full, at each exchange.
const bufferMs = 100

// onTheWay is how long a record that its source has read may be on its way to a vertex.
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
