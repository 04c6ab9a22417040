package topic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
)

// cluster starts a broker that speaks the protocol, with topics of the given partitions.
func cluster(t testing.TB, topics map[string]int32) ([]kgo.Opt, *kgo.Client) {
	t.Helper()
	var opts []kfake.Opt
	opts = append(opts, kfake.NumBrokers(2))
	for name, n := range topics {
		opts = append(opts, kfake.SeedTopics(n, name))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	conn := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RetryTimeout(5 * time.Second)}
	cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return conn, cl
}

func produce(t testing.TB, cl *kgo.Client, topic string, partition int32, n int, at int64) {
	t.Helper()
	var rs []*kgo.Record
	for i := range n {
		rs = append(rs, &kgo.Record{Topic: topic, Partition: partition, Value: []byte(fmt.Sprint(i)), Timestamp: time.UnixMilli(at + int64(i))})
	}
	if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func ctx(t testing.TB) context.Context {
	t.Helper()
	c, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return c
}

func TestReadsExactlyTheRangesAndStopsByPosition(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 4})
	for p := range int32(3) { // partition 3 stays empty
		produce(t, cl, "orders", p, 1000*int(p+1), 1_796_000_000_000)
	}
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int32]int64{0: 1000, 1: 2000, 2: 3000, 3: 0}, f.End); diff != "" {
		t.Fatal(diff)
	}
	plan, err := Plan(ctx(t), conn, f, Sample{})
	if err != nil {
		t.Fatal(err)
	}
	next, done := map[int32]int64{}, map[int32]bool{}
	got, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: plan.Segments[0], Done: func(p int32) { done[p] = true }}, func(r *record.Raw) error {
		if r.Offset != next[r.Partition] || string(r.Value) != fmt.Sprint(r.Offset) || r.Timestamp != 1_796_000_000_000+r.Offset || r.First != (r.Offset == 0) || r.PreRoll {
			return fmt.Errorf("unexpected %+v, wanted offset %d", r, next[r.Partition])
		}
		next[r.Partition]++
		return nil
	})
	if err != nil || got.Incomplete != "" || len(done) != 4 {
		t.Fatal(err, got, done)
	}
	if diff := cmp.Diff(map[int32]int64{0: 1000, 1: 2000, 2: 3000}, next); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff(map[int32]int64{0: 1000, 1: 2000, 2: 3000, 3: 0}, got.Positions); diff != "" {
		t.Fatal(diff)
	}
}

