package measure

import "math"

// Collector measures a stream of points. Each partition must come in offset order; partitions may
// be interleaved in any way. It is not safe for concurrent use.
type Collector struct {
	opts   Options
	m      *Measurement
	states map[int32]*state
	last   *state
	merge  *merger
}

// NewCollector starts a measurement.
func NewCollector(opts Options) *Collector {
	if opts.FutureMs == 0 {
		opts.FutureMs = DefaultFutureMs
	}
	if opts.MaxWaiting == 0 {
		opts.MaxWaiting = defaultWaiting
	}
	c := &Collector{opts: opts, m: New(opts.Windows, opts.IdleMs), states: map[int32]*state{}}
	c.begin()
	if !opts.SinglePass {
		c.merge = newMerger(c.m, opts.IdleMs, opts.MaxWaiting)
	}
	return c
}

// begin starts a new measurement for the next counts.
func (c *Collector) begin() {
	if c.opts.EmitMs > 0 && !c.opts.SinglePass {
		c.m.Periodic = newPeriodic(c.opts.EmitMs)
	}
}

// Expect announces a partition that will be read, so that the merge across partitions knows one
// without records. Call it before the first Add of a reading.
func (c *Collector) Expect(partition int32) {
	c.state(partition)
	if c.merge != nil {
		c.merge.expect(partition)
	}
}

// From says at which offset the counted range of a partition begins, so that records removed from
// its start are noticed like those removed from its middle.
func (c *Collector) From(partition int32, offset int64) {
	s := c.state(partition)
	s.p.Ranges = append(s.p.Ranges, Range{offset, offset})
}

// Cut resets the running maxima: another segment follows.
func (c *Collector) Cut() {
	c.flush()
	for _, s := range c.states {
		s.have, s.poison, s.ticking = false, false, false
		s.max, s.asIs = math.MinInt64, math.MinInt64
	}
	if c.merge != nil {
		c.merge = newMerger(c.m, c.opts.IdleMs, c.opts.MaxWaiting)
	}
}

// Done says that a partition has no more records before the next Cut, so that the merge across
// partitions no longer waits for it.
func (c *Collector) Done(partition int32) {
	c.settle(c.state(partition), true)
	if c.merge != nil {
		c.merge.done(partition)
	}
}

// Lagging is the number of records of a partition that wait for others before they can be
// compared across partitions. A source that can pause a partition should do so when this grows.
func (c *Collector) Lagging(partition int32) int {
	if c.merge == nil {
		return 0
	}
	return c.merge.waiting(partition)
}

// Release compares the waiting records across partitions although some partition may still
// deliver an earlier one: a live tail does so when a quiet partition would hold back the others
// forever.
func (c *Collector) Release(partitionWaiting int) {
	if c.merge != nil {
		c.merge.release(partitionWaiting)
	}
}

// Finish ends the measurement; the collector must not be used afterwards.
func (c *Collector) Finish() *Measurement {
	c.flush()
	for _, s := range c.states {
		s.leaveSlot()
		s.settleSteps()
		if s.cell != nil {
			s.cell.pack()
		}
	}
	return c.m
}

// Take returns what was counted since the last Take and starts counting again, keeping the
// running maxima. Records that are held back for a look-ahead are in a later one.
func (c *Collector) Take() *Measurement {
	taken := c.m
	c.m = New(c.opts.Windows, c.opts.IdleMs)
	c.begin()
	for id, s := range c.states {
		s.leaveSlot()
		s.settleSteps()
		next, begun := s.p.next()
		s.p, s.cell = c.m.partition(id), nil
		if begun {
			s.p.Ranges = []Range{{next, next}} // so that records missing between two measurements are noticed
		}
	}
	if c.merge != nil {
		c.merge.into(c.m)
	}
	return taken
}

func (c *Collector) flush() {
	for _, s := range c.states {
		c.settle(s, true)
	}
	if c.merge != nil {
		c.merge.drain()
	}
}
