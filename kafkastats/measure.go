// Package kafkastats measures a topic, or records kept in a file, and leads to a recommendation.
package kafkastats

import (
	"context"
	"errors"
	"fmt"
	"math"

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
	Measure    measure.Options
	Extractor  *decode.Extractor
	MaxErrors  int64                    // undecodable records after which reading stops; negative: never
	Rivals     []*decode.Extractor      // other fields that may be the event time, measured beside
	By         func(*record.Raw) string // value to group by; nil: none
	Duplicates bool                     // look for records that repeat an earlier one
	Keep       int                      // points kept for a replay; the first ones of the reading
	// AppendTime says that the topic's timestamps are the brokers' own, so that the running maximum at
	// the start of a segment can be told from them.
	AppendTime bool
}

// Outcome is a measurement and how it ended.
type Outcome struct {
	Measurement *measure.Measurement
	Rivals      []*measure.Rival // of Options.Rivals
	By          *measure.ByGroup // nil: not asked for
	Duplicates  measure.Duplicates
	Kept        []record.Point // the first points that count, in the order read
	KeptAll     bool
	Errors      []error         // the first few undecodable records
	Incomplete  string          // why the reading stopped early; empty: it did not
	Control     int64           // transaction markers passed
	Removed     []topic.Removed // stretches that were gone before they could be read
	Segments    []Segment       // of a topic, as far as they were begun
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

// Verify replays the kept points with a delay and sets the count beside the prediction. With an idle timeout
// (ms, 0: none) a record that is behind the active partitions is late as well.
func Verify(ctx context.Context, replay Replayer, out Outcome, delayMs, idleMs int64) (records, late, predicted uint64, err error) {
	woken := map[*record.Point]bool{} // late by idleness alone
	if idleMs > 0 {
		measure.Woken(out.Kept, idleMs, func(p *record.Point, own, active int64) {
			if active != math.MinInt64 && active-p.Event > delayMs && !(own != math.MinInt64 && own-p.Event > delayMs) {
				woken[p] = true
			}
		})
		predicted = uint64(len(woken))
	}
	// Neighbours are mostly of one partition: its maximum is looked up once for all of them.
	running := map[int32]*int64{}
	var top *int64
	for i := range out.Kept {
		p := &out.Kept[i]
		if i == 0 || p.Partition != out.Kept[i-1].Partition {
			top = running[p.Partition]
		}
		switch {
		case top == nil:
			top = new(int64)
			*top, running[p.Partition] = p.Event, top
		case p.Event > *top:
			*top = p.Event
		case *top-p.Event > delayMs:
			predicted++
		}
	}
	if late, err = replay(ctx, delayMs, out.Kept); err != nil {
		return 0, 0, 0, fmt.Errorf("replay with a delay of %d ms: %w", delayMs, err)
	}
	// The engine plays each partition by itself; which ones are idle when is the measurement's to say.
	return uint64(len(out.Kept)), late + uint64(len(woken)), predicted, nil
}
