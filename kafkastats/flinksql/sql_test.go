package flinksql

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/kafkastats/hist"
)

func job() Job {
	return Job{Topic: "or'ders", Columns: "`ts` BIGINT", EventMs: "`ts`", Format: "json", Options: map[string]string{"properties.bootstrap.servers": "k:9092"},
		From: map[int32]int64{1: 5, 0: 0}, To: map[int32]int64{0: 100, 1: 200}}
}

func TestStatements(t *testing.T) {
	got, err := job().Statements()
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for _, want := range []string{"'topic' = 'or''ders'", "'scan.startup.specific-offsets' = 'partition:0,offset:0;partition:1,offset:5'",
		"'scan.bounded.specific-offsets' = 'partition:0,offset:100;partition:1,offset:200'", "'scan.bounded.mode' = 'specific-offsets'"} {
		if !strings.Contains(got[1], want) {
			t.Errorf("no %s in %s", want, got[1])
		}
	}
	if !strings.Contains(got[2], "ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING") {
		t.Error(got[2])
	}
}

func TestStatementsRefuse(t *testing.T) {
	for _, spoil := range []func(*Job){
		func(j *Job) { j.Topic = "" },
		func(j *Job) { j.EventMs = "1; DROP TABLE x" },
		func(j *Job) { j.Options = nil },
	} {
		j := job()
		spoil(&j)
		if got, err := j.Statements(); err == nil {
			t.Errorf("accepted: %v", got)
		}
	}
}

// bottom computes what the query's MOD expression does.
func bottom(d int64) int64 {
	m, sign := d, int64(1)
	if d < 0 {
		m, sign = -d, -1
	}
	w := int64(1)
	for shift := 0; m >= int64(1)<<(shift+hist.SubBits+1); shift++ {
		w = int64(1) << (shift + 1)
	}
	return sign * (m - m%w)
}

func TestSQLBucketsAreTheHistograms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		d := r.Int64N(1 << uint(1+r.IntN(45)))
		if b := bottom(d); uint64(b) != hist.Bottom(hist.Index(uint64(d))) {
			t.Fatalf("%d falls into %d in SQL and %d here", d, b, hist.Bottom(hist.Index(uint64(d))))
		}
	}
}

func TestHistogramsEqualALocalReading(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	local := &hist.Histogram{}
	groups := map[int64]*Row{}
	rows := []Row{{Partition: 7, N: 1}}
	for range 20_000 {
		d := int64(r.ExpFloat64()*5000) - 3000
		local.Add(d)
		b := bottom(d)
		if groups[b] == nil {
			groups[b] = &Row{Partition: 7, Min: &d, Max: &d}
		}
		g := groups[b]
		g.N++
		lo, hi := min(*g.Min, d), max(*g.Max, d)
		g.Min, g.Max = &lo, &hi
	}
	for _, g := range groups {
		rows = append(rows, *g)
	}
	own, records := Histograms(rows)
	a, err := local.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := own[7].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" || records[7] != 20_001 {
		t.Fatal(records, diff)
	}
}
