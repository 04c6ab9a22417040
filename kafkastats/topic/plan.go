package topic

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/broker"
)

// Sample says what part of a topic to read. The zero value is all of it.
type Sample struct {
	Last     int64 // the last N records of the topic, spread over its partitions
	FromMs   int64 // record timestamps from here on; 0: from the start
	ToMs     int64 // and before here; 0: to the end
	Segments int   // this many contiguous segments, spread over the time range
	Records  int64 // records of a segment per partition; 0: DefaultSegment
}

// DefaultSegment is long enough that a forgotten burst before a segment hardly matters.
const DefaultSegment = 20_000

// PreRoll is how many records before a range are read to learn the running maximum.
const PreRoll = 2000

// Plan turns a sample into segments: each is a set of ranges that are read together. The end is
// that of Describe, so records written meanwhile do not count.
func Plan(ctx context.Context, conn []kgo.Opt, f Facts, s Sample) ([][]Range, error) {
	from, to := f.Start, f.End
	if s.FromMs > 0 || s.ToMs > 0 {
		var err error
		if from, err = at(ctx, conn, f, s.FromMs, f.Start); err != nil {
			return nil, err
		}
		if to, err = at(ctx, conn, f, s.ToMs, f.End); err != nil {
			return nil, err
		}
	}
	if s.Last > 0 {
		from = lastOf(f, from, to, s.Last)
	}
	if s.Segments <= 1 {
		return [][]Range{ranges(f, from, to)}, nil
	}
	length := s.Records
	if length == 0 {
		length = DefaultSegment
	}
	var out [][]Range
	for i := range int64(s.Segments) {
		a, b := map[int32]int64{}, map[int32]int64{}
		for _, p := range f.Partitions() {
			// Strata of equal length in offsets; the segment sits at the start of its stratum, and a
			// stratum shorter than a segment is read whole, so that no record is read twice.
			width := to[p] - from[p]
			a[p] = from[p] + width*i/int64(s.Segments)
			b[p] = min(a[p]+length, from[p]+width*(i+1)/int64(s.Segments))
		}
		out = append(out, ranges(f, a, b))
	}
	return out, nil
}

// ranges adds the pre-roll. A topic that is still whole needs none: there is nothing before it.
func ranges(f Facts, from, to map[int32]int64) []Range {
	var out []Range
	for _, p := range f.Partitions() {
		r := Range{Partition: p, From: from[p], To: max(from[p], to[p])}
		r.PreRoll = max(f.Start[p], r.From-PreRoll)
		if f.Start[p] > 0 && r.From == f.Start[p] && r.To-r.From > 10*PreRoll {
			// Retention cut the topic here: the first records only teach the maximum.
			r.From += PreRoll
		}
		if r.From == r.To {
			r.PreRoll = r.From
		}
		out = append(out, r)
	}
	return out
}

// lastOf spreads the last n records evenly, giving what a short partition lacks to the others.
func lastOf(f Facts, from, to map[int32]int64, n int64) map[int32]int64 {
	out := map[int32]int64{}
	left := f.Partitions()
	for len(left) > 0 {
		share, rest := n/int64(len(left)), []int32{}
		for _, p := range left {
			if to[p]-from[p] <= share {
				out[p] = from[p]
				n -= to[p] - from[p]
			} else {
				rest = append(rest, p)
			}
		}
		if len(rest) == len(left) {
			for i, p := range rest {
				extra := int64(0)
				if int64(i) < n%int64(len(rest)) {
					extra = 1
				}
				out[p] = to[p] - share - extra
			}
			break
		}
		left = rest
	}
	return out
}

// at is the first offset with a record timestamp at or after a moment, kept inside the topic.
func at(ctx context.Context, conn []kgo.Opt, f Facts, ms int64, otherwise map[int32]int64) (map[int32]int64, error) {
	if ms == 0 {
		return otherwise, nil
	}
	cl, err := kgo.NewClient(conn...)
	if err != nil {
		return nil, fmt.Errorf("client of Kafka: %w", err)
	}
	defer cl.Close()
	listed, err := kadm.NewClient(cl).ListOffsetsAfterMilli(ctx, ms, f.Topic)
	if err := errors.Join(err, listed.Error()); err != nil {
		return nil, broker.Explain(fmt.Errorf("offsets of %q by time: %w", f.Topic, err))
	}
	out := map[int32]int64{}
	for _, p := range f.Partitions() {
		out[p] = f.End[p]
		if o, ok := listed.Lookup(f.Topic, p); ok && o.Offset >= 0 {
			out[p] = min(max(o.Offset, f.Start[p]), f.End[p])
		}
	}
	return out, nil
}
