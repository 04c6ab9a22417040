package measure

import (
	"math"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// Options of a measurement. Times in ms.
type Options struct {
	Windows    []int64      // window sizes whose drops are counted
	IdleMs     int64        // idle timeout to model across partitions; 0: none
	FutureMs   int64        // an event time this far beyond its arrival is quarantined; 0: DefaultFutureMs
	NowMs      int64        // wall clock at the start of the reading; 0: unknown
	Exact      *hist.Budget // count distinct values while the budget lasts; nil: buckets only
	MaxWaiting int          // records a partition may wait for another in the merge; 0: 65536
	SinglePass bool         // skip the cross-partition statistics: the arrivals are not comparable
}

// DefaultFutureMs is the tolerance before a record counts as stamped in the future.
const DefaultFutureMs = 300_000

// modern is 1973 in ms: once records arrive later than this, an event time of zero or below is no
// event time but a default.
const modern = 100_000_000_000

// Collector measures a stream of points. Each partition must come in offset order; partitions may
// interleave in any way. Not safe for concurrent use.
type Collector struct {
	opts   Options
	m      *Measurement
	states map[int32]*state
	last   *state
	merge  *merger
}

// state is what a partition needs between two records.
type state struct {
	id      int32
	p       *Partition
	hour    int64
	cell    *Cell
	steps   Steps
	have    bool
	max     int64 // running maximum without quarantined records
	asIs    int64 // running maximum with them
	poison  bool  // a record was quarantined: asIs differs
	clock   int64 // latest arrival, never going back
	ticking bool
	prev    int64 // arrival of the previous record
	slot    int64
	worst   Worst
	held    []record.Point  // look-ahead after a jump
	resume  *PartitionState // records before its Next are only compared across partitions
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

// Release compares the waiting records across partitions though some partition may still yield an
// earlier one: a live tail does so when a quiet partition would hold back the others for good.
func (c *Collector) Release(partitionWaiting int) {
	if c.merge != nil {
		c.merge.release(partitionWaiting)
	}
}

// Finish closes the measurement; the collector must not be used afterwards.
func (c *Collector) Finish() *Measurement {
	c.flush()
	for _, s := range c.states {
		s.leaveSlot()
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
		next, begun := s.p.next()
		s.p, s.cell = c.m.partition(id), nil
		if begun {
			s.p.Ranges = []Range{{next, next}} // what is missing between two measurements is noticed
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

func (c *Collector) state(id int32) *state {
	if c.last != nil && c.last.id == id {
		return c.last
	}
	s := c.states[id]
	if s == nil {
		s = &state{id: id, p: c.m.partition(id), hour: math.MinInt64, slot: math.MinInt64, max: math.MinInt64, asIs: math.MinInt64}
		c.states[id] = s
	}
	c.last = s
	return s
}

// Add counts one point.
func (c *Collector) Add(p record.Point) {
	s := c.state(p.Partition)
	if p.State == record.Usable && sentinel(p) {
		p.State = record.Sentinel
	}
	if len(s.held) > 0 {
		s.held = append(s.held, p)
		c.settle(s, false)
		return
	}
	if p.State == record.Usable && c.jumps(s, p) {
		s.held = append(s.held, p)
		return
	}
	c.count(s, p, false)
}

// cover notes which offsets were read and how many are missing in between.
func (c *Collector) cover(s *state, p record.Point) {
	if p.PreRoll || p.Offset < 0 {
		return
	}
	n := len(s.p.Ranges)
	begun := n > 0 && s.p.Ranges[n-1].From == s.p.Ranges[n-1].To // by From, nothing read yet
	if n == 0 || p.First && !begun || p.Offset < s.p.Ranges[n-1].To {
		s.p.Ranges = append(s.p.Ranges, Range{p.Offset, p.Offset + 1})
		return
	}
	r := &s.p.Ranges[n-1]
	s.p.Jumps += uint64(p.Offset - r.To)
	r.To = p.Offset + 1
}

func sentinel(p record.Point) bool {
	switch p.Event {
	case math.MinInt64, math.MaxInt64, -1:
		return true
	}
	return p.Event <= 0 && p.Type != record.NoTimestamp && p.Arrival > modern
}

// count takes a point whose fate is decided.
func (c *Collector) count(s *state, p record.Point, future bool) {
	if s.resume != nil && p.Offset >= s.resume.Next {
		s.reached()
	}
	arrival, known := p.Arrival, p.Type != record.NoTimestamp
	if !known {
		arrival = max(s.max, 0)
		if p.State == record.Usable && !future {
			arrival = max(p.Event, arrival)
		}
	}
	if !future && (!s.ticking || arrival > s.clock) && !(known && c.opts.NowMs > 0 && arrival > c.opts.NowMs+c.opts.FutureMs) {
		s.clock, s.ticking = arrival, true
	}
	if s.resume != nil {
		c.again(s, p.Event, p.State == record.Usable && !future, known, p.Offset)
		return
	}
	c.cover(s, p)
	c.enter(s)
	cell := s.cell
	if p.PreRoll {
		cell.PreRoll++
		if p.State == record.Usable && !future {
			s.max, s.asIs, s.have, s.prev = max(s.max, p.Event), max(s.asIs, p.Event), true, s.clock
			if c.merge != nil {
				c.merge.add(mergePoint{partition: s.id, offset: p.Offset, arrival: s.clock, event: p.Event, known: known, silent: true})
			}
		}
		return
	}
	switch p.State {
	case record.Tombstone:
		cell.Tombstone++
		return
	case record.Missing:
		cell.Missing++
		return
	case record.Undecodable:
		cell.Undecodable++
		return
	case record.Sentinel:
		cell.Sentinel++
		return
	}
	if future {
		c.quarantine(s, p)
		return
	}
	c.usable(s, p, arrival, known)
}

func (c *Collector) usable(s *state, p record.Point, arrival int64, known bool) {
	cell := s.cell
	cell.Records++
	c.m.Span.see(s.clock, p.Event)
	if p.Event%1000 == 0 {
		cell.OnSecond++
	}
	if known {
		delay := sub(arrival, p.Event)
		cell.Transport.Add(delay)
		if delay == 0 && p.Type == record.CreateTime {
			cell.SameAsKafka++
		}
		if p.Type == record.AppendTime {
			cell.Append++
		}
	} else {
		cell.NoArrival++
	}
	disorder := int64(math.MinInt64)
	if s.have {
		disorder = sub(s.max, p.Event)
		cell.Own.Add(disorder)
		if known {
			cell.Lag.Add(sub(arrival, s.max))
			cell.Gaps.Add(s.clock - s.prev)
		}
		for w, h := range cell.Windows {
			h.Add(sub(s.max, windowEnd(p.Event, w)))
		}
		c.m.Blocks.add(s.clock, disorder)
		s.p.Confluent.add(disorder, p.Offset)
		if disorder > 0 {
			s.steps.add(disorder)
			s.note(disorder)
		}
		if cell.AsIs != nil {
			cell.AsIs.Add(sub(s.asIs, p.Event))
		}
	}
	switch {
	case !s.have || disorder < 0:
		cell.NewMax++
		s.max = p.Event
	case disorder == 0:
		cell.Ties++
	}
	s.asIs = max(s.asIs, p.Event)
	s.have, s.prev = true, s.clock
	if c.merge != nil {
		c.merge.add(mergePoint{partition: s.id, offset: p.Offset, arrival: s.clock, event: p.Event, known: known})
	}
}

// enter moves to the cell of the hour the partition's clock shows.
func (c *Collector) enter(s *state) {
	hour := floorDiv(s.clock, HourMs)
	if s.cell != nil && hour == s.hour {
		return
	}
	if s.cell != nil {
		s.cell.pack()
	}
	s.hour = hour
	if s.steps = c.m.Steps[hour]; s.steps == nil {
		s.steps = Steps{}
		c.m.Steps[hour] = s.steps
	}
	s.cell = s.p.Cells[hour]
	if s.cell == nil {
		s.cell = newCell(c.opts.Windows, c.opts.Exact)
		s.p.Cells[hour] = s.cell
	}
	if s.poison && s.cell.AsIs == nil {
		s.cell.AsIs = s.cell.Own.Clone()
	}
}

// note remembers the worst disorder of the running 10 s.
func (s *state) note(disorder int64) {
	if slot := floorDiv(s.clock, slotMs); slot != s.slot {
		s.leaveSlot()
		s.slot = slot
	}
	if disorder > s.worst.Disorder {
		s.worst = Worst{disorder, s.clock}
	}
}

func (s *state) leaveSlot() {
	if s.worst.Disorder > 0 {
		s.p.Slots.add(s.slot, s.worst)
	}
	s.worst = Worst{}
}

// windowEnd is the exclusive end of the tumbling window of size w that holds ts.
func windowEnd(ts, w int64) int64 { return (floorDiv(ts, w) + 1) * w }

// sub is a - b without wrapping around: foreign event times reach both ends of int64.
func sub(a, b int64) int64 {
	d := a - b
	switch {
	case b < 0 && d < a:
		return math.MaxInt64
	case b > 0 && d > a:
		return -math.MaxInt64
	}
	return d
}
