package kafkastats

import (
	"fmt"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// intake is the reading side of a measurement: it reduces records to points, keeps the first ones
// for the replay and sends batches to the collector, which counts on its own goroutine.
type intake struct {
	o       Options
	out     *Outcome
	errors  int64
	batch   []record.Point
	counter *counter
	future  int64 // ms ahead of its arrival from which on an event time is excluded
	holding bool
	head    [][]record.Point
}

const (
	// batchPoints is the number of points per batch.
	batchPoints = 2048
	// headPoints is the number of points of a file that are held back to find out its partitions,
	// before they are compared; about 16 MB.
	headPoints = 1 << 19
)

func newIntake(o Options) *intake {
	c := startCounter(o.Measure)
	in := &intake{o: o, out: &Outcome{KeptAll: true}, counter: c, batch: c.empty(), future: o.Measure.FutureMs}
	if in.future == 0 {
		in.future = measure.DefaultFutureMs
	}
	if o.By != nil {
		in.out.By = &measure.ByGroup{}
	}
	for range o.Rivals {
		in.out.Rivals = append(in.out.Rivals, &measure.Rival{})
	}
	return in
}

func (in *intake) take(r *record.Raw) error {
	p, err := in.o.Extractor.Point(r)
	if err != nil {
		in.errors++
		if len(in.out.Errors) < maxShownErrors {
			in.out.Errors = append(in.out.Errors, err)
		}
		if in.o.MaxErrors >= 0 && in.errors > in.o.MaxErrors {
			return fmt.Errorf("%w: %d, the last: %w", ErrTooMany, in.errors, err)
		}
	}
	if p.State == record.Usable && !p.PreRoll {
		in.keep(p)
	}
	if in.out.By != nil {
		in.out.By.Add(p, in.o.By(r), in.future)
	}
	if in.o.Duplicates {
		in.out.Duplicates.Add(r, p)
	}
	for i, e := range in.o.Rivals {
		other, _ := e.Point(r) // it counts what it cannot read
		in.out.Rivals[i].Add(other, in.future)
	}
	if in.batch = append(in.batch, p); len(in.batch) == batchPoints {
		in.flush()
	}
	return nil
}

// keep stores a point for the replay. For all but a small reading the memory is allocated at
// once: growing by doubling would need three times as much.
func (in *intake) keep(p record.Point) {
	kept := in.out.Kept
	switch {
	case len(kept) >= in.o.Keep:
		in.out.KeptAll = false
		return
	case len(kept) == 1<<16:
		in.out.Kept = append(make([]record.Point, 0, in.o.Keep), kept...)
	}
	in.out.Kept = append(in.out.Kept, p)
}

func (in *intake) flush() {
	if len(in.batch) == 0 {
		return
	}
	if in.holding {
		in.head = append(in.head, in.batch)
		if len(in.head) == headPoints/batchPoints {
			in.release()
		}
	} else {
		in.counter.send(work{points: in.batch})
	}
	in.batch = in.counter.empty()
}

// release processes the points that were held back, now that the partitions are known.
func (in *intake) release() {
	head := in.head
	in.head, in.holding = nil, false
	in.counter.send(work{do: func(c *measure.Collector) {
		for _, batch := range head {
			for i := range batch {
				c.Expect(batch[i].Partition)
			}
		}
	}})
	for _, batch := range head {
		in.counter.send(work{points: batch})
	}
}

// do runs f after the records read so far and before the next ones.
func (in *intake) do(f func(*measure.Collector)) {
	in.flush()
	in.counter.send(work{do: f})
}

func (in *intake) done(partition int32) {
	in.do(func(c *measure.Collector) { c.Done(partition) })
}

// letGo continues without quiet partitions, gap continues after removed records.
func (in *intake) letGo(waiting int) {
	in.do(func(c *measure.Collector) { c.Release(waiting) })
}

func (in *intake) gap(partition int32, to int64) {
	in.do(func(c *measure.Collector) { c.Gap(partition, to) })
}

// lagging is how many records of a partition wait for others. The number that the counter last
// reported is good enough while it is small; before a partition is paused or released, the
// counter is asked.
func (in *intake) lagging(ranges []topic.Range) func(int32) int {
	w := newWaiting(ranges)
	in.do(func(*measure.Collector) { in.counter.watched = w })
	few := topic.MaxLagging(len(ranges)) / 2
	return func(partition int32) int {
		n := w.of(partition)
		if n >= few {
			in.ask(func(c *measure.Collector) { n = c.Lagging(partition) })
		}
		return n
	}
}

// ask is do, and waits until f has run.
func (in *intake) ask(f func(*measure.Collector)) {
	answered := make(chan struct{})
	in.do(func(c *measure.Collector) {
		f(c)
		close(answered)
	})
	<-answered
}

func (in *intake) finish() Outcome {
	in.flush()
	if in.holding {
		in.release()
	}
	in.out.Measurement = in.counter.finish()
	return *in.out
}
