package observe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// day is a file of kcat's lines with the offsets [from, to) of two partitions.
func day(t *testing.T, from, to int) string {
	t.Helper()
	var b strings.Builder
	for i := from; i < to; i++ {
		at := int64(1_796_000_000_000) + int64(i)*1000
		for p := range 2 {
			fmt.Fprintf(&b, `{"topic":"orders","partition":%d,"offset":%d,"tstype":"create","ts":%d,"key":null,"payload":"{\"ts\":%d}"}`+"\n", p, i, at+50, at-int64(i%7)*1000)
		}
	}
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", from))
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func observed(t *testing.T, file, records string, change ...func(*Request)) (*Result, error) {
	t.Helper()
	r := Defaults()
	r.Topic, r.File, r.Records.Path, r.EventTime.Field = "orders", file, records, "ts"
	for _, c := range change {
		c(&r)
	}
	return Run(context.Background(), request.Background(), r)
}

// A profile built from two archives is that of both together, and counts no record twice.
func TestAProfileGrowsFromArchives(t *testing.T) {
	both := filepath.Join(t.TempDir(), "both")
	if _, err := observed(t, both, day(t, 0, 2000)); err != nil {
		t.Fatal(err)
	}
	whole, err := profile.Read(both)
	if err != nil {
		t.Fatal(err)
	}
	parts := filepath.Join(t.TempDir(), "parts")
	first := day(t, 0, 800)
	for _, records := range []string{first, day(t, 800, 2000)} {
		if _, err := observed(t, parts, records); err != nil {
			t.Fatal(err)
		}
	}
	got, err := profile.Read(parts)
	if err != nil {
		t.Fatal(err)
	}
	a, b := whole.Counted.Total(), got.Counted.Total()
	if a.Records != 4000 || b.Records != a.Records {
		t.Fatalf("%d and %d records", a.Records, b.Records)
	}
	for d := range int64(8) {
		if x, y := a.Own.Above(d*1000), b.Own.Above(d*1000); x != y {
			t.Errorf("%d and %d records beyond %d s", x, y, d)
		}
	}
	none, err := observed(t, parts, first)
	if err != nil || none.Records != 0 || none.Profile.Records != 4000 || none.Profile.Begun {
		t.Fatalf("%v %+v", err, none)
	}
	if again, _ := profile.Read(parts); again.Counted.Total().Records != 4000 {
		t.Fatalf("%d records after the first file once more", again.Counted.Total().Records)
	}
}

func TestAnArchiveOfAnotherTopicIsRefused(t *testing.T) {
	r := Defaults()
	r.Topic, r.File, r.Records.Path, r.EventTime.Field = "payments", filepath.Join(t.TempDir(), "p"), day(t, 0, 10), "ts"
	if _, err := Run(context.Background(), request.Background(), r); err == nil || !strings.Contains(err.Error(), `a record of topic "orders"`) {
		t.Fatal(err)
	}
}

// The figures of a run are those by which the profile grew, and the gaps are what it does not have.
func TestWhatARunAdded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p")
	first, err := observed(t, file, day(t, 0, 800))
	if err != nil || first.Records != 1600 || !first.Profile.Begun || first.Ended != FileRead || len(first.Gaps) != 0 {
		t.Fatalf("%v %+v", err, first)
	}
	if want := (EventTime{Format: "json", Field: "ts", Unit: "auto"}); first.EventTime != want || !slices.Equal(first.Windows, []int64{60_000}) {
		t.Errorf("%+v, windows %v", first.EventTime, first.Windows)
	}
	second, err := observed(t, file, day(t, 900, 2000))
	if err != nil {
		t.Fatal(err)
	}
	want := []Partition{{ID: 0, From: 800, To: 2000, Records: 1100, Held: 1900}, {ID: 1, From: 800, To: 2000, Records: 1100, Held: 1900}}
	if second.Records != 2200 || second.Profile.Records != 3800 || second.Profile.Begun || !slices.Equal(second.Partitions, want) {
		t.Errorf("%d records, the profile holds %d; %+v", second.Records, second.Profile.Records, second.Partitions)
	}
	if len(second.Gaps) != 2 || second.Gaps[0].From != 800 || second.Gaps[0].To != 900 || !strings.HasPrefix(second.Gaps[0].Why, "not in ") {
		t.Errorf("gaps %v", second.Gaps)
	}
	if s := second.Span; s.N != 2200 || s.FirstArrival != 1_796_000_900_050 || s.LastArrival != 1_796_001_999_050 {
		t.Errorf("%+v", s)
	}
}

// A part of an archive counts as the same part of a topic would: what comes before teaches the maximum, and no
// record is counted that was not asked for.
func TestAPartOfAnArchive(t *testing.T) {
	whole, file := day(t, 0, 2000), filepath.Join(t.TempDir(), "p")
	at := func(second int) string {
		return time.UnixMilli(1_796_000_000_050 + int64(second)*1000).UTC().Format(time.RFC3339Nano)
	}
	first, err := observed(t, file, whole, func(r *Request) { r.Since, r.Until = at(500), at(800) })
	if err != nil || first.Records != 600 || *first.LeftOut != (record.LeftOut{Before: 1000, After: 2400}) {
		t.Fatalf("%v %+v", err, first)
	}
	if p := first.Partitions[0]; p.From != 500 || p.To != 800 {
		t.Errorf("%+v", p)
	}
	got, err := profile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Counted.Total(); c.Own.Count() != 600 || c.PreRoll != 1000 {
		t.Errorf("%d of 600 records have a maximum before them, %d were read for it", c.Own.Count(), c.PreRoll)
	}
	rest, err := observed(t, file, whole)
	if err != nil || rest.Records != 2400 || rest.Profile.Records != 3000 || len(rest.Gaps) != 0 {
		t.Fatalf("%v %+v", err, rest)
	}
	if _, err := observed(t, filepath.Join(t.TempDir(), "r"), whole, func(r *Request) { r.Since = at(9000) }); err == nil || !strings.Contains(err.Error(), "none of the 4,000 records arrived from ") {
		t.Error(err)
	}
}
