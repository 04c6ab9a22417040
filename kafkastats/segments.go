package kafkastats

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/topic"
)

// Segment says how the running maximum at the start of a segment was known.
type Segment struct {
	Primed map[topic.Priming]int // partitions
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
		if in.out.By != nil {
			in.out.By.Cut()
		}
		for _, r := range in.out.Rivals {
			r.Cut()
		}
		t.Done, t.Lagging, t.Release, t.Gap = in.done, in.lagging(ranges), in.letGo, in.gap
		got, err := in.segment(ctx, t, ranges, i > 0 && o.AppendTime)
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
		if r.Primed == topic.PrimedByLookup {
			c.Prime(r.Partition, r.MaxMs)
		}
	}
}

// segment reads one segment. With byAppend all pre-rolls come first: together they show how far
// behind records are at that time, which a single one inside an old burst cannot.
func (in *intake) segment(ctx context.Context, t topic.Options, ranges []topic.Range, byAppend bool) (topic.Result, error) {
	primed := map[topic.Priming]int{}
	for _, r := range ranges {
		if r.From < r.To {
			primed[r.Primed]++
		}
	}
	in.out.Segments = append(in.out.Segments, Segment{Primed: primed})
	t.Ranges = ranges
	if byAppend {
		if got, err := in.preRolls(ctx, t, ranges); err != nil || got.Incomplete != "" {
			return got, err
		}
		var raised []int32
		in.ask(func(c *measure.Collector) { raised = c.RaiseByAppend() })
		t.Ranges = nil
		for _, r := range ranges {
			r.PreRoll = r.From
			t.Ranges = append(t.Ranges, r)
			if slices.Contains(raised, r.Partition) && r.From < r.To {
				primed[r.Primed]--
				primed[topic.PrimedByAppend]++
			}
		}
		maps.DeleteFunc(primed, func(_ topic.Priming, n int) bool { return n == 0 })
	}
	return in.read(ctx, t)
}

// preRolls reads only the records before the ranges.
func (in *intake) preRolls(ctx context.Context, t topic.Options, ranges []topic.Range) (topic.Result, error) {
	t.Ranges, t.Done, t.Lagging, t.Release, t.Gap = nil, nil, nil, nil, nil
	for _, r := range ranges {
		if r.PreRoll < r.From {
			t.Ranges = append(t.Ranges, topic.Range{Partition: r.Partition, PreRoll: r.PreRoll, From: r.From, To: r.From})
		}
	}
	return in.read(ctx, t)
}

func (in *intake) read(ctx context.Context, t topic.Options) (topic.Result, error) {
	got, err := topic.Read(ctx, t, in.take)
	in.out.Control += got.Control
	in.out.Removed = append(in.out.Removed, got.Removed...)
	return got, err
}
