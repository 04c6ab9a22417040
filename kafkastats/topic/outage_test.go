package topic

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/internal/cases"
	"tidemark/kafkastats/record"
)

// fake starts a broker whose behaviour a test changes while it is read.
func fake(t testing.TB, opts ...kfake.Opt) (*kfake.Cluster, []kgo.Opt, *kgo.Client) {
	t.Helper()
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	conn := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.RetryTimeout(2 * time.Second), kgo.MetadataMinAge(50 * time.Millisecond)}
	cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return c, conn, cl
}

// slow reads a topic in small bites and calls at once record n was seen.
func slow(t testing.TB, o Options, n int64, at func()) (offsets map[int32][]int64, got Result, err error) {
	t.Helper()
	offsets = map[int32][]int64{}
	var seen int64
	o.Conn = append([]kgo.Opt{kgo.MaxBufferedRecords(50)}, o.Conn...)
	got, err = Read(ctx(t), o, func(r *record.Raw) error {
		offsets[r.Partition] = append(offsets[r.Partition], r.Offset)
		if seen++; seen == n {
			at()
		}
		return nil
	})
	return offsets, got, err
}

func upTo(from, to int64) []int64 {
	var out []int64
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func TestLeadersMayMoveAndErrorsMayPass(t *testing.T) {
	c, conn, cl := fake(t, kfake.NumBrokers(3), kfake.SeedTopics(3, "orders"))
	for p := range int32(3) {
		produce(t, cl, "orders", p, 3000, 1000)
	}
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Plan(ctx(t), conn, f, Sample{})
	if err != nil {
		t.Fatal(err)
	}
	var injected atomic.Int64
	codes := []*kerr.Error{kerr.NotLeaderForPartition, kerr.LeaderNotAvailable, kerr.FencedLeaderEpoch, kerr.UnknownTopicOrPartition, kerr.KafkaStorageError}
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		n := injected.Add(1)
		if n%3 != 0 || n > 60 {
			return nil, nil, false
		}
		if n%6 == 0 {
			return nil, errors.New("the broker hangs up"), true
		}
		res := req.ResponseKind().(*kmsg.FetchResponse)
		for _, t := range req.(*kmsg.FetchRequest).Topics {
			top := kmsg.NewFetchResponseTopic()
			top.Topic, top.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				part := kmsg.NewFetchResponseTopicPartition()
				part.Partition, part.ErrorCode = p.Partition, codes[n/3%int64(len(codes))].Code
				top.Partitions = append(top.Partitions, part)
			}
			res.Topics = append(res.Topics, top)
		}
		return res, nil, true
	})
	moves := 0
	offsets, got, err := slow(t, Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: plan.Segments[0], Patience: 20 * time.Second, Progress: func(Progress) { moves++; c.ShufflePartitionLeaders() }}, 1000, func() {
		for p := range int32(3) {
			if err := c.MoveTopicPartition("orders", p, (c.LeaderFor("orders", p)+1)%3); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || got.Incomplete != "" {
		t.Fatalf("%v, %+v", err, got)
	}
	for p := range int32(3) {
		if diff := cmp.Diff(upTo(0, 3000), offsets[p]); diff != "" {
			t.Fatalf("partition %d after %d injected errors: %s", p, injected.Load(), diff)
		}
	}
}

func TestBrokerThatComesBackAndOneThatDoesNot(t *testing.T) {
	for name, back := range map[string]bool{"back": true, "gone": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !back {
				cases.Slow(t)
			}
			dir := t.TempDir()
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"), kfake.DataDir(dir))
			if err != nil {
				t.Fatal(err)
			}
			addr := c.ListenAddrs()[0]
			conn := []kgo.Opt{kgo.SeedBrokers(addr), kgo.RetryTimeout(time.Second), kgo.MetadataMinAge(50 * time.Millisecond)}
			cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			produce(t, cl, "orders", 0, 2000, 1000)
			produce(t, cl, "orders", 1, 2000, 1000)
			f, err := Describe(ctx(t), conn, "orders", false)
			if err != nil {
				t.Fatal(err)
			}
			var troubles, recovered int
			o := Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: []Range{{Partition: 0, To: 2500}, {Partition: 1, To: 2500}}, Patience: 3 * time.Second,
				Trouble: func(err error) {
					if err != nil {
						troubles++
					} else {
						recovered++
					}
				}}
			var second *kfake.Cluster
			offsets, got, err := slow(t, o, 500, func() {
				c.Close()
				if back {
					_, port, err := net.SplitHostPort(addr)
					if err != nil {
						t.Error(err)
					}
					var n int
					_, _ = fmt.Sscan(port, &n)
					time.Sleep(500 * time.Millisecond)
					if second, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(n), kfake.SeedTopics(2, "orders"), kfake.DataDir(dir)); err != nil {
						t.Error(err)
						return
					}
					later, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
					if err != nil {
						t.Error(err)
						return
					}
					defer later.Close()
					produce(t, later, "orders", 0, 500, 5000)
					produce(t, later, "orders", 1, 500, 5000)
				}
			})
			if !back {
				if err == nil || !strings.Contains(err.Error(), "no Kafka broker answers") || len(got.Unfinished) == 0 || troubles != 1 || strings.Contains(err.Error(), "\n") {
					t.Fatalf("%v, %+v, %d notes", err, got, troubles)
				}
				return
			}
			defer second.Close()
			if err != nil || got.Incomplete != "" || len(offsets[0]) != 2500 || len(offsets[1]) != 2500 || recovered != troubles {
				t.Fatalf("%v, %+v, %d and %d records, %d troubles, %d recovered", err, got, len(offsets[0]), len(offsets[1]), troubles, recovered)
			}
		})
	}
}

