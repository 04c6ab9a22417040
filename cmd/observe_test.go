package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tidemark/kafkastats/observe"
	"tidemark/kafkastats/profile"
	"tidemark/render"
)

// observing runs observe in this process, so that a test can change the cluster meanwhile.
type observing struct {
	fake
	o    observe.Request
	end  context.CancelFunc
	done chan error
}

func startObserve(t *testing.T, addr, file string, change func(*observe.Request)) *observing {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	w := &observing{fake: newFake(nil), end: cancel, done: make(chan error, 1)}
	w.Now = time.Now
	w.o = observe.Defaults()
	w.o.Topic, w.o.File, w.o.Flush, w.o.FromStart, w.o.Refresh = "orders", file, time.Millisecond, true, 100*time.Millisecond
	w.o.Connection.Brokers, w.o.EventTime.Field = []string{addr}, "event_time"
	if change != nil {
		change(&w.o)
	}
	go func() { w.done <- runObserve(ctx, w.globals, w.o, output{format: "json"}) }()
	return w
}

// until waits until the profile holds so many records.
func (w *observing) until(t *testing.T, n int64) {
	t.Helper()
	var got int64
	for range 300 {
		if p, err := profile.Read(w.o.File); err == nil {
			if got = seen(t, p); got >= n {
				return
			}
		}
		select {
		case err := <-w.done:
			t.Fatalf("ended with %d of %d records: %v", got, n, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("%d of %d records", got, n)
}

func (w *observing) stop(t *testing.T) {
	t.Helper()
	w.end()
	if err := <-w.done; code(err) != exitInterrupted {
		t.Fatal(err)
	}
}

// observed runs the command observe until the profile holds so many records.
func observed(t *testing.T, records int64, file, addr string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	go func() {
		for ctx.Err() == nil && passed(file) < records {
			time.Sleep(25 * time.Millisecond)
		}
		cancel()
	}()
	args = append([]string{"orders", "--brokers", addr, "--field", "event_time", "--profile", file, "--from-start", "--flush", "1ms"}, args...)
	if _, e, err := runUnder(ctx, newObserve, "", "", args...); code(err) != exitInterrupted {
		t.Fatal(err, e)
	}
}

func decodeObservation(t *testing.T, text string) (d render.ObservationData) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return d
}

// observe reports what it added whatever ended it: to standard output, and into as many files as were asked for.
func TestObserveReports(t *testing.T) {
	t.Parallel()
	parts := [][]planted{smooth(300, 1), smooth(200, 2)}
	addr, dir := brokerWith(t, parts), t.TempDir()
	line := func(more ...string) []string {
		return append([]string{"observe", "orders", "--brokers", addr, "--field", "event_time", "--from-start", "--flush", "1ms", "--profile", filepath.Join(dir, "p")}, more...)
	}
	interrupted := func(records int64, more ...string) render.ObservationData {
		ctx, end := context.WithTimeout(context.Background(), 60*time.Second)
		defer end()
		go func() {
			for ctx.Err() == nil && passed(filepath.Join(dir, "p")) < records {
				time.Sleep(20 * time.Millisecond)
			}
			end()
		}()
		out, e, err := runUnder(ctx, newObserve, "json", "", line(more...)[1:]...)
		if code(err) != exitInterrupted {
			t.Fatal(err, e)
		}
		return decodeObservation(t, out)
	}
	first := interrupted(500, "--report", "markdown="+dir+"/r.md", "--report", "html="+dir+"/r.html", "--report", "yaml="+dir+"/r.yaml", "--report", "table="+dir+"/r.txt")
	want := []observe.Partition{{ID: 0, To: 300, Records: 300, Held: 300}, {ID: 1, To: 200, Records: 200, Held: 200}}
	if first.Schema != render.SchemaObservation || first.Ended != observe.Interrupted || first.Records != 500 || !first.Profile.Begun || !slices.Equal(first.Partitions, want) || first.EndedMs <= first.BeganMs {
		t.Errorf("%+v", first)
	}
	for _, file := range []string{"r.md", "r.html", "r.yaml", "r.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), "500") {
			t.Errorf("%s: %v %s", file, err, text)
		}
	}
	fill(t, addr, [][]planted{smooth(100, 3)})
	second := interrupted(600)
	want = []observe.Partition{{ID: 0, From: 300, To: 400, Records: 100, Held: 400}, {ID: 1, From: 200, To: 200, Held: 200}}
	if second.Records != 100 || second.Profile.Begun || second.Profile.Records != 600 || !slices.Equal(second.Partitions, want) {
		t.Errorf("%+v", second)
	}
	f := newFake(nil)
	if code := Main(line("--for", "500ms", "-o", "json"), f.env); code != exitClean || f.err.Len() > 0 {
		t.Fatalf("%d %s", code, f.err)
	}
	if third := decodeObservation(t, f.out.String()); third.Ended != observe.TimeOver || third.Records != 0 || third.Profile.Records != 600 {
		t.Errorf("%+v", third)
	}
	if code := Main(line("-o", "yml"), newFake(nil).env); code != exitUsage {
		t.Errorf("an unknown format ends with %d", code)
	}
}

func smooth(n int, seed uint64) []planted {
	return plant(n, seed, func(r *rand.Rand) int64 { return r.Int64N(3000) })
}

func admin(t *testing.T, addr string) *kadm.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

func TestObserveTakesUpNewPartitions(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(500, 1), smooth(500, 2)})
	w := startObserve(t, addr, filepath.Join(t.TempDir(), "p"), nil)
	w.until(t, 1000)
	if _, err := admin(t, addr).CreatePartitions(context.Background(), 1, "orders"); err != nil {
		t.Fatal(err)
	}
	fill(t, addr, [][]planted{nil, nil, smooth(300, 3)})
	w.until(t, 1300)
	w.stop(t)
	p, err := profile.Read(w.o.File)
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(p.Positions)), []int32{0, 1, 2}) || p.Positions[2] != 300 || p.Counted.Partitions[2].Ranges[0].From != 0 {
		t.Fatalf("%v, positions %v", err, p.Positions)
	}
	if n := strings.Count(w.err.String(), "partition 2 is new"); n != 1 {
		t.Errorf("said %d times: %s", n, w.err.String())
	}
}

