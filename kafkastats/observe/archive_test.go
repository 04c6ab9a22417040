package observe

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/kafkastats/profile"
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

func observed(t *testing.T, file, records string) (notes []string, err error) {
	t.Helper()
	r := Defaults()
	r.Topic, r.File, r.Records.Path, r.EventTime.Field = "orders", file, records, "ts"
	p := request.Background()
	p.Note = func(line string) { notes = append(notes, line) }
	return notes, Run(context.Background(), p, r)
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
	notes, err := observed(t, parts, first)
	if err != nil || len(notes) == 0 || !strings.Contains(notes[len(notes)-1], "adds nothing") {
		t.Fatalf("%v %q", err, notes)
	}
	if again, _ := profile.Read(parts); again.Counted.Total().Records != 4000 {
		t.Fatalf("%d records after the first file once more", again.Counted.Total().Records)
	}
}

func TestAnArchiveOfAnotherTopicIsRefused(t *testing.T) {
	r := Defaults()
	r.Topic, r.File, r.Records.Path, r.EventTime.Field = "payments", filepath.Join(t.TempDir(), "p"), day(t, 0, 10), "ts"
	if err := Run(context.Background(), request.Background(), r); err == nil || !strings.Contains(err.Error(), `a record of topic "orders"`) {
		t.Fatal(err)
	}
}
