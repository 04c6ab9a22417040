package observe

import (
	"context"
	"fmt"
	"time"

	"tidemark/kafkastats/topic"
)

// follow reads until the context ends; new partitions are included once they appear.
func (w *observation) follow(ctx context.Context, t topic.Options, f topic.Facts) (topic.Result, error) {
	t.Done, t.Lagging, t.Release, t.Gap, t.Progress, t.Trouble = w.c.Done, w.c.Lagging, w.c.Release, w.gap, w.progress, topic.Troubled(w.p.Note)
	for {
		w.describe = func() (topic.Facts, error) {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			return topic.Describe(ctx, t.Conn, t.Topic, t.ReadCommitted)
		}
		t.Ranges, w.changed = w.ranges(f), false
		reading, stop := context.WithCancel(ctx)
		w.stop = stop
		result, err := topic.Read(reading, t, w.take)
		stop()
		if err != nil || !w.changed {
			return result, err
		}
		f = w.known
	}
}

// progress runs at each beat, even if nothing arrives.
func (w *observation) progress(topic.Progress) {
	err := w.maybeFlush()
	if err == nil && w.p.Now().Sub(w.refreshed) >= w.r.Refresh {
		w.refreshed = w.p.Now()
		err = w.lookForPartitions()
	}
	if err != nil {
		w.failed = err
		w.stop()
	}
}

// lookForPartitions adds partitions that are new; it finds none while no broker answers.
func (w *observation) lookForPartitions() error {
	f, err := w.describe()
	if err != nil {
		return nil // the reading itself reports what is wrong
	}
	if f.ID != w.known.ID {
		return fmt.Errorf("topic %q was deleted and created anew: its offsets start again; %s keeps what was observed before, use another file from here on", f.Topic, w.r.File)
	}
	for _, p := range f.Partitions() {
		if _, known := w.next[p]; known {
			continue
		}
		w.p.Note(fmt.Sprintf("partition %d is new: observed from its first record on", p))
		w.begun[p], w.from[p], w.next[p] = f.Start[p], f.Start[p], f.Start[p]
		w.c.Expect(p)
		w.c.From(p, f.Start[p])
		w.changed = true
	}
	if w.changed {
		w.known = f
		w.stop()
	}
	return nil
}
