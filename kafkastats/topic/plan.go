package topic

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
)

// Sample says which part of a topic to read. The zero value is all of it.
type Sample struct {
	record.Part
	Segments int   // this many contiguous segments, spread over the time range
	Records  int64 // records of a segment per partition; 0: DefaultSegment
	NowMs    int64 // wall clock: no record beyond it is looked for; 0: unknown
}

// Layout is what to read: each segment is a set of ranges that are read together.
type Layout struct {
	Segments [][]Range
	By       string // ByTime or ByOffset; empty: one segment
	Note     string // why the segments are not spread over time
}

// How segments are spread.
const (
	ByTime   = "time"
	ByOffset = "offset"
)

// DefaultSegment is long enough that an unseen burst before a segment hardly matters.
const DefaultSegment = 20_000

// PreRoll is how many records before a range are read for the running maximum.
const PreRoll = 2000

// Plan converts a sample to segments. The end is that of Describe, so records written meanwhile
// do not count.
func Plan(ctx context.Context, conn []kgo.Opt, f Facts, s Sample) (Layout, error) {
	l, err := newLister(conn, f)
	if err != nil {
		return Layout{}, err
	}
	defer l.close()
	from, to := f.Start, f.End
	if s.FromMs > 0 || s.ToMs > 0 {
		if from, err = l.at(ctx, s.FromMs, f.Start); err != nil {
			return Layout{}, err
		}
		if to, err = l.at(ctx, s.ToMs, f.End); err != nil {
			return Layout{}, err
		}
	}
	if s.Last > 0 {
		from = lastOf(from, to, s.Last)
	}
	if s.Segments <= 1 {
		return Layout{Segments: [][]Range{ranges(f, from, to)}}, nil
	}
	out := Layout{By: ByTime}
	starts, why, err := l.byTime(ctx, s, from, to)
	if err != nil {
		return Layout{}, err
	}
	if why != "" {
		out.By, out.Note = ByOffset, why
		starts = byOffset(f, int64(s.Segments), from, to)
	}
	length := s.Records
	if length == 0 {
		length = DefaultSegment
	}
	for i, a := range starts {
		// A segment ends where the next begins, so that no record is read twice.
		b, next := map[int32]int64{}, to
		if i+1 < len(starts) {
			next = starts[i+1]
		}
		for _, p := range f.Partitions() {
			b[p] = min(a[p]+length, next[p])
		}
		out.Segments = append(out.Segments, ranges(f, a, b))
	}
	return out, nil
}

// byOffset divides each partition into strata of equal length in offsets; a segment is at the
// start of its stratum.
func byOffset(f Facts, n int64, from, to map[int32]int64) []map[int32]int64 {
	var out []map[int32]int64
	for i := range n {
		a := map[int32]int64{}
		for _, p := range f.Partitions() {
			a[p] = from[p] + (to[p]-from[p])*i/n
		}
		out = append(out, a)
	}
	return out
}
