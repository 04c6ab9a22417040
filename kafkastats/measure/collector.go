package measure

import "math"

// Collector measures a stream of points. Each partition must come in offset order; partitions may
// interleave in any way. Not safe for concurrent use.
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
	if !opts.SinglePass {
		c.merge = newMerger(c.m, opts.IdleMs, opts.MaxWaiting)
	}
	return c
}

// Expect names a partition that will be read, so that one without records is known to the merge
// across partitions. Call it before the first Add of a reading.
func (c *Collector) Expect(partition int32) {
	c.state(partition)
	if c.merge != nil {
		c.merge.expect(partition)
	}
}

// From says at which offset a partition's counted range begins, so that records removed from its
// very start are noticed like those removed from its middle.
func (c *Collector) From(partition int32, offset int64) {
	s := c.state(partition)
	s.p.Ranges = append(s.p.Ranges, Range{offset, offset})
}

// Prime sets the running maximum of a partition before its first record: a segment that starts
// inside an old burst would otherwise look perfectly ordered.
func (c *Collector) Prime(partition int32, maxMs int64) {
	s := c.state(partition)
	s.have, s.max, s.asIs = true, maxMs, maxMs
	if !s.ticking {
		s.prev = maxMs
	}
}

// Cut forgets the running maxima: what follows is another segment.
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

// Done says that a partition yields no more records before the next Cut, so the merge across
// partitions no longer waits for it.
func (c *Collector) Done(partition int32) {
	c.settle(c.state(partition), true)
	if c.merge != nil {
		c.merge.done(partition)
	}
}

// Lagging gives how many records of a partition wait for others before they can be compared across
// partitions. A source that can pause a partition should when this grows.
func (c *Collector) Lagging(partition int32) int {
	if c.merge == nil {
		return 0
	}
	return c.merge.waiting(partition)
}

// Finish closes the measurement; the collector must not be used afterwards.
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

// Take gives what was counted since the last Take and starts counting anew, keeping the running
// maxima. Records held back for a look-ahead are in a later one.
func (c *Collector) Take() *Measurement {
	taken := c.m
	c.m = New(c.opts.Windows, c.opts.IdleMs)
	for id, s := range c.states {
		s.leaveSlot()
		s.settleSteps()
		s.p, s.cell = c.m.partition(id), nil
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

// Maxima are the running maxima of the partitions that have one, to continue from with Prime.
func (c *Collector) Maxima() map[int32]int64 {
	out := map[int32]int64{}
	for id, s := range c.states {
		if s.have {
			out[id] = s.max
		}
	}
	return out
}
