package cmd

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/profile"
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
	refresh   time.Duration // how often new partitions are looked for
}

func newObserve(g *globals) *cobra.Command {
	o := observeOptions{refresh: time.Minute}
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
	conn, committed, err := o.conn(g)
	if err != nil {
		return usageError{err}
	}
	facts, err := topic.Describe(ctx, conn, o.topic, committed)
	if err != nil {
		return err
	}
	if err := o.likeBefore(); err != nil {
		return usageError{err}
	}
	t := topic.Options{Conn: conn, Topic: o.topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: o.bytesPerSec, Follow: true}
	extractor, decoding, err := o.extractor(ctx, g, t, facts)
	if err != nil {
		return err
	}
	w, prior, err := profile.Open(o.file, o.key(decoding, facts))
	if err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch := newObservation(g, o, w, extractor, prior)
	if err := watch.begin(ctx, t, facts); err != nil {
		return err
	}
	result, err := watch.follow(ctx, t, facts)
	if err := watch.end(err); err != nil {
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

// likeBefore goes on with the event time that a profile was begun with, where none is named: what a
// sample suggests may change with the newest records.
func (o *observeOptions) likeBefore() error {
	key, ok, err := profile.ReadKey(o.file)
	if err != nil || !ok || key.Topic != o.topic || o.format != "" || o.field != "" {
		return err
	}
	o.format, o.field = key.Format, key.Field
	return nil
}

func (o observeOptions) key(d decode.Options, f topic.Facts) profile.Key {
	k := profile.Key{Topic: o.topic, Format: d.Format, Field: d.Field, Unit: o.unit, Zone: o.zone, FutureMs: o.future.Milliseconds(), IdleMs: o.idle.Milliseconds()}
	if f.ID != ([16]byte{}) {
		k.TopicID = hex.EncodeToString(f.ID[:])
	}
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
	if len(head) == 0 && o.format == "" && o.field == "" {
		return nil, decode.Options{}, usagef("topic %q has no record to find the event time in: name it with --field, or --format", o.topic)
	}
	return recommendOptions{kafkaFlags: o.kafkaFlags}.extractor(ctx, g, head)
}
