package measure

import (
	"math"
	"slices"
)

// frontier follows the running maxima of all partitions over arrival time.
type frontier struct {
	m      *Measurement
	idleMs int64
	parts  []*part
	low    *part   // partition with the smallest maximum; nil while one has no record
	heap   []*part // by maximum, once all have a record
	silent int
	min    int64 // combined frontier, never decreasing; MinInt64 before all have a record
	minAll int64 // the same without idle partitions
	max    int64 // of all partitions
	hour   int64
	cell   *TopicCell
	wake   int64     // earliest time at which a partition may become idle
	start  int64     // arrival of the first record of all; MinInt64 before it
	emit   *emission // nil: not requested
}

type part struct {
	max  int64
	at   int // in the heap
	seen bool
	last int64 // arrival of its last record
}

func newFrontier(m *Measurement, idleMs int64) frontier {
	f := frontier{m: m, idleMs: idleMs, min: math.MinInt64, minAll: math.MinInt64, max: math.MinInt64, hour: math.MinInt64, start: math.MinInt64}
	if m.Periodic != nil {
		f.emit = newEmission(m.Periodic)
	}
	return f
}

// settle moves the separate counts to the measurement.
func (f *frontier) settle() {
	if f.emit != nil {
		f.emit.settle()
	}
}

// expect adds a partition, which holds the frontier from now on.
func (f *frontier) expect() *part {
	p := &part{max: math.MinInt64, last: math.MinInt64}
	f.parts = append(f.parts, p)
	f.silent++
	f.low, f.heap = nil, nil
	return p
}

func (f *frontier) see(part *part, p mergePoint) {
	f.enter(p.arrival)
	if f.start == math.MinInt64 {
		f.start = p.arrival
	}
	if f.idleMs > 0 {
		f.passIdle(p.arrival)
	}
	if !p.silent {
		f.count(part, p)
	}
	if f.emit != nil {
		inForce := f.min
		if f.idleMs > 0 {
			inForce = f.minAll
		}
		f.emit.see(p.arrival, p.event, inForce, inForce != math.MinInt64, p.append && !p.silent)
	}
	if !part.seen {
		part.seen = true
		f.silent--
	}
	part.last = p.arrival
	if p.event > part.max {
		part.max = p.event
		f.down(part)
		if f.low == nil || f.low == part {
			f.advance(p)
		}
	}
	f.max = max(f.max, p.event)
	if f.idleMs > 0 {
		f.raiseAll(p.arrival)
	}
}

func (f *frontier) enter(arrival int64) {
	hour := floorDiv(arrival, HourMs)
	if hour == f.hour && f.cell != nil {
		return
	}
	if f.cell != nil {
		f.cell.pack()
	}
	f.hour = hour
	if f.cell = f.m.Topic[hour]; f.cell == nil {
		f.cell = newTopicCell()
		f.m.Topic[hour] = f.cell
	}
}

func (f *frontier) count(part *part, p mergePoint) {
	if f.max != math.MinInt64 {
		f.cell.Global.Add(sub(f.max, p.event))
	}
	if f.min != math.MinInt64 {
		f.cell.Merged.Add(sub(f.min, p.event))
		if f.low != nil {
			f.cell.Skew.Add(sub(f.max, f.low.max))
		}
	}
	if f.idleMs > 0 && f.minAll != math.MinInt64 {
		f.cell.MergedIdle.Add(sub(f.minAll, p.event))
	}
	if ahead := max(part.max, f.minAll); f.idleMs > 0 && ahead != math.MinInt64 {
		f.cell.woken()
		f.cell.Woken.Add(sub(ahead, p.event))
		f.cell.WokenSteps.add(sub(ahead, p.event))
	}
}

// advance finds the new minimum after the slowest partition advanced.
func (f *frontier) advance(p mergePoint) {
	if f.silent > 0 {
		return
	}
	low := f.lowest()
	if low.max <= f.min {
		return
	}
	if f.min != math.MinInt64 && p.known && !p.silent {
		// Windows end in event time, so a jump counts for all the event time that it passes.
		f.cell.Passage.AddRange(sub(p.arrival, low.max), sub(p.arrival, f.min))
	}
	f.min = low.max
}

// lowest finds the slowest partition once all have a record; nil before.
func (f *frontier) lowest() *part {
	f.low = nil
	if f.silent > 0 {
		return nil
	}
	if f.heap == nil {
		f.heap = slices.Clone(f.parts)
		slices.SortStableFunc(f.heap, func(a, b *part) int { return compare(a.max, b.max) })
		for i, q := range f.heap {
			q.at = i
		}
	}
	f.low = f.heap[0]
	return f.low
}

// down restores the heap after a maximum has risen.
func (f *frontier) down(p *part) {
	if f.heap == nil {
		return
	}
	i := p.at
	for {
		child := 2*i + 1
		if child >= len(f.heap) {
			break
		}
		if child+1 < len(f.heap) && f.heap[child+1].max < f.heap[child].max {
			child++
		}
		if f.heap[child].max >= p.max {
			break
		}
		f.heap[i] = f.heap[child]
		f.heap[i].at = i
		i = child
	}
	f.heap[i] = p
	p.at = i
}

// resume restores the state of a partition.
func (f *frontier) resume(p *part, at Standing) {
	if !p.seen {
		f.silent--
	}
	p.seen, p.max, p.last = true, at.Max, at.Clock
	f.heap = nil
}

// passIdle makes partitions idle up to the given time: each that becomes idle may release the
// frontier.
func (f *frontier) passIdle(now int64) {
	for f.wake != 0 && f.wake <= now {
		at := f.wake
		f.raiseAll(at)
		if f.wake <= at {
			return
		}
	}
}

// raiseAll recomputes the frontier of the active partitions. If every partition is idle it stays;
// for versions that then emit the maximum, Global is the bound.
func (f *frontier) raiseAll(now int64) {
	low, active, blocked := int64(math.MaxInt64), false, false
	f.wake = 0
	for _, q := range f.parts {
		// A partition without a record holds the frontier like any other until its idle timeout.
		last := q.last
		if !q.seen {
			last = f.start
		}
		if now-last >= f.idleMs {
			continue
		}
		active = true
		blocked = blocked || !q.seen
		low = min(low, q.max)
		if at := last + f.idleMs; f.wake == 0 || at < f.wake {
			f.wake = at
		}
	}
	if active && !blocked {
		f.minAll = max(f.minAll, low)
	}
}
