package recommend

import (
	"context"
	"fmt"

	"tidemark/engine"
	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/record"
)

// replays reports whether a replay checks the delay: a replay of some hours would include the
// others.
func (m *measuring) replays() bool { return !m.NoReplay && m.Part.Hours == "" }

func (m *measuring) verify(ctx context.Context, out kafkastats.Outcome, r *advise.Recommendation) error {
	if !m.replays() || len(out.Kept) == 0 || r.Records == 0 {
		r.NotSeen = append(r.NotSeen, "a replay with the recommended delay")
		return nil
	}
	records, late, predicted, err := kafkastats.Verify(ctx, replayLate, out, r.Advice.RoundedMs, m.Idle.Milliseconds())
	if err != nil {
		return err
	}
	r.Advice.Verified = &advise.Verified{DelayMs: r.Advice.RoundedMs, Records: records, LateRecords: late, Predicted: predicted}
	return nil
}

// replayLate counts, with the reference engine, the records that a bounded generator per
// partition finds late if it emits after every record: an upper bound for a periodic one.
func replayLate(ctx context.Context, delayMs int64, points []record.Point) (late uint64, err error) {
	type reader struct {
		source *engine.Source
		mark   *lastMark
		split  int
	}
	readers := map[int32]*reader{}
	var r *reader
	for i := range points {
		p := &points[i]
		if i&0xffff == 0 && ctx.Err() != nil {
			return late, ctx.Err()
		}
		// Neighbours are mostly of one partition.
		if i == 0 || p.Partition != points[i-1].Partition {
			r = readers[p.Partition]
		}
		if r == nil {
			r = &reader{mark: &lastMark{ms: engine.None}}
			strategy := engine.Strategy{Kind: engine.BoundedOutOfOrderness, BoundMs: delayMs, EmitOnEvent: true}
			if r.source, err = engine.NewSource(engine.SourceConfig{Strategy: strategy, Version: engine.Latest}, r.mark); err != nil {
				return late, fmt.Errorf("replay with a delay of %d ms: %w", delayMs, err)
			}
			r.split = r.source.AddSplit()
			readers[p.Partition] = r
		}
		if p.Event <= r.mark.ms {
			late++
		}
		if err := r.source.Record(r.split, p.Event); err != nil {
			return late, fmt.Errorf("replay of record %d: %w", i, err)
		}
	}
	return late, nil
}

// lastMark keeps the latest watermark that a source emitted.
type lastMark struct{ ms int64 }

func (m *lastMark) EmitWatermark(ms int64) { m.ms = ms }
func (m *lastMark) EmitStatus(bool)        {}
