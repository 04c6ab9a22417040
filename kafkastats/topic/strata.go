package topic

import (
	"context"
	"fmt"

	"tidemark/kafkastats/record"
)

// probeSize is how many records at the start of a segment are checked to decide whether the
// broker's time index can be trusted.
const probeSize = 8

// byTime spreads the starts of segments over time, so that a busy hour does not get all of them.
// why says why time cannot be used; empty: it can.
func (l *lister) byTime(ctx context.Context, s Sample, from, to map[int32]int64) (starts []map[int32]int64, why string, err error) {
	if s.Last > 0 {
		return nil, "the last records were requested, which are chosen by offset", nil
	}
	begin, err := l.oldest(ctx)
	if err != nil {
		return nil, "", err
	}
	end := l.newest(ctx) + 1
	if s.NowMs > begin && (end <= 1 || end > s.NowMs) {
		end = s.NowMs // a timestamp in the future would extend the range
	}
	begin = max(begin, s.FromMs)
	if s.ToMs > 0 {
		end = min(end, s.ToMs)
	}
	n := int64(s.Segments)
	width := (end - begin) / n
	if begin <= 0 || width <= 0 {
		return nil, fmt.Sprintf("the Kafka timestamps do not span a period that can be divided into %d parts", n), nil
	}
	filled := 0
	for i := range n {
		a, err := l.at(ctx, begin+i*width+stagger(i, width), from)
		if err != nil {
			return nil, "", err
		}
		for p := range a {
			a[p] = min(max(a[p], from[p]), to[p])
			if i == 0 {
				a[p] = from[p]
			} else {
				a[p] = max(a[p], starts[i-1][p])
			}
		}
		starts = append(starts, a)
	}
	var astray, probed int
	for i, a := range starts {
		next := to
		if i+1 < len(starts) {
			next = starts[i+1]
		}
		moment := begin + int64(i)*width
		got, of, err := l.probe(ctx, a, next, moment-width, moment+2*width)
		if err != nil {
			return nil, "", err
		}
		astray, probed = astray+got, probed+of
		if of > 0 {
			filled++
		}
	}
	switch {
	case 4*astray > probed:
		return nil, fmt.Sprintf("the Kafka timestamps are out of order (%d of %d examined are from another time than their neighbours)", astray, probed), nil
	case 2*filled < len(starts):
		return nil, fmt.Sprintf("only %d of %d equal periods contain records", filled, len(starts)), nil
	}
	return starts, "", nil
}

// stagger moves a start into the first half of its stratum, each time by another part: starts at
// equal distances would all hit the same minute of an hourly load. The first one is not moved.
func stagger(i, width int64) int64 {
	const golden = 0.6180339887498949
	part := float64(i) * golden
	part -= float64(int64(part))
	return int64(part * float64(width) / 2)
}

// probe reads a few records at each start and counts those outside [after, before), epoch ms. The
// broker answers with the first record whose timestamp is late enough: one timestamp in the
// future early in the partition would be the answer to every request.
func (l *lister) probe(ctx context.Context, from, next map[int32]int64, after, before int64) (astray, of int, err error) {
	var ranges []Range
	for _, p := range l.f.Partitions() {
		if to := min(from[p]+probeSize, next[p]); to > from[p] {
			ranges = append(ranges, Range{Partition: p, PreRoll: from[p], From: from[p], To: to})
		}
	}
	if len(ranges) == 0 || l.f.TimestampType == "LogAppendTime" {
		return 0, len(ranges), nil // the broker's own clock does not go back
	}
	_, err = Read(ctx, Options{Conn: l.conn, Topic: l.f.Topic, TopicID: l.f.ID, Ranges: ranges}, func(r *record.Raw) error {
		of++
		if r.Type == record.NoTimestamp || r.Timestamp < after || r.Timestamp >= before {
			astray++
		}
		return nil
	})
	return astray, of, err
}
