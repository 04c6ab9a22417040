//go:build lab

package cmd_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// event is one record to be: {"n":i,"ms":event} with at as its Kafka timestamp.
type event struct {
	partition int32
	at, ms    int64
}

// producer writes numbered events; the number is the order of writing over all partitions of the topic.
type producer struct {
	client *kgo.Client
	next   map[string]int64
}

func newProducer(t *testing.T, kafka string) *producer {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(kafka), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MaxBufferedRecords(200_000))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &producer{cl, map[string]int64{}}
}

// topic creates a topic again, under a name of its own, that keeps records of any age.
func (p *producer) topic(t *testing.T, name string, partitions int32, timestamps string) string {
	t.Helper()
	name = fmt.Sprintf("%s-%d", name, time.Now().UnixNano())
	keep := "-1"
	adm := kadm.NewClient(p.client)
	if _, err := adm.CreateTopic(context.Background(), partitions, 1, map[string]*string{"retention.ms": &keep, "message.timestamp.type": &timestamps}, name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = adm.DeleteTopic(context.Background(), name) })
	return name
}

// write returns once the broker has all events; a call's events of a partition make one batch if they are few.
func (p *producer) write(t *testing.T, topic string, events ...event) {
	t.Helper()
	for part := range slices.Chunk(events, 100_000) {
		records := make([]*kgo.Record, len(part))
		for i, e := range part {
			records[i] = &kgo.Record{Topic: topic, Partition: e.partition, Timestamp: time.UnixMilli(e.at), Value: fmt.Appendf(nil, `{"n":%d,"ms":%d}`, p.next[topic], e.ms)}
			p.next[topic]++
		}
		if err := p.client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
