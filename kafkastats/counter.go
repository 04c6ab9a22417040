package kafkastats

import (
	"sync/atomic"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// counter runs a collector on its own goroutine, so that counting continues while the next
// records are fetched and decoded. Everything reaches the collector in the order in which it was
// sent: the result is the same as without the goroutine.
type counter struct {
	in      chan work
	free    chan []record.Point
	ended   chan *measure.Measurement
	watched *waiting // used by the goroutine only
}

// work is a batch of points, or a function to run between two batches.
type work struct {
	points []record.Point
	do     func(*measure.Collector)
}

// queued is the number of batches in flight: enough to bridge a fetch, few enough not to matter.
const queued = 8

func startCounter(o measure.Options) *counter {
	t := &counter{in: make(chan work, queued), free: make(chan []record.Point, queued), ended: make(chan *measure.Measurement)}
	go t.run(measure.NewCollector(o))
	return t
}

func (t *counter) run(c *measure.Collector) {
	for w := range t.in {
		c.AddAll(w.points)
		if w.do != nil {
			w.do(c)
		}
		if t.watched != nil {
			t.watched.update(c)
		}
		if cap(w.points) != batchPoints {
			continue
		}
		select {
		case t.free <- w.points[:0]:
		default:
		}
	}
	t.ended <- c.Finish()
}

func (t *counter) send(w work) { t.in <- w }

// empty returns room for a batch, reused if possible.
func (t *counter) empty() []record.Point {
	select {
	case b := <-t.free:
		return b
	default:
		return make([]record.Point, 0, batchPoints)
	}
}

// finish ends the goroutine and returns what was counted.
func (t *counter) finish() *measure.Measurement {
	close(t.in)
	return <-t.ended
}

// waiting is the number of records of each partition that wait to be compared with others, at the
// last batch.
type waiting struct {
	ids   []int32
	index map[int32]int
	n     []atomic.Int64
}

func newWaiting(ranges []topic.Range) *waiting {
	w := &waiting{index: map[int32]int{}, n: make([]atomic.Int64, len(ranges))}
	for i, r := range ranges {
		w.ids = append(w.ids, r.Partition)
		w.index[r.Partition] = i
	}
	return w
}

func (w *waiting) update(c *measure.Collector) {
	for i, id := range w.ids {
		w.n[i].Store(int64(c.Lagging(id)))
	}
}

func (w *waiting) of(partition int32) int {
	if i, ok := w.index[partition]; ok {
		return int(w.n[i].Load())
	}
	return 0
}
