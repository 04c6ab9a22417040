package topic

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/record"
)

// confirming is how many records on each side of the largest one may confirm its timestamp.
const confirming = 1000

// Prime requests the largest timestamp before each range from the broker's time index. This saves
// reading the records there, and is exact however long an old burst before the range is. It is
// only meaningful if the event time is the Kafka timestamp and the producer set it. A maximum
// that no record near it confirms within toleranceMs, or that no record has at all (a transaction
// marker may have it), is not used: that range keeps its pre-roll.
func Prime(ctx context.Context, conn []kgo.Opt, f Facts, layout Layout, readCommitted bool, toleranceMs int64) error {
	l, err := newLister(conn, f)
	if err != nil {
		return err
	}
	defer l.close()
	for _, segment := range layout.Segments {
		from := map[int32]int64{}
		for _, r := range segment {
			if r.Primed == PrimedByPreRoll && r.PreRoll < r.From {
				from[r.Partition] = r.From
			}
		}
		tops, err := l.largestBefore(ctx, from)
		if err != nil {
			return err
		}
		if err := l.confirm(ctx, tops, readCommitted, toleranceMs); err != nil {
			return err
		}
		for i := range segment {
			r := &segment[i]
			if top, ok := tops[r.Partition]; ok {
				r.Primed, r.MaxMs, r.PreRoll = PrimedByLookup, top.ms, r.From
			}
		}
	}
	return nil
}

// top is the largest timestamp of a range of offsets and the first offset that has it.
type top struct{ ms, offset int64 }

// largestBefore finds, for each partition, the latest time whose first record at or after it is
// before an offset: that is the largest timestamp there. Each request, for all partitions, halves
// the interval: about 43 requests in all.
func (l *lister) largestBefore(ctx context.Context, from map[int32]int64) (map[int32]top, error) {
	type bounds struct{ low, high int64 } // true at low, false at high
	left := map[int32]bounds{}
	found := map[int32]top{}
	for p := range from {
		left[p] = bounds{-1, 1 << 43} // the year 2248
	}
	for len(left) > 0 {
		ask := map[int32]int64{}
		for p, b := range left {
			ask[p] = b.low + (b.high-b.low)/2
		}
		answers, err := l.firstAfter(ctx, ask)
		if err != nil {
			return nil, err
		}
		for p, b := range left {
			offset, ok := answers[p]
			if ok && offset >= 0 && offset < from[p] {
				b.low = ask[p]
				found[p] = top{ask[p], offset}
			} else {
				b.high = ask[p]
			}
			left[p] = b
			if b.high-b.low <= 1 {
				delete(left, p)
			}
		}
	}
	return found, nil
}

// firstAfter requests, for each partition, the first offset at or after a time of its own, epoch
// ms; -1: there is none.
func (l *lister) firstAfter(ctx context.Context, moments map[int32]int64) (map[int32]int64, error) {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = l.f.Topic
	for p, ms := range moments {
		rp := kmsg.NewListOffsetsRequestTopicPartition()
		rp.Partition, rp.Timestamp = p, ms
		t.Partitions = append(t.Partitions, rp)
	}
	req.Topics = append(req.Topics, t)
	out := map[int32]int64{}
	for _, shard := range l.cl.RequestSharded(ctx, req) {
		if shard.Err != nil {
			return nil, broker.Explain(fmt.Errorf("largest timestamp of %q: %w", l.f.Topic, shard.Err))
		}
		for _, rt := range shard.Resp.(*kmsg.ListOffsetsResponse).Topics {
			for _, rp := range rt.Partitions {
				if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
					return nil, broker.Explain(fmt.Errorf("largest timestamp of %q partition %d: %w", l.f.Topic, rp.Partition, err))
				}
				out[rp.Partition] = rp.Offset
			}
		}
	}
	return out, nil
}

// confirm removes the maxima that the records near them do not confirm.
func (l *lister) confirm(ctx context.Context, tops map[int32]top, readCommitted bool, toleranceMs int64) error {
	var ranges []Range
	for _, p := range l.f.Partitions() {
		if t, ok := tops[p]; ok {
			first := max(l.f.Start[p], t.offset-confirming)
			ranges = append(ranges, Range{Partition: p, PreRoll: first, From: first, To: min(l.f.End[p], t.offset+1+confirming)})
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	same, near := map[int32]bool{}, map[int32]bool{}
	_, err := Read(ctx, Options{Conn: l.conn, Topic: l.f.Topic, TopicID: l.f.ID, Ranges: ranges, ReadCommitted: readCommitted}, func(r *record.Raw) error {
		t := tops[r.Partition]
		switch {
		case r.Type != record.CreateTime:
		case r.Offset == t.offset:
			same[r.Partition] = r.Timestamp == t.ms
		case r.Timestamp >= t.ms-toleranceMs:
			near[r.Partition] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for p := range tops {
		if !same[p] || !near[p] {
			delete(tops, p)
		}
	}
	return nil
}
