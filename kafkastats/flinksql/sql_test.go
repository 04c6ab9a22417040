package flinksql

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

func job() Job {
	return Job{Topic: "or'ders", Columns: "`ts` BIGINT", EventMs: "`ts`", Format: "json", Options: map[string]string{"properties.bootstrap.servers": "k:9092"},
		Start: map[int32]int64{0: 0, 1: 3}, From: map[int32]int64{1: 5, 0: 0}, To: map[int32]int64{0: 100, 1: 200},
		FutureMs: 300_000, NowMs: 1_796_000_000_000, ModernMs: 100_000_000_000}
}

func TestStatements(t *testing.T) {
	got, err := job().Statements()
	if err != nil || len(got) != 8 {
		t.Fatal(got, err)
	}
	all := strings.Join(got, ";\n")
	for _, want := range []string{"'topic' = 'or''ders'", "'scan.startup.specific-offsets' = 'partition:0,offset:0;partition:1,offset:3'",
		"'scan.bounded.specific-offsets' = 'partition:0,offset:100;partition:1,offset:200'", "'scan.bounded.mode' = 'specific-offsets'",
		"SET 'pipeline.name' = 'tidemark measures or''ders'", "CASE WHEN tm_offset >= CASE tm_partition WHEN 1 THEN 5 ELSE 0 END THEN CASE", "THEN 'pre_roll' ELSE 'pre_roll_unusable' END",
		"tm_event - tm_arrival > 300000 OR tm_event - 1796000000000 > 300000", "tm_arrival > 100000000000",
		"ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	whole := job()
	whole.Start, whole.NowMs = nil, 0
	if got, err := whole.Statements(); err != nil || strings.Contains(got[4], "OR tm_event -") ||
		!strings.Contains(got[3], "'scan.startup.specific-offsets' = 'partition:0,offset:0;partition:1,offset:5'") || strings.Contains(got[4], "THEN 'pre_roll'") {
		t.Errorf("nothing to pre-roll, no clock: %v %v", got, err)
	}
}

func TestStatementsRefuse(t *testing.T) {
	for _, spoil := range []func(*Job){
		func(j *Job) { j.Topic = "" },
		func(j *Job) { j.EventMs = "1; DROP TABLE x" },
		func(j *Job) { j.Options = nil },
		func(j *Job) { j.From = nil },
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

// The ladder of the query gives the block of a local reading over the same stretch, or half of it.
func TestSQLBlocksAreThoseOfALocalReading(t *testing.T) {
	ladder := blockLength("span")
	for _, ms := range []int64{125, 250, 64_000, 4_096_000, 125 << 39, 125 << 40} {
		if _, err := measure.NewBlocks(ms); err != nil || !strings.Contains(ladder, fmt.Sprintf("THEN CAST(%d AS BIGINT)", ms)) && !strings.Contains(ladder, fmt.Sprintf("ELSE CAST(%d AS BIGINT)", ms)) {
			t.Errorf("%d ms: %v", ms, err)
		}
	}
	if !strings.HasPrefix(ladder, "CASE WHEN span < CAST(32000 AS BIGINT) THEN CAST(125 AS BIGINT) WHEN span < CAST(64000 AS BIGINT) THEN CAST(250 AS BIGINT) WHEN") {
		t.Error(ladder[:120])
	}
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