func TestRetentionUnderTheReaderIsPassedAndNamed(t *testing.T) {
	_, conn, cl := fake(t, kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"))
	produce(t, cl, "orders", 0, 1000, 1000)
	produce(t, cl, "orders", 1, 1000, 1000)
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kadm.NewClient(cl).DeleteRecords(ctx(t), kadm.Offsets{"orders": {0: {Topic: "orders", Partition: 0, At: 400}, 1: {Topic: "orders", Partition: 1, At: 1000}}}); err != nil {
		t.Fatal(err)
	}
	gaps, firsts := map[int32]int64{}, map[int32]int64{}
	offsets := map[int32][]int64{}
	got, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: []Range{{Partition: 0, PreRoll: 50, From: 100, To: 1000}, {Partition: 1, To: 900}}, Gap: func(p int32, to int64) { gaps[p] = to }},
		func(r *record.Raw) error {
			offsets[r.Partition] = append(offsets[r.Partition], r.Offset)
			if r.First {
				firsts[r.Partition] = r.Offset
			}
			return nil
		})
	if err != nil || got.Incomplete != "" {
		t.Fatal(err, got)
	}
	if diff := cmp.Diff([]Removed{{0, 100, 400}, {1, 0, 900}}, got.Removed, cmp.Transformer("sorted", func(in []Removed) map[int32]Removed {
		out := map[int32]Removed{}
		for _, r := range in {
			out[r.Partition] = r
		}
		return out
	})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int32][]int64{0: upTo(400, 1000)}, offsets); diff != "" || firsts[0] != 400 || gaps[0] != 400 || gaps[1] != 1000 {
		t.Error(diff, firsts, gaps)
	}
	if want := "partition 0 offsets 100 to 399: removed by retention"; got.Removed[0].Partition == 0 && !strings.HasPrefix(got.Removed[0].String(), want) {
		t.Error(got.Removed[0])
	}
	if _, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: []Range{{Partition: 0, PreRoll: 5000, From: 5000, To: 6000}}}, func(*record.Raw) error { return nil }); err == nil || !strings.Contains(err.Error(), "offset 5000 is beyond the end") {
		t.Errorf("beyond the end: %v", err)
	}
}

