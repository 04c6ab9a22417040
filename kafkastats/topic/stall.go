package topic

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stallProbe asks the broker directly what is at a position. Compaction and aborted transactions
// leave ranges without any record: the consumer skips them silently, and a reading that waits for
// a record after them would wait forever.
type stallProbe struct {
	cl *kgo.Client
	o  Options
}

func newStallProbe(cl *kgo.Client, o Options) *stallProbe { return &stallProbe{cl, o} }

// next returns the offset after the batches at a position if they contain no record to yield. ok
// is false if they do, or if the broker cannot answer now.
func (p *stallProbe) next(ctx context.Context, partition int32, offset int64) (next int64, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	leader, _, err := p.cl.PartitionLeader(p.o.Topic, partition)
	if err != nil || leader < 0 {
		return 0, false
	}
	return p.fetch(ctx, leader, partition, offset)
}

func (p *stallProbe) fetch(ctx context.Context, leader, partition int32, offset int64) (int64, bool) {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.SessionEpoch = 100, 0, 1<<20, -1
	if p.o.ReadCommitted {
		req.IsolationLevel = 1
	}
	part := kmsg.NewFetchRequestTopicPartition()
	part.Partition, part.FetchOffset, part.PartitionMaxBytes = partition, offset, 1<<20
	top := kmsg.NewFetchRequestTopic()
	top.Topic, top.TopicID, top.Partitions = p.o.Topic, p.o.TopicID, []kmsg.FetchRequestTopicPartition{part}
	req.Topics = []kmsg.FetchRequestTopic{top}
	res, err := p.cl.Broker(int(leader)).Request(ctx, req)
	if err != nil {
		return 0, false
	}
	for _, t := range res.(*kmsg.FetchResponse).Topics {
		for _, rp := range t.Partitions {
			if rp.Partition != partition || rp.ErrorCode != 0 {
				continue
			}
			o := kgo.ProcessFetchPartitionOpts{Offset: offset, Topic: p.o.Topic, Partition: partition, KeepControlRecords: true}
			if p.o.ReadCommitted {
				o.IsolationLevel = kgo.ReadCommitted()
			}
			got, next := kgo.ProcessFetchPartition(o, &rp, kgo.DefaultDecompressor(), nil)
			return next, got.Err == nil && len(got.Records) == 0
		}
	}
	return 0, false
}
