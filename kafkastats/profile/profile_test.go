package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

var key = Key{Topic: "orders", Format: "json", Field: "ts", Unit: "ms", Windows: []int64{60_000}}

func counted(from, n int64) *measure.Measurement {
	c := measure.NewCollector(measure.Options{Windows: []int64{60_000}})
	c.Expect(0)
	for i := from; i < from+n; i++ {
		at := 1_796_000_000_000 + i*100
		c.Add(record.Point{Offset: i, Arrival: at, Event: at - i*37%5000, Type: record.AppendTime, First: i == from})
	}
	return c.Finish()
}

func write(t *testing.T, path string, flushes ...*measure.Measurement) {
	t.Helper()
	w, _, err := Open(path, key)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range flushes {
		if err := w.Flush(m, map[int32]int64{0: int64(i)}, measure.State{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// unsynced is a file that is read only by the process that wrote it.
type unsynced struct{ *os.File }

func (unsynced) Sync() error { return nil }

// dontSync saves a test the time of thousands of syncs; Compact opens another file, which syncs again.
func dontSync(w *Writer) {
	if f, ok := w.f.(*os.File); ok {
		w.f = unsynced{f}
	}
}

// A process killed while writing leaves the file cut at any byte.
func TestCutAtAnyByteLosesAtMostTheLastFlush(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	a, b := counted(0, 40), counted(40, 40)
	write(t, path, a, b)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.IndexByte(whole, '\n') + 1
	second := header + bytes.IndexByte(whole[header:], '\n') + 1
	expect := map[uint64]bool{0: true, 40: true, 80: true}
	for cut := 0; cut < len(whole); cut += cases.Of(20, 1) * (1 + cut/200) {
		cutPath := filepath.Join(dir, "cut")
		if err := os.WriteFile(cutPath, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		w, prior, err := Open(cutPath, key)
		if err != nil {
			t.Fatalf("cut at %d of %d: %v", cut, len(whole), err)
		}
		dontSync(w)
		var records uint64
		if prior != nil {
			records = prior.Counted.Span.N
		}
		if !expect[records] || cut >= second && records < 40 {
			t.Fatalf("cut at %d: %d records", cut, records)
		}
		// Whatever was lost is measured again: the file must end as if nothing had happened.
		for _, m := range []*measure.Measurement{a, b}[records/40:] {
			if err := w.Flush(m, nil, measure.State{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := Read(cutPath)
		if err != nil || p.Counted.Span.N != 80 || p.Torn {
			t.Fatalf("cut at %d, continued: %v", cut, err)
		}
	}
}

func TestTheSameOffsetsNeverCountTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	write(t, path, counted(0, 40))
	before, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	w, prior, err := Open(path, key)
	if err != nil || prior == nil || prior.Positions[0] != 0 {
		t.Fatal(prior, err)
	}
	if err := errors.Join(w.Flush(counted(20, 40), map[int32]int64{0: 60}, measure.State{}), w.Flush(counted(0, 40), nil, measure.State{}), w.Flush(counted(60, 5), map[int32]int64{0: 65}, measure.State{}), w.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := Read(path)
	if err != nil || p.Counted.Span.N != 45 || p.Positions[0] != 65 || len(p.Skipped) != 2 {
		t.Fatalf("%v, %+v", err, p)
	}
	for i, want := range []string{"offsets 0 to 39 and offsets 20 to 59 overlap", "offsets 0 to 39 and offsets 0 to 39 overlap"} {
		if !strings.Contains(p.Skipped[i].Error(), want) {
			t.Errorf("%v, want %q", p.Skipped[i], want)
		}
	}
	if err := p.Counted.Merge(counted(40, 20)); err != nil || before.Counted.Span.N != 40 {
		t.Fatal(err, before.Counted.Span)
	}
}

func TestProfilesThatOverlapAreRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "1"), counted(0, 40))
	write(t, filepath.Join(dir, "2"), counted(30, 40))
	a, err := Read(filepath.Join(dir, "1"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Read(filepath.Join(dir, "2"))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Merge(b); err == nil || !strings.Contains(err.Error(), "partition 0: offsets 0 to 39 and offsets 30 to 69 overlap") || a.Counted.Span.N != 40 {
		t.Fatal(err, a.Counted.Span)
	}
}

func TestMergeInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	one, two, all := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
	write(t, one, counted(0, 300))
	write(t, two, counted(300, 300))
	write(t, all, counted(0, 300), counted(300, 300))
	read := func(p string) *Profile {
		t.Helper()
		got, err := Read(p)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	ab, ba := read(one), read(two)
	if err := errors.Join(ab.Merge(read(two)), ba.Merge(read(one))); err != nil {
		t.Fatal(err)
	}
	if text(t, ab.Counted) != text(t, ba.Counted) || text(t, ab.Counted) != text(t, read(all).Counted) {
		t.Fatal("the order of merging matters")
	}
	other := read(two)
	other.Key.Field = "created"
	if err := ab.Merge(other); err == nil || !strings.Contains(err.Error(), `differently: field "ts" and "created"`) {
		t.Fatalf("profiles of different fields: %v", err)
	}
}

func line1(body string) string {
	return fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(body)), body)
}

func TestBadFilesAreRefusedWithTheirLine(t *testing.T) {
	head := line1(`{"version":2,"key":{"topic":"t"}}`)
	for in, want := range map[string]string{
		"":                                     "1: the file is empty",
		"hello\n":                              "1: not a whole line",
		line1(`{"version":1,"key":{}}`):        "1: profile of another version: 1, this program reads 2",
		line1(`{"version":3,"key":{}}`):        "1: profile of another version: 3, this program reads 2",
		head + line1("aGVsbG8=") + line1(`{}`): "2: not a line of a profile: ",
		head + line1("*") + line1(`{}`):        "2: not a line of a profile: ",
		line1(`{"counted":{}}`):                "1: the first line names no topic",
		head + "broken\n" + head:               "2: not a whole line",
		head + line1(`{}`):                     "2: a line without counts",
		head + line1(`{"counted":{}}`):         "2: measurement: partitions",
		head + "00000000 {}\n" + line1(`{}`):   "2: the line does not match its checksum",
	} {
		if _, err := Decode(strings.NewReader(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "p")
	write(t, path)
	if _, _, err := Open(path, Key{Topic: "other"}); err == nil || !strings.Contains(err.Error(), "use another file") {
		t.Errorf("another topic: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"partitions":{},"topic":{},"steps":{},"blocks":{"shift":0,"own":{}},"windows":null}`)
	f.Add(text(f, counted(0, 5)))
	f.Fuzz(func(t *testing.T, counted string) {
		in := line1(`{"version":2,"key":{"topic":"t","windows":[60000]}}`) + line1(`{"counted":`+counted+`}`)
		p, err := Decode(strings.NewReader(in))
		if err != nil {
			return
		}
		if err := p.Counted.Check(); err != nil {
			t.Fatalf("accepted, yet %v", err)
		}
		p.Counted.Total()
		p.Counted.Blocks.Spread(100)
		p.Counted.Blocks.Changes(100)
		p.Counted.Blocks.Stretches(100, 10)
	})
}