func TestTopicDeletedOrMadeAnewWhileItIsRead(t *testing.T) {
	cases.Slow(t)
	for name, v := range map[string]struct {
		anew bool
		want string
	}{"deleted": {false, `topic "orders" was deleted while it was read`}, "made anew": {true, `topic "orders" was deleted and created anew while it was read`}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, conn, cl := fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
			produce(t, cl, "orders", 0, 1000, 1000)
			var gone atomic.Bool
			var said []string
			asked := atomic.Int64{}
			c.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				if gone.Load() {
					asked.Add(1)
				}
				return nil, nil, false
			})
			f, err := Describe(ctx(t), conn, "orders", false)
			if err != nil {
				t.Fatal(err)
			}
			adm := kadm.NewClient(cl)
			offsets, got, err := slow(t, Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: []Range{{To: 5000}}, deletedAfter: time.Second, Trouble: Troubled(func(line string) { said = append(said, line) })}, 1000, func() {
				if _, err := adm.DeleteTopic(ctx(t), "orders"); err != nil {
					t.Error(err)
				}
				gone.Store(true)
				if v.anew {
					if _, err := adm.CreateTopic(ctx(t), 1, 1, nil, "orders"); err != nil {
						t.Error(err)
					}
				}
			})
			if err == nil || !strings.Contains(err.Error(), v.want) || got.Positions[0] != 1000 || len(offsets[0]) != 1000 {
				t.Fatalf("%v, %+v", err, got)
			}
			if told := strings.Join(said, "\n"); !v.anew && !strings.Contains(told, `topic "orders" no longer exists; after 1 s it counts as deleted`) {
				t.Errorf("said %q", told)
			}
			if n := asked.Load(); n > 40 {
				t.Errorf("asked %d times for a topic that is gone", n)
			}
		})
	}
}

func TestPermissionTakenAwayWhileReading(t *testing.T) {
	c, conn, cl := fake(t, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	produce(t, cl, "orders", 0, 1000, 1000)
	denied := atomic.Bool{}
	c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if !denied.Load() {
			return nil, nil, false
		}
		res := req.ResponseKind().(*kmsg.FetchResponse)
		for _, t := range req.(*kmsg.FetchRequest).Topics {
			top := kmsg.NewFetchResponseTopic()
			top.Topic, top.TopicID = t.Topic, t.TopicID
			part := kmsg.NewFetchResponseTopicPartition()
			part.ErrorCode = kerr.TopicAuthorizationFailed.Code
			top.Partitions = append(top.Partitions, part)
			res.Topics = append(res.Topics, top)
		}
		return res, nil, true
	})
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := slow(t, Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: []Range{{To: 2000}}}, 900, func() { denied.Store(true) })
	if !errors.Is(err, kerr.TopicAuthorizationFailed) || !strings.Contains(err.Error(), "READ and DESCRIBE") || got.Positions[0] < 900 || got.Incomplete == "" {
		t.Fatalf("%v, %+v", err, got)
	}
}

// A partition in which nothing happens must not stop the others, however much waits for it.
func TestQuietPartitionDoesNotStopALiveTail(t *testing.T) {
	_, conn, cl := fake(t, kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"))
	produce(t, cl, "orders", 0, 5000, 1000)
	waiting, read := 0, 0
	c, cancel := context.WithCancel(ctx(t))
	defer cancel()
	o := Options{Conn: conn, Topic: "orders", Ranges: []Range{{Partition: 0}, {Partition: 1}}, Follow: true,
		Lagging: func(p int32) int { return waiting * int(1-p) },
		Release: func(most int) { waiting = min(waiting, most) }}
	_, err := Read(c, o, func(*record.Raw) error {
		waiting += 1000
		if read++; read == 5000 {
			cancel()
		}
		return nil
	})
	if err != nil || read != 5000 {
		t.Fatalf("%d records, %v", read, err)
	}
}
