package kafkastats

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/topic"
)

// orders starts a broker and a topic with one record for each event time of each partition, stamped 50 ms
// later or, in burst, an hour and 50 ms.
func orders(t testing.TB, events [][]int64, burst func(partition, i int) bool) []kgo.Opt {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(len(events)), "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	conn := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}
	cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for p, list := range events {
		var rs []*kgo.Record
		for i, event := range list {
			at := event + 50
			if burst != nil && burst(p, i) {
				at += 3_600_000
			}
			rs = append(rs, &kgo.Record{Topic: "orders", Partition: int32(p), Timestamp: time.UnixMilli(at), Value: fmt.Appendf(nil, `{"id":%d,"event_time":%d}`, i, event)})
		}
		if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// A segment that begins inside a burst longer than its pre-roll looks ordered, unless the append time
// and the other partitions tell that the records are old.
func TestAppendTimePrimesASegmentInsideABurst(t *testing.T) {
	const length, old = 6000, 3_600_000
	inBurst := func(p, i int) bool { return p == 1 && i >= 2000 }
	events := make([][]int64, 4)
	for p := range events {
		for i := range length {
			at := int64(1_796_000_000_000) + int64(i)*10
			if inBurst(p, i) {
				at -= old
			}
			events[p] = append(events[p], at)
		}
	}
	conn := orders(t, events, inBurst)
	var plan [2][]topic.Range
	for p := range int32(4) {
		plan[0] = append(plan[0], topic.Range{Partition: p, To: 2000, Primed: topic.PrimedByStart})
		plan[1] = append(plan[1], topic.Range{Partition: p, PreRoll: 3000, From: 5000, To: 6000, Primed: topic.PrimedByPreRoll})
	}
	for _, known := range []bool{false, true} {
		out, err := MeasureTopic(t.Context(), topic.Options{Conn: conn, Topic: "orders"}, plan[:], reading(t, Options{AppendTime: known}))
		if err != nil || out.Incomplete != "" {
			t.Fatal(err, out.Incomplete)
		}
		want := []Segment{{map[topic.Priming]int{topic.PrimedByStart: 4}}, {map[topic.Priming]int{topic.PrimedByPreRoll: 4}}}
		late := uint64(0)
		if known {
			want[1] = Segment{map[topic.Priming]int{topic.PrimedByPreRoll: 3, topic.PrimedByAppend: 1}}
			late = 1000
		}
		if diff := cmp.Diff(want, out.Segments); diff != "" {
			t.Errorf("append time known %v: %s", known, diff)
		}
		total := out.Measurement.Total()
		if got := total.Own.Above(old / 2); got != late || total.Records != 12_000 || total.PreRoll != 8000 {
			t.Errorf("append time known %v: %d records far out of order, want %d; %d counted, %d of pre-roll", known, got, late, total.Records, total.PreRoll)
		}
	}
}

// With the maximum from the broker's index a segment is measured as if all before it had been read.
func TestLookupMeasuresASegmentExactly(t *testing.T) {
	const base = int64(1_796_000_000_000)
	var events []int64
	for i := range int64(9000) {
		at := base + i*100
		if i > 3000 && i < 8000 {
			at -= 7_200_000 // a burst longer than any pre-roll
		}
		events = append(events, at)
	}
	conn := orders(t, [][]int64{events}, nil)
	f, err := topic.Describe(t.Context(), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	layout := topic.Layout{Segments: [][]topic.Range{{{Partition: 0, PreRoll: 5000, From: 7000, To: 9000, Primed: topic.PrimedByPreRoll}}}}
	measured := func() Outcome {
		o := reading(t, Options{})
		out, err := MeasureTopic(t.Context(), topic.Options{Conn: conn, Topic: "orders", TopicID: f.ID}, layout.Segments, o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := measured().Measurement.Total().Own.Above(3_600_000); got != 0 {
		t.Fatalf("%d records far out of order: the pre-roll alone was expected to miss them", got)
	}
	if err := topic.Prime(t.Context(), conn, f, layout, false, 3*7_200_000); err != nil {
		t.Fatal(err)
	}
	out := measured()
	if got := out.Measurement.Total().Own.Above(3_600_000); got != 1000 || out.Segments[0].Primed[topic.PrimedByLookup] != 1 {
		t.Errorf("%d records far out of order, want the 1000 of the burst; %v", got, out.Segments)
	}
}

// BenchmarkMeasureTopic is the whole way from a broker in memory to the counts. The reference polls the
// same topic and only counts records.
func BenchmarkMeasureTopic(b *testing.B) {
	const partitions, each = 8, 40_000
	events := make([][]int64, partitions)
	ranges := make([]topic.Range, partitions)
	for p := range events {
		for i := range int64(each) {
			events[p] = append(events[p], 1_796_000_000_000+i*100-i*7919%3000)
		}
		ranges[p] = topic.Range{Partition: int32(p), To: each}
	}
	conn := orders(b, events, nil)
	rate := func(b *testing.B) {
		b.ReportMetric(float64(b.N)*partitions*each/b.Elapsed().Seconds(), "records/s")
	}
	b.Run("measured", func(b *testing.B) {
		for b.Loop() {
			out, err := MeasureTopic(b.Context(), topic.Options{Conn: conn, Topic: "orders"}, [][]topic.Range{ranges}, reading(b, Options{Keep: 100_000}))
			if err != nil || out.Measurement.Total().Records != partitions*each {
				b.Fatal(err)
			}
		}
		rate(b)
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			opts := append(topic.FetchSettings(), kgo.ConsumeTopics("orders"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
			cl, err := kgo.NewClient(append(opts, conn...)...)
			if err != nil {
				b.Fatal(err)
			}
			for n := 0; n < partitions*each; {
				n += cl.PollFetches(b.Context()).NumRecords()
			}
			cl.Close()
		}
		rate(b)
	})
}
