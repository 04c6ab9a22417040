package measure

import "math"

// defaultWaiting limits the records that one partition may wait for another: beyond it the merge
// continues without the slow one, as a live job would.
const defaultWaiting = 1 << 16

// mergePoint is a point on its way through the merge; within a partition, arrival never
// decreases.
type mergePoint struct {
	arrival   int64
	event     int64
	offset    int64
	partition int32
	known     bool
	append    bool // set by the broker or a live tail: arrival is when a job would have seen it
	silent    bool // pre-roll: raises the maximum, is not counted
}

// merger compares the partitions in order of arrival and computes the statistics that need the
// whole topic.
type merger struct {
	m       *Measurement
	queues  map[int32]*queue
	last    *queue
	waiters int // queues that are empty and not done
	heads   queueHeap
	front   frontier
	most    int // records that a partition may wait
}

// queue holds the waiting records of a partition.
type queue struct {
	id     int32
	part   *part
	points []mergePoint
	at     int
	head   int64 // arrival of points[at]
	done   bool
	in     bool // is in the heap
}

func newMerger(m *Measurement, idleMs int64, most int) *merger {
	return &merger{m: m, queues: map[int32]*queue{}, front: newFrontier(m, idleMs), most: most}
}

// into continues the counts in another measurement.
func (g *merger) into(m *Measurement) {
	g.front.settle()
	g.m, g.front.m, g.front.hour, g.front.cell = m, m, math.MinInt64, nil
	if g.front.emit != nil {
		g.front.emit.p = m.Periodic
	}
}

func (g *merger) expect(id int32) *queue {
	q := g.queues[id]
	if q == nil {
		q = &queue{id: id, part: g.front.expect()}
		g.queues[id] = q
		g.waiters++
	}
	return q
}

func (g *merger) waiting(id int32) int {
	if q := g.queues[id]; q != nil {
		return len(q.points) - q.at
	}
	return 0
}

func (g *merger) add(p mergePoint) {
	q := g.last
	if q == nil || q.id != p.partition {
		q = g.expect(p.partition)
		g.last = q
	}
	if !q.in {
		if !q.done {
			g.waiters--
		}
		q.points, q.at, q.head = append(q.points[:0], p), 0, p.arrival
		q.in = true
		g.heads.push(q)
	} else {
		q.points = append(q.points, p)
	}
	for len(g.heads) > 0 && (g.waiters == 0 || len(q.points)-q.at > g.most) {
		g.step()
	}
}

func (g *merger) done(id int32) {
	q := g.expect(id)
	if q.done {
		return
	}
	q.done = true
	if !q.in {
		g.waiters--
	}
	for len(g.heads) > 0 && g.waiters == 0 {
		g.step()
	}
}

// standing adds the state of the comparison with the others to a partition's state.
func (g *merger) standing(id int32, p *PartitionState) {
	q := g.queues[id]
	if q == nil {
		return
	}
	if q.part.seen {
		p.Front = &Standing{Have: true, Max: q.part.max, Ticking: true, Clock: q.part.last}
	}
	if q.at < len(q.points) {
		first := q.points[q.at]
		p.Again, p.Clock = first.offset, &first.arrival
		for _, w := range q.points[q.at:] {
			if !w.silent {
				p.Loud = w.offset
				break
			}
		}
	}
}

// release continues without partitions that hold back the others, until none waits with more than
// the given number of records.
func (g *merger) release(most int) {
	for id := range g.queues {
		for len(g.heads) > 0 && g.waiting(id) > most {
			g.step()
		}
	}
}

func (g *merger) drain() {
	for len(g.heads) > 0 {
		g.step()
	}
	g.front.settle()
}

// step takes the earliest arrival; for equal arrivals the lower partition, so that a file and a
// broker agree.
func (g *merger) step() {
	q := g.heads[0]
	g.front.see(q.part, q.points[q.at])
	q.at++
	if q.at < len(q.points) {
		if q.at > 4096 && q.at*2 > len(q.points) {
			q.points = append(q.points[:0], q.points[q.at:]...)
			q.at = 0
		}
		q.head = q.points[q.at].arrival
		g.heads.down()
		return
	}
	g.heads.pop()
	q.in = false
	if !q.done {
		g.waiters++
	}
}
