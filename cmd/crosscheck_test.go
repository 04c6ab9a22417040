package cmd

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/analyze/crosscheck"
	"tidemark/flinkapi"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
	"tidemark/kafkastats/record"
	"tidemark/render"
)

const recordsDir = "../testdata/records"

// kafkaWith is a broker that holds the records of a file at their own offsets: what is missing before
// them is filled with old ones.
func kafkaWith(t *testing.T, name, file string, partitions int32) (*kgo.Client, string) {
	t.Helper()
	return kafkaWritten(t, name, file, partitions, func(r *kgo.Record) {})
}

// kafkaWritten is kafkaWith whose records are written by rewrite: their values hold "key,event time".
func kafkaWritten(t *testing.T, name, file string, partitions int32, rewrite func(*kgo.Record)) (*kgo.Client, string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	cl, err := kgo.NewClient(kgo.DisableClientMetrics(), kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	var all []*kgo.Record
	next := map[int32]int64{}
	add := func(p int32, at int64, value string) {
		r := &kgo.Record{Topic: name, Partition: p, Value: []byte(value), Timestamp: time.UnixMilli(at)}
		rewrite(r)
		all = append(all, r)
		next[p]++
	}
	err = record.Kcat{Path: filepath.Join(recordsDir, file)}.Read(context.Background(), func(r *record.Raw) error {
		for next[r.Partition] < r.Offset {
			add(r.Partition, 1_796_000_000_000, "k,1796000000000")
		}
		add(r.Partition, r.Timestamp, string(r.Value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(context.Background(), all...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return cl, c.ListenAddrs()[0]
}

// replayed is a recorded cluster behind HTTP, and the clock that both its metric cache and who reads it go by.
type replayed struct {
	url   string
	clock *flinktest.Clock
}

func clusterOf(t *testing.T, file string) replayed {
	t.Helper()
	rec, err := flinkapi.OpenRecording(filepath.Join(recordsDir, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	clock := flinktest.NewClock(rec.Entries[0].T)
	s := httptest.NewServer(flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Now: clock.Now}))
	t.Cleanup(s.Close)
	return replayed{s.URL, clock}
}

func crosschecked(t *testing.T, vars map[string]string, cluster replayed, args ...string) (render.CrosscheckData, error) {
	t.Helper()
	f := newFake(vars)
	f.cluster.Flink, f.quiet = cluster.url, true
	if cluster.clock != nil {
		f.Now, f.Sleep = cluster.clock.Now, cluster.clock.Sleep
	}
	c := newCrosscheck(f.globals)
	c.SetArgs(append(args, "-o", "json"))
	c.SetOut(f.out)
	c.SetErr(f.err)
	c.SilenceErrors, c.SilenceUsage = true, true
	err := c.ExecuteContext(context.Background())
	var d render.CrosscheckData
	if f.out.Len() > 0 {
		if err := json.Unmarshal(f.out.Bytes(), &d); err != nil {
			t.Fatalf("not JSON: %v\n%s", err, f.out)
		}
	}
	return d, err
}

func TestCrosscheckReadsTheTopicUpToEachReader(t *testing.T) {
	t.Parallel()
	cl, broker := kafkaWith(t, "orders", "orders.jsonl.gz", 5)
	job := clusterOf(t, "job-healthy.jsonl.gz")
	d, err := crosschecked(t, nil, job, "lab-healthy", "--brokers", broker, "--field", "2", "--delay", "2s")
	if err != nil {
		t.Fatal(err)
	}
	s := d.Sources[0]
	if f := s.InForce; f == nil || !f.Exact || f.FromMs != 2000 || f.Agree != 8 {
		t.Errorf("in force: %+v", f)
	}
	for _, r := range append(s.Splits, s.Subtasks...) {
		if r.Verdict != crosscheck.Equal {
			t.Errorf("%s is %s (%s)", r.Label, r.Verdict, r.Reason)
		}
	}
	if len(s.Partitions) != 5 || s.Partitions[4].End != 0 || !s.Partitions[0].Complete {
		t.Errorf("partitions %+v", s.Partitions)
	}

	// A fifth partition, which nobody reads, gets a record.
	late := &kgo.Record{Topic: "orders", Partition: 4, Value: []byte("k,1796026850000"), Timestamp: time.UnixMilli(1_796_026_850_000)}
	if err := cl.ProduceSync(context.Background(), late).FirstErr(); err != nil {
		t.Fatal(err)
	}
	d, err = crosschecked(t, map[string]string{"TIDEMARK_BROKERS": broker}, clusterOf(t, "job-healthy.jsonl.gz"), "lab-healthy", "--field", "2")
	if err != errFindings || len(d.Job.Findings) != 1 || d.Job.Findings[0].Code != "TM805" || d.Job.Findings[0].Split != "orders-4" {
		t.Errorf("%v: %+v", err, d.Job.Findings)
	}
}

func TestCrosscheckSaysWhatIsWrongWithTheBroker(t *testing.T) {
	t.Parallel()
	_, broker := kafkaWith(t, "order", "silent3.jsonl.gz", 4)
	job := clusterOf(t, "job-healthy.jsonl.gz")
	_, err := crosschecked(t, nil, job, "lab-healthy", "--brokers", broker, "--field", "2")
	expect.Error(t, err, `topic "orders" does not exist; near: "order"`)
	path := expect.File(t, "client.properties", "bootstrap.servers="+broker+"\nsecurity.protocol=MAGIC\n")
	_, err = crosschecked(t, nil, clusterOf(t, "job-healthy.jsonl.gz"), "lab-healthy", "--kafka-config", path, "--field", "2")
	expect.Error(t, err, "security.protocol")
}

func TestMoreSamplesGiveMoreObservations(t *testing.T) {
	t.Parallel()
	_, broker := kafkaWith(t, "orders", "orders.jsonl.gz", 4)
	d, err := crosschecked(t, nil, clusterOf(t, "job-healthy.jsonl.gz"), "lab-healthy", "--brokers", broker, "--field", "2", "--samples", "1")
	if err != nil || d.Sources[0].InForce.Observations != 4 || d.Job.Samples != 1 {
		t.Errorf("%v: one sample gives %+v", err, d.Sources[0].InForce)
	}
	_, err = crosschecked(t, nil, replayed{}, "lab-healthy", "--samples", "0")
	expect.Error(t, err, "--samples is 0")
}
