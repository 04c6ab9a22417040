package topic

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/broker"
)

// lister requests offsets by time from the brokers.
type lister struct {
	conn []kgo.Opt
	cl   *kgo.Client
	adm  *kadm.Client
	f    Facts
}

func newLister(conn []kgo.Opt, f Facts) (*lister, error) {
	cl, err := kgo.NewClient(conn...)
	if err != nil {
		return nil, fmt.Errorf("client of Kafka: %w", err)
	}
	return &lister{conn: conn, cl: cl, adm: kadm.NewClient(cl), f: f}, nil
}

func (l *lister) close() { l.cl.Close() }

// at is the first offset with a record timestamp at or after a time, limited to the topic's
// offsets.
func (l *lister) at(ctx context.Context, ms int64, otherwise map[int32]int64) (map[int32]int64, error) {
	if ms == 0 {
		return otherwise, nil
	}
	listed, err := l.adm.ListOffsetsAfterMilli(ctx, ms, l.f.Topic)
	if err := errors.Join(err, listed.Error()); err != nil {
		return nil, broker.Explain(fmt.Errorf("offsets of %q by time: %w", l.f.Topic, err))
	}
	out := map[int32]int64{}
	for _, p := range l.f.Partitions() {
		out[p] = l.f.End[p]
		if o, ok := listed.Lookup(l.f.Topic, p); ok && o.Offset >= 0 {
			out[p] = min(max(o.Offset, l.f.Start[p]), l.f.End[p])
		}
	}
	return out, nil
}

// oldest is the smallest timestamp of the partitions' first records, epoch ms; 0: none.
func (l *lister) oldest(ctx context.Context) (int64, error) {
	listed, err := l.adm.ListOffsetsAfterMilli(ctx, 1, l.f.Topic)
	if err := errors.Join(err, listed.Error()); err != nil {
		return 0, broker.Explain(fmt.Errorf("oldest records of %q: %w", l.f.Topic, err))
	}
	var out int64
	listed.Each(func(o kadm.ListedOffset) {
		if o.Offset >= 0 && o.Timestamp > 0 && (out == 0 || o.Timestamp < out) {
			out = o.Timestamp
		}
	})
	return out, nil
}

// newest is the largest timestamp in the topic, epoch ms. Brokers before 3.0 cannot report it: 0.
func (l *lister) newest(ctx context.Context) int64 {
	listed, err := l.adm.ListMaxTimestampOffsets(ctx, l.f.Topic)
	if errors.Join(err, listed.Error()) != nil {
		return 0
	}
	var out int64
	listed.Each(func(o kadm.ListedOffset) { out = max(out, o.Timestamp) })
	return out
}
