package kafkastats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/cases"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

const start = int64(1_796_000_000_000)

// raw is a record whose value is its event time; every broken-th cannot be read.
func raw(partition int32, offset int64, broken int64) record.Raw {
	value := fmt.Append(nil, start+offset*100-offset*37%5000)
	if broken > 0 && offset%broken == 0 {
		value = []byte("broken")
	}
	return record.Raw{Topic: "orders", Partition: partition, Offset: offset, Timestamp: start + offset*100, Type: record.CreateTime, Value: value, First: offset == 0}
}

// source yields records of two partitions in turn and then ends with an error, if any.
type source struct {
	n, broken int64
	end       error
}

func (s source) Read(ctx context.Context, yield func(*record.Raw) error) error {
	for i := range s.n {
		for p := range int32(2) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r := raw(p, i, s.broken)
			if err := yield(&r); err != nil {
				return err
			}
		}
	}
	return s.end
}

func extractor(t testing.TB) *decode.Extractor {
	t.Helper()
	e, err := decode.New(context.Background(), decode.Options{Format: decode.Raw})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestMeasureRecordsCountsKeepsAndEnds(t *testing.T) {
	torn := errors.New("the file is torn")
	for name, v := range map[string]struct {
		src         source
		maxErrors   int64
		seen, bad   uint64
		shown, kept int
		all         bool
		incomplete  string
		err         error
	}{
		"whole":           {source{n: 500}, 10, 1000, 0, 0, 600, false, "", nil},
		"short":           {source{n: 100}, 10, 200, 0, 0, 200, true, "", nil},
		"broken, allowed": {source{n: 100, broken: 10}, 20, 200, 20, 5, 180, true, "", nil},
		"broken, never":   {source{n: 100, broken: 10}, -1, 200, 20, 5, 180, true, "", nil},
		"too many":        {source{n: 100, broken: 10}, 3, 42, 4, 4, 18, true, "too many undecodable records: 4", ErrTooMany},
		"source fails":    {source{n: 50, end: torn}, 10, 100, 0, 0, 100, true, "the file is torn", torn},
		"nothing":         {source{}, 10, 0, 0, 0, 0, true, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := MeasureRecords(context.Background(), v.src, Options{Extractor: extractor(t), MaxErrors: v.maxErrors, Keep: 600})
			if !errors.Is(err, v.err) {
				t.Fatal(err)
			}
			total := out.Measurement.Total()
			// The record that was too many is not counted any more.
			seen := v.seen
			if v.err == ErrTooMany {
				seen, v.bad = total.Seen(), total.Undecodable
			}
			if total.Seen() != seen || total.Undecodable != v.bad || len(out.Errors) != v.shown || len(out.Kept) != v.kept || out.KeptAll != v.all || !strings.HasPrefix(out.Incomplete, v.incomplete) || (v.incomplete == "") != (out.Incomplete == "") {
				t.Fatalf("%d seen, %d undecodable, %d shown, %d kept (all %v), incomplete %q", total.Seen(), total.Undecodable, len(out.Errors), len(out.Kept), out.KeptAll, out.Incomplete)
			}
		})
	}
}

func TestMeasureRecordsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := MeasureRecords(ctx, source{n: 10}, Options{Extractor: extractor(t)})
	if err != nil || out.Incomplete != "interrupted" || out.Measurement == nil {
		t.Fatalf("%v, %q", err, out.Incomplete)
	}
}

// A file may have the partitions in any order: the first half million records decide which there are.
func TestFileWithOnePartitionBehindTheOther(t *testing.T) {
	var first, second []record.Raw
	for i := range int64(300) {
		first, second = append(first, raw(0, i, 0)), append(second, raw(1, i, 0))
	}
	together, err := MeasureRecords(context.Background(), source{n: 300}, Options{Extractor: extractor(t)})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := MeasureRecords(context.Background(), list(append(second, first...)), Options{Extractor: extractor(t)})
	if err != nil {
		t.Fatal(err)
	}
	a, b := together.Measurement.TopicTotal(), apart.Measurement.TopicTotal()
	if a.Merged.Count() == 0 || a.Merged.Count() != b.Merged.Count() || a.Merged.Max() != b.Merged.Max() || a.Global.Above(0) != b.Global.Above(0) || a.Passage.Count() != b.Passage.Count() {
		t.Fatalf("merged %d and %d", a.Merged.Count(), b.Merged.Count())
	}
}

type list []record.Raw

func (l list) Read(_ context.Context, yield func(*record.Raw) error) error {
	for i := range l {
		if err := yield(&l[i]); err != nil {
			return err
		}
	}
	return nil
}

