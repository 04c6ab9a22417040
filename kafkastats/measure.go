// Package kafkastats measures a topic, or records kept in a file, and leads to a recommendation.
package kafkastats

import (
	"context"
	"errors"
	"fmt"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// Replayer counts, with a reference watermark engine, the records that a bounded generator per
// partition with the given delay (DataStream, ms) finds late, emitting after every record.
type Replayer func(ctx context.Context, delayMs int64, points []record.Point) (late uint64, err error)

// Options of a measurement.
type Options struct {
	Measure   measure.Options
	Extractor *decode.Extractor
	MaxErrors int64 // undecodable records after which reading stops; negative: never
	Keep      int   // points kept for a replay; the first ones of the reading
}

// Outcome is a measurement and how it ended.
type Outcome struct {
	Measurement *measure.Measurement
	Kept        []record.Point // the first points that count, in the order read
	KeptAll     bool
	Errors      []error // the first few undecodable records
	Incomplete  string  // why the reading stopped early; empty: it did not
	Control     int64   // transaction markers passed
}

// ErrTooMany ends a reading with more undecodable records than allowed.
var ErrTooMany = errors.New("too many undecodable records")

// maxShownErrors is how many undecodable records are named.
const maxShownErrors = 5

// MeasureRecords measures what a source yields. An interrupted reading gives what was read; the
// error is about the source or too many undecodable records, and the outcome is valid beside it.
func MeasureRecords(ctx context.Context, src record.Source, o Options) (Outcome, error) {
	o.Measure.MaxWaiting = headPoints
	in := newIntake(o)
	in.holding = true
	err := src.Read(ctx, in.take)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		in.out.Incomplete, err = "interrupted", nil
	}
	if err != nil {
		in.out.Incomplete = err.Error()
	}
	return in.finish(), err
}

// MeasureTopic reads segments one after the other, each with its partitions side by side.
func MeasureTopic(ctx context.Context, t topic.Options, plan [][]topic.Range, o Options) (Outcome, error) {
	if len(plan) > 0 {
		// A poll may bring this much more before a partition is paused.
		o.Measure.MaxWaiting = topic.MaxLagging(len(plan[0])) + topic.MaxPoll
	}
	in := newIntake(o)
	for i, ranges := range plan {
		in.do(func(c *measure.Collector) { begin(c, ranges, i > 0) })
		t.Ranges, t.Done, t.Lagging = ranges, in.done, in.lagging(ranges)
		got, err := topic.Read(ctx, t, in.take)
		in.out.Control += got.Control
		if got.Incomplete != "" {
			in.out.Incomplete = fmt.Sprintf("%s in segment %d of %d, %d partitions unfinished", got.Incomplete, i+1, len(plan), len(got.Unfinished))
		}
		if err != nil || got.Incomplete != "" {
			return in.finish(), err
		}
	}
	return in.finish(), nil
}

// begin tells the collector which ranges come next.
func begin(c *measure.Collector, ranges []topic.Range, again bool) {
	if again {
		c.Cut()
	}
	for _, r := range ranges {
		c.Expect(r.Partition)
		if r.From < r.To {
			c.From(r.Partition, r.From)
		}
	}
}

// Verify replays the kept points with a delay and sets the count beside the prediction.
func Verify(ctx context.Context, replay Replayer, out Outcome, delayMs int64) (records, late, predicted uint64, err error) {
	running := map[int32]int64{}
	for _, p := range out.Kept {
		top, ok := running[p.Partition]
		if ok && top-p.Event > delayMs {
			predicted++
		}
		if !ok || p.Event > top {
			running[p.Partition] = p.Event
		}
	}
	if late, err = replay(ctx, delayMs, out.Kept); err != nil {
		return 0, 0, 0, fmt.Errorf("replay with a delay of %d ms: %w", delayMs, err)
	}
	return uint64(len(out.Kept)), late, predicted, nil
}