func TestObserveSaysThatTheTopicWasMadeAnew(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(500, 1)})
	file := filepath.Join(t.TempDir(), "p")
	w := startObserve(t, addr, file, nil)
	w.until(t, 500)
	adm := admin(t, addr)
	if _, err := adm.DeleteTopic(context.Background(), "orders"); err != nil {
		t.Fatal(err)
	}
	if _, err := adm.CreateTopic(context.Background(), 1, 1, nil, "orders"); err != nil {
		t.Fatal(err)
	}
	fill(t, addr, [][]planted{smooth(900, 1)})
	err := <-w.done
	if code(err) != exitIncomplete || !strings.Contains(err.Error(), "was deleted and created anew") || !strings.Contains(err.Error(), "keeps") || strings.Contains(err.Error(), "\n") {
		t.Fatal(err)
	}
	if p, err := profile.Read(file); err != nil || seen(t, p) != 500 {
		t.Fatal(err)
	}
	w = startObserve(t, addr, file, nil)
	if err := <-w.done; code(err) != exitUsage || !strings.Contains(err.Error(), "the topic was deleted and created anew, its offsets start again): use another file") {
		t.Fatal(err)
	}
}

func TestObserveGoesOnBehindWhatRetentionRemoved(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(500, 1)})
	file := filepath.Join(t.TempDir(), "p")
	w := startObserve(t, addr, file, nil)
	w.until(t, 500)
	w.stop(t)
	fill(t, addr, [][]planted{smooth(700, 2)})
	if _, err := admin(t, addr).DeleteRecords(context.Background(), kadm.Offsets{"orders": {0: {Topic: "orders", At: 600}}}); err != nil {
		t.Fatal(err)
	}
	w = startObserve(t, addr, file, nil)
	w.until(t, 1100)
	w.stop(t)
	p, err := profile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Counted.Partitions[0]; len(got.Ranges) != 2 || got.Ranges[1].From != 600 || got.Ranges[1].To != 1200 || got.Jumps != 0 {
		t.Errorf("ranges %v, %d jumps", got.Ranges, got.Jumps)
	}
	if want := "partition 0 offsets 500 to 599: removed by retention before they could be read"; !strings.Contains(w.err.String(), want) {
		t.Errorf("%s, want %q", w.err.String(), want)
	}
}

func TestObserveWithoutARecordYet(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{nil})
	file := filepath.Join(t.TempDir(), "p")
	w := startObserve(t, addr, file, func(o *observe.Request) { o.EventTime.Field = "" })
	if err := <-w.done; code(err) != exitUsage || !strings.Contains(err.Error(), "has no record to find the event time in: name it with --field") {
		t.Fatal(err)
	}
	// From the end on: what arrives between two runs, or before the first flush, is not lost.
	w = startObserve(t, addr, file, func(o *observe.Request) { o.FromStart = false })
	for range 100 {
		if _, ok, _ := profile.ReadKey(file); ok {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	w.stop(t)
	fill(t, addr, [][]planted{smooth(200, 1)})
	// The field is that of the profile now.
	w = startObserve(t, addr, file, func(o *observe.Request) { o.FromStart, o.EventTime.Field = false, "" })
	w.until(t, 200)
	w.stop(t)
	fill(t, addr, [][]planted{smooth(200, 2)})
	w = startObserve(t, addr, file, func(o *observe.Request) { o.Windows = []time.Duration{time.Second} })
	if err := <-w.done; code(err) != exitUsage || !strings.Contains(err.Error(), "windows (ms) [60000] and [1000]") {
		t.Fatal(err)
	}
}

func TestObserveBesideAnother(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(200, 1)})
	file := filepath.Join(t.TempDir(), "p")
	w := startObserve(t, addr, file, nil)
	w.until(t, 200)
	second := startObserve(t, addr, file, nil)
	if err := <-second.done; code(err) != exitUsage || !strings.Contains(err.Error(), "another process observes into it") {
		t.Fatal(err)
	}
	w.stop(t)
	other := startObserve(t, addr, filepath.Join(t.TempDir(), "q"), nil)
	other.until(t, 200)
	other.stop(t)
	_, _, err := run(t, newRecommend, "json", "", "--profile", file, "--profile", other.o.File)
	if code(err) != exitUsage || !strings.Contains(err.Error(), "partition 0: offsets 0 to 199 and offsets 0 to 199 overlap") || !strings.Contains(err.Error(), file) {
		t.Fatal(err)
	}
}