func TestReadCommittedStopsBehindAbortedTail(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"tx": 1})
	produce(t, cl, "tx", 0, 10, 1000)
	txcl, err := kgo.NewClient(append(conn, kgo.TransactionalID("t1"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer txcl.Close()
	for _, commit := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		if err := txcl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		produce(t, txcl, "tx", 0, 5, 2000)
		if err := txcl.EndTransaction(ctx(t), commit); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []struct {
		committed        bool
		records, control int64
	}{{true, 15, 2}, {false, 20, 2}} {
		f, err := Describe(ctx(t), conn, "tx", v.committed)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Plan(ctx(t), conn, f, Sample{})
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		got, err := Read(ctx(t), Options{Conn: conn, Topic: "tx", TopicID: f.ID, Ranges: plan.Segments[0], ReadCommitted: v.committed}, func(*record.Raw) error { n++; return nil })
		if err != nil || got.Incomplete != "" || n != v.records || got.Control != v.control || got.Positions[0] != 22 {
			t.Errorf("committed %v: %d records, %+v, %v", v.committed, n, got, err)
		}
	}
}

func TestStretchWithoutRecordsDoesNotHang(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"tx": 1})
	txcl, err := kgo.NewClient(append(conn, kgo.TransactionalID("t1"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer txcl.Close()
	produce(t, cl, "tx", 0, 3, 1000)
	if err := txcl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	produce(t, txcl, "tx", 0, 5, 2000)
	if err := txcl.EndTransaction(ctx(t), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	f, err := Describe(ctx(t), conn, "tx", true)
	if err != nil {
		t.Fatal(err)
	}
	// The range ends inside the aborted records: neither a record nor the marker lies in it.
	n := 0
	got, err := Read(ctx(t), Options{Conn: conn, Topic: "tx", TopicID: f.ID, ReadCommitted: true, Ranges: []Range{{To: 6}}}, func(*record.Raw) error { n++; return nil })
	if err != nil || got.Incomplete != "" || n != 3 {
		t.Fatalf("%d records, %+v, %v", n, got, err)
	}
}

func TestPlans(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 2})
	produce(t, cl, "orders", 0, 10_000, 1_000_000)
	produce(t, cl, "orders", 1, 100, 1_000_000)
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]struct {
		s    Sample
		want Layout
	}{
		"all": {Sample{}, Layout{Segments: [][]Range{{{Partition: 0, To: 10_000, Primed: PrimedByStart}, {Partition: 1, To: 100, Primed: PrimedByStart}}}}},
		"last": {Sample{Part: record.Part{Last: 1000}}, Layout{Segments: [][]Range{{
			{Partition: 0, PreRoll: 7100, From: 9100, To: 10_000, Primed: PrimedByPreRoll}, {Partition: 1, To: 100, Primed: PrimedByStart}}}}},
		"time": {Sample{Part: record.Part{FromMs: 1_005_000, ToMs: 1_006_000}}, Layout{Segments: [][]Range{{
			{Partition: 0, PreRoll: 3000, From: 5000, To: 6000, Primed: PrimedByPreRoll}, {Partition: 1, PreRoll: 100, From: 100, To: 100, Primed: PrimedByStart}}}}},
	} {
		got, err := Plan(ctx(t), conn, f, v.s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	cut := Facts{Start: map[int32]int64{0: 500}, End: map[int32]int64{0: 100_000}}
	if got := ranges(cut, cut.Start, cut.End); got[0] != (Range{Partition: 0, PreRoll: 500, From: 2500, To: 100_000, Primed: PrimedByPreRoll}) {
		t.Errorf("a topic cut by retention: %+v", got)
	}
}

func TestPreRollIsMarked(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	produce(t, cl, "orders", 0, 100, 1000)
	var pre, counted []int64
	_, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", Ranges: []Range{{PreRoll: 40, From: 50, To: 60}}}, func(r *record.Raw) error {
		if r.PreRoll {
			pre = append(pre, r.Offset)
		} else {
			counted = append(counted, r.Offset)
			if r.First != (r.Offset == 50) {
				return errors.New("first is wrong")
			}
		}
		return nil
	})
	if err != nil || len(pre) != 10 || len(counted) != 10 || pre[0] != 40 || counted[0] != 50 {
		t.Fatal(err, pre, counted)
	}
}

func TestInterruptedReadingSaysHowFarItCame(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	produce(t, cl, "orders", 0, 1000, 1000)
	c, cancel := context.WithCancel(ctx(t))
	got, err := Read(c, Options{Conn: conn, Topic: "orders", Ranges: []Range{{To: 2000}}}, func(r *record.Raw) error {
		if r.Offset == 999 {
			cancel()
		}
		return nil
	})
	if err != nil || got.Incomplete != "interrupted" || got.Positions[0] != 1000 || len(got.Unfinished) != 1 {
		t.Fatal(err, got)
	}
	stop := errors.New("stop")
	if _, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", Ranges: []Range{{To: 1000}}}, func(*record.Raw) error { return stop }); !errors.Is(err, stop) {
		t.Fatalf("yield's error became %v", err)
	}
}

func TestNothingIsCommittedAndNoGroupExists(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	produce(t, cl, "orders", 0, 10, 1000)
	if _, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", Ranges: []Range{{To: 10}}}, func(*record.Raw) error { return nil }); err != nil {
		t.Fatal(err)
	}
	groups, err := kadm.NewClient(cl).ListGroups(ctx(t))
	if err != nil || len(groups) != 0 {
		t.Fatalf("groups %v, %v", groups, err)
	}
}

func TestMissingTopicNamesTheNearest(t *testing.T) {
	conn, _ := cluster(t, map[string]int32{"orders": 1, "orders-eu": 1, "payments": 1})
	_, err := Describe(ctx(t), conn, "ordrs", false)
	if err == nil || !strings.Contains(err.Error(), `near: "orders"`) || strings.Contains(err.Error(), "payments") {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if _, err := Describe(short, []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1"), kgo.RetryTimeout(time.Second)}, "orders", false); err == nil || !strings.Contains(err.Error(), "no Kafka broker answers") {
		t.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	conn, cl := cluster(b, map[string]int32{"orders": 8})
	const each = 20_000
	for p := range int32(8) {
		produce(b, cl, "orders", p, each, 1_796_000_000_000)
	}
	var ranges []Range
	for p := range int32(8) {
		ranges = append(ranges, Range{Partition: p, To: each})
	}
	b.Run("tidemark", func(b *testing.B) {
		for b.Loop() {
			if _, err := Read(context.Background(), Options{Conn: conn, Topic: "orders", Ranges: ranges}, func(*record.Raw) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)*8*each/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			bare(b, conn, 8*each)
		}
		b.ReportMetric(float64(b.N)*8*each/b.Elapsed().Seconds(), "records/s")
	})
}

// bare is the reference: the same client, only counting.
func bare(b *testing.B, conn []kgo.Opt, want int) {
	cl, err := kgo.NewClient(append(conn, kgo.ConsumeTopics("orders"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for n := 0; n < want; {
		n += cl.PollFetches(context.Background()).NumRecords()
	}
}