// filled starts a broker with two partitions of n records each.
func filled(t testing.TB, n int64) (topic.Options, topic.Facts, *kadm.Client) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	conn := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}
	cl, err := kgo.NewClient(append(conn, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	var rs []*kgo.Record
	for i := range n {
		for p := range int32(2) {
			r := raw(p, i, 0)
			rs = append(rs, &kgo.Record{Topic: "orders", Partition: p, Value: r.Value, Timestamp: time.UnixMilli(r.Timestamp)})
		}
	}
	if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f, err := topic.Describe(context.Background(), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	return topic.Options{Conn: conn, Topic: "orders", TopicID: f.ID}, f, kadm.NewClient(cl)
}

func TestMeasureTopicInSegmentsAndWhole(t *testing.T) {
	o, f, _ := filled(t, 9000)
	for name, v := range map[string]struct {
		sample     topic.Sample
		seen, roll uint64
	}{
		"whole":    {topic.Sample{}, 18_000, 0},
		"last":     {topic.Sample{Part: record.Part{Last: 1000}}, 1000, 4000},
		"segments": {topic.Sample{Segments: 3, Records: 1000}, 6000, 8000},
	} {
		plan, err := topic.Plan(context.Background(), o.Conn, f, v.sample)
		if err != nil {
			t.Fatal(err)
		}
		out, err := MeasureTopic(context.Background(), o, plan.Segments, Options{Extractor: extractor(t), MaxErrors: 0, Keep: 100})
		if err != nil || out.Incomplete != "" || len(out.Kept) != 100 {
			t.Fatalf("%s: %v, %q", name, err, out.Incomplete)
		}
		total := out.Measurement.Total()
		// Every record but the first of a partition knows the maximum before it.
		known := v.seen
		if v.roll == 0 {
			known -= 2
		} else if name == "segments" {
			known -= 2 // the first segment begins where the topic does
		}
		if total.Seen() != v.seen || total.PreRoll != v.roll || total.Own.Count() != known {
			t.Errorf("%s: %d seen, %d before, %d with disorder, want %d", name, total.Seen(), total.PreRoll, total.Own.Count(), known)
		}
	}
}

func TestMeasureTopicThatShrinksUnderTheReader(t *testing.T) {
	o, f, adm := filled(t, 5000)
	if _, err := adm.DeleteRecords(context.Background(), kadm.Offsets{"orders": {0: {Topic: "orders", At: 2000}}}); err != nil {
		t.Fatal(err)
	}
	plan, err := topic.Plan(context.Background(), o.Conn, f, topic.Sample{}) // as it was described before
	if err != nil {
		t.Fatal(err)
	}
	out, err := MeasureTopic(context.Background(), o, plan.Segments, Options{Extractor: extractor(t)})
	if err != nil || out.Incomplete != "" || len(out.Removed) != 1 || out.Removed[0] != (topic.Removed{Partition: 0, From: 0, To: 2000}) {
		t.Fatalf("%v, %+v", err, out.Removed)
	}
	if p := out.Measurement.Partitions[0]; p.Jumps != 0 || out.Measurement.Total().Seen() != 8000 {
		t.Errorf("%d jumps, %d records", p.Jumps, out.Measurement.Total().Seen())
	}
}

func TestMeasureTopicOutOfTime(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	o, f, _ := filled(t, 100)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	plan := [][]topic.Range{{{Partition: 0, To: 100}, {Partition: 1, To: f.End[1] + 50}}, {{Partition: 0, From: 50, To: 60}}}
	out, err := MeasureTopic(ctx, o, plan, Options{Extractor: extractor(t)})
	if err != nil || out.Incomplete != "the time limit was reached in segment 1 of 2, 1 partitions unfinished" || out.Measurement.Total().Seen() != 200 {
		t.Fatalf("%v, %q, %d records", err, out.Incomplete, out.Measurement.Total().Seen())
	}
}

func TestVerifySetsTheReplayBesideThePrediction(t *testing.T) {
	out, err := MeasureRecords(context.Background(), source{n: 200}, Options{Extractor: extractor(t), Keep: 400, Measure: measure.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	replay := func(_ context.Context, delay int64, points []record.Point) (late uint64, err error) {
		top := map[int32]int64{0: 0, 1: 0}
		for _, p := range points {
			if p.Event <= top[p.Partition]-delay-1 {
				late++
			}
			top[p.Partition] = max(top[p.Partition], p.Event)
		}
		return late, nil
	}
	for _, delay := range []int64{0, 100, 1000, 10_000} {
		records, late, predicted, err := Verify(context.Background(), replay, out, delay, 0)
		if err != nil || records != 400 || late != predicted || predicted != out.Measurement.Total().Own.Above(delay) && delay < 256 {
			t.Errorf("at %d ms: %d records, %d late, %d predicted, %v", delay, records, late, predicted, err)
		}
	}
	broken := errors.New("broken")
	if _, _, _, err := Verify(context.Background(), func(context.Context, int64, []record.Point) (uint64, error) { return 0, broken }, out, 5, 0); !errors.Is(err, broken) || !strings.Contains(err.Error(), "delay of 5 ms") {
		t.Error(err)
	}
}