func TestObserveGivesUpOnBrokenRecordsOnlyWhenTheyAreMany(t *testing.T) {
	t.Parallel()
	addr := brokerWith(t, [][]planted{smooth(200, 1)})
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	broken := func(n int) {
		t.Helper()
		var rs []*kgo.Record // in one batch: what counts is how many come between two flushes
		for i := range n {
			rs = append(rs, &kgo.Record{Topic: "orders", Value: fmt.Append(nil, "broken ", i), Timestamp: time.UnixMilli(1_796_000_100_000)})
		}
		if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	w := startObserve(t, addr, filepath.Join(t.TempDir(), "p"), func(o *observe.Request) { o.MaxErrors = 10 })
	for round := range int64(3) {
		broken(6)
		w.until(t, 200+6*(round+1))
	}
	broken(50)
	if err := <-w.done; code(err) != exitIncomplete || !strings.Contains(err.Error(), "undecodable records in") || !strings.Contains(err.Error(), "keeps the") {
		t.Fatal(err)
	}
}

// denying refuses requests of one kind for the topic, once it is switched on.
func denying(c *kfake.Cluster, key int16, on *atomic.Bool) {
	c.ControlKey(key, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if !on.Load() {
			return nil, nil, false
		}
		switch r := req.(type) {
		case *kmsg.FetchRequest:
			res := r.ResponseKind().(*kmsg.FetchResponse)
			for _, t := range r.Topics {
				top := kmsg.NewFetchResponseTopic()
				top.Topic, top.TopicID = t.Topic, t.TopicID
				for _, p := range t.Partitions {
					part := kmsg.NewFetchResponseTopicPartition()
					part.Partition, part.ErrorCode = p.Partition, kerr.TopicAuthorizationFailed.Code
					top.Partitions = append(top.Partitions, part)
				}
				res.Topics = append(res.Topics, top)
			}
			return res, nil, true
		case *kmsg.MetadataRequest:
			if len(r.Topics) == 0 {
				return nil, nil, false
			}
			res := r.ResponseKind().(*kmsg.MetadataResponse)
			for _, t := range r.Topics {
				top := kmsg.NewMetadataResponseTopic()
				top.Topic, top.TopicID, top.ErrorCode = t.Topic, t.TopicID, kerr.TopicAuthorizationFailed.Code
				res.Topics = append(res.Topics, top)
			}
			return res, nil, true
		}
		return nil, errors.New("unexpected"), true
	})
}

func TestPermissionsThatAreMissing(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]int16{"describe": int16(kmsg.Metadata), "read": int16(kmsg.Fetch)} {
		t.Run(name, func(t *testing.T) {
			c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			addr := c.ListenAddrs()[0]
			fill(t, addr, [][]planted{smooth(500, 1)})
			var on atomic.Bool
			denying(c, key, &on)
			file := filepath.Join(t.TempDir(), "p")
			w := startObserve(t, addr, file, nil)
			w.until(t, 500)
			on.Store(true)
			if key == int16(kmsg.Metadata) {
				w.stop(t) // what was granted at the start is enough to continue
			} else {
				err := <-w.done
				if code(err) != exitIncomplete || !strings.Contains(err.Error(), "READ and DESCRIBE") || !strings.Contains(err.Error(), "keeps the 500 records") || strings.Contains(err.Error(), "\n") {
					t.Fatal(err)
				}
			}
			for _, build := range []string{"recommend", "observe"} {
				args := []string{"orders", "--brokers", addr, "--field", "event_time"}
				command := newRecommend
				if build == "observe" {
					command, args = newObserve, append(args, "--profile", file)
				}
				if _, _, err := run(t, command, "", "", args...); code(err) != exitIncomplete || !strings.Contains(err.Error(), "READ and DESCRIBE") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", build, err)
				}
			}
			if p, err := profile.Read(file); err != nil || seen(t, p) != 500 {
				t.Errorf("the profile: %v", err)
			}
		})
	}
}
