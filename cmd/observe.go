package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// observeOptions are the flags of observe.
type observeOptions struct {
	kafkaFlags
	topic     string
	file      string
	flush     time.Duration
	duration  time.Duration
	windows   []time.Duration
	idle      time.Duration
	future    time.Duration
	fromStart bool
}

func newObserve(g *globals) *cobra.Command {
	o := observeOptions{}
	c := &cobra.Command{
		Use:   "observe TOPIC",
		Short: "keep measuring a topic into a profile file, for longer than its retention",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.topic = args[0]
			return runObserve(c.Context(), g, o)
		},
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.file, "profile", "", "file to append to; continued where it stopped (required)")
	f.DurationVar(&o.flush, "flush", 30*time.Second, "how much a crash may lose")
	f.DurationVar(&o.duration, "for", 0, "stop after this long (default: until interrupted)")
	f.DurationSliceVar(&o.windows, "window", []time.Duration{time.Minute}, "windows whose drops are counted")
	f.DurationVar(&o.idle, "idle-timeout", 0, "idle timeout the job has")
	f.DurationVar(&o.future, "future-tolerance", 5*time.Minute, "an event time this far ahead of its arrival is kept out")
	f.BoolVar(&o.fromStart, "from-start", false, "a new profile begins with what the topic still holds instead of its end")
	return c
}

func runObserve(ctx context.Context, g *globals, o observeOptions) (err error) {
	if o.file == "" || o.flush <= 0 {
		return usageError{errors.New("observe needs --profile FILE and a positive --flush")}
	}
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	conn, committed, err := o.conn(g.env)
	if err != nil {
		return usageError{err}
	}
	facts, err := topic.Describe(ctx, conn, o.topic, committed)
	if err != nil {
		return err
	}
	t := topic.Options{Conn: conn, Topic: o.topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: o.bytesPerSec, Follow: true}
	extractor, decoding, err := o.extractor(ctx, g, t, facts)
	if err != nil {
		return err
	}
	key := o.key(decoding)
	w, prior, err := profile.Open(o.file, key)
	if err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch := newObservation(g, o, w, extractor, key)
	t.Ranges = watch.ranges(facts, prior)
	t.Done, t.Lagging, t.Progress = watch.c.Done, watch.c.Lagging, watch.progress
	result, err := topic.Read(ctx, t, watch.take)
	if err = errors.Join(err, watch.failed); err != nil {
		return errors.Join(err, watch.last())
	}
	if err := watch.last(); err != nil {
		return err
	}
	fmt.Fprintf(g.Err, "tidemark: %d records observed into %s\n", watch.records, o.file)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%w: %w", context.Canceled, errors.New("interrupted: the profile holds everything read"))
	}
	if result.Incomplete != "" && o.duration == 0 {
		return errors.New(result.Incomplete)
	}
	return nil
}

func (o observeOptions) key(d decode.Options) profile.Key {
	k := profile.Key{Topic: o.topic, Format: d.Format, Field: d.Field, Unit: o.unit, Zone: o.zone, FutureMs: o.future.Milliseconds(), IdleMs: o.idle.Milliseconds()}
	for _, w := range o.windows {
		k.Windows = append(k.Windows, w.Milliseconds())
	}
	return k
}

// extractor looks at the newest records: the oldest may be of a former format.
func (o observeOptions) extractor(ctx context.Context, g *globals, t topic.Options, f topic.Facts) (*decode.Extractor, decode.Options, error) {
	plan, err := topic.Plan(ctx, t.Conn, f, topic.Sample{Last: lookSize})
	if err != nil {
		return nil, decode.Options{}, err
	}
	t.Follow = false
	head, err := sampleTopic(ctx, t, plan.Segments[0])
	if err != nil {
		return nil, decode.Options{}, err
	}
	return recommendOptions{kafkaFlags: o.kafkaFlags}.extractor(ctx, g, head)
}

// observation is one run of observe.
type observation struct {
	g         *globals
	o         observeOptions
	w         *profile.Writer
	e         *decode.Extractor
	c         *measure.Collector
	positions map[int32]int64
	flushed   time.Time
	dirty     bool
	records   int64
	errors    int64
	failed    error
}

func newObservation(g *globals, o observeOptions, w *profile.Writer, e *decode.Extractor, key profile.Key) *observation {
	return &observation{g: g, o: o, w: w, e: e, positions: map[int32]int64{}, flushed: g.Now(),
		c: measure.NewCollector(measure.Options{Windows: key.Windows, IdleMs: key.IdleMs, FutureMs: key.FutureMs})}
}

// ranges continue a profile where it stopped, with the running maximum it had there; a position
// that retention has removed is reported and the reading goes on at the oldest record.
func (w *observation) ranges(f topic.Facts, prior *profile.Profile) []topic.Range {
	var out []topic.Range
	for _, p := range f.Partitions() {
		w.c.Expect(p)
		r := topic.Range{Partition: p, From: f.End[p], To: f.End[p]}
		if w.o.fromStart {
			r.From = f.Start[p]
		}
		r.PreRoll = max(f.Start[p], r.From-topic.PreRoll)
		if prior != nil {
			if next, ok := prior.Positions[p]; ok {
				if next < f.Start[p] {
					fmt.Fprintf(w.g.Err, "tidemark: partition %d: offsets %d to %d were removed by retention before they could be observed\n", p, next, f.Start[p]-1)
				}
				r.From = max(next, f.Start[p])
				r.PreRoll = r.From
			}
			if top, ok := prior.Maxima[p]; ok {
				w.c.Prime(p, top)
			}
		}
		w.positions[p] = r.From
		out = append(out, r)
	}
	return out
}

func (w *observation) take(r *record.Raw) error {
	p, err := w.e.Point(r)
	if err != nil {
		w.errors++
		if w.o.maxErrors >= 0 && w.errors > w.o.maxErrors {
			return fmt.Errorf("%d undecodable records, the last: %w", w.errors, err)
		}
	}
	w.c.Add(p)
	if !r.PreRoll {
		w.records++
	}
	w.positions[r.Partition] = max(w.positions[r.Partition], r.Offset+1)
	w.dirty = true
	if w.records%4096 == 0 {
		return w.maybeFlush()
	}
	return nil
}

// progress runs about once a second, also while nothing arrives.
func (w *observation) progress(topic.Progress) {
	if err := w.maybeFlush(); err != nil && w.failed == nil {
		w.failed = err
	}
}

func (w *observation) maybeFlush() error {
	if w.failed != nil {
		return w.failed
	}
	if !w.dirty || w.g.Now().Sub(w.flushed) < w.o.flush {
		return nil
	}
	w.flushed, w.dirty = w.g.Now(), false
	return w.w.Flush(w.c.Take(), w.positions, w.c.Maxima())
}

// last flushes what is left. After a failed write it is tried once more: the disk may have room again.
func (w *observation) last() error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	maxima := w.c.Maxima()
	return w.w.Flush(w.c.Finish(), w.positions, maxima)
}
