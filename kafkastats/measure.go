// Package kafkastats measures the records of a topic or a file.
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
// partition with the given delay (DataStream, ms) finds late if it emits after every record.
type Replayer func(ctx context.Context, delayMs int64, points []record.Point) (late uint64, err error)

// Options of a measurement.
type Options struct {
	Measure    measure.Options
	Extractor  *decode.Extractor
	MaxErrors  int64                    // undecodable records after which reading stops; negative: unlimited
	Rivals     []*decode.Extractor      // other fields that may be the event time, also measured
	By         func(*record.Raw) string // value to group by; nil: none
	Duplicates bool                     // look for records that repeat an earlier one
	Keep       int                      // number of points kept for a replay, from the start of the reading
	// AppendTime says that the brokers set the topic's timestamps, so that the running maximum at
	// the start of a segment can be derived from them.
	AppendTime bool
}

// Outcome is a measurement and how it ended.
type Outcome struct {
	Measurement *measure.Measurement
	Rivals      []*measure.Rival // of Options.Rivals
	By          *measure.ByGroup // nil: not asked for
	Duplicates  measure.Duplicates
	Kept        []record.Point // the first counted points, in the order read
	KeptAll     bool
	Errors      []error         // the first few undecodable records
	Incomplete  string          // why the reading stopped early; empty: it did not
	Control     int64           // transaction markers skipped
	Removed     []topic.Removed // offsets that were removed before they could be read
	Segments    []Segment       // of a topic, those that were started
}

// ErrTooMany ends a reading with too many undecodable records.
var ErrTooMany = errors.New("too many undecodable records")

// maxShownErrors is the number of undecodable records that are listed.
const maxShownErrors = 5

// MeasureRecords measures the records of a source. An interrupted reading returns what was read.
// The error is about the source or too many undecodable records; the outcome is valid even with
// an error.
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

// Verify replays the kept points with a delay (ms) and compares the count with the prediction.
// With an idle timeout (ms, 0: none) a record behind the active partitions is late as well.
func Verify(ctx context.Context, replay Replayer, out Outcome, delayMs, idleMs int64) (records, late, predicted uint64, err error) {
	woken := map[*record.Point]bool{} // late only because of idleness
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
	// The engine replays each partition separately; the measurement knows which ones are idle
	// when.
	return uint64(len(out.Kept)), late + uint64(len(woken)), predicted, nil
}
