package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func collect(t *testing.T, s Source) []Raw {
	t.Helper()
	var out []Raw
	err := s.Read(context.Background(), func(r *Raw) error {
		c := *r
		c.Headers = append([]Header(nil), r.Headers...)
		out = append(out, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const kcatLines = `{"topic":"orders","partition":3,"offset":10,"tstype":"create","ts":1796000000850,"broker":1,"headers":["et","17","n",null],"key":"k","payload":"{\"ts\":1}"}

{"topic":"orders","partition":3,"offset":12,"tstype":"logappend","ts":1796000000900,"key":null,"payload":null}
{"topic":"orders","partition":4,"offset":0,"tstype":"unknown","ts":-1,"key":"","payload":{"decoded":{"ts":5}}}
`

func TestKcatLines(t *testing.T) {
	want := []Raw{
		{Topic: "orders", Partition: 3, Offset: 10, Timestamp: 1796000000850, Type: CreateTime, Key: []byte("k"), Value: []byte(`{"ts":1}`),
			Headers: []Header{{"et", []byte("17")}, {"n", nil}}, File: "stdin", Line: 1, First: true},
		{Topic: "orders", Partition: 3, Offset: 12, Timestamp: 1796000000900, Type: AppendTime, File: "stdin", Line: 3},
		{Topic: "orders", Partition: 4, Timestamp: -1, Type: NoTimestamp, Key: []byte{}, Value: []byte(`{"decoded":{"ts":5}}`), File: "stdin", Line: 4, First: true},
	}
	if diff := cmp.Diff(want, collect(t, Kcat{Path: "-", Stdin: strings.NewReader(kcatLines)})); diff != "" {
		t.Fatal(diff)
	}
}

func TestGzipAndPlainReadAlike(t *testing.T) {
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b")
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write([]byte(kcatLines)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), os.WriteFile(plain, []byte(kcatLines), 0o600), os.WriteFile(packed, buf.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	a, b := collect(t, Kcat{Path: plain}), collect(t, Kcat{Path: packed})
	for i := range b {
		b[i].File = plain
	}
	if diff := cmp.Diff(a, b); diff != "" || len(a) != 3 {
		t.Fatalf("%d records: %s", len(a), diff)
	}
	if err := os.WriteFile(packed, buf.Bytes()[:buf.Len()-12], 0o600); err != nil {
		t.Fatal(err)
	}
	err := Kcat{Path: packed}.Read(context.Background(), func(*Raw) error { return nil })
	if err == nil || !strings.Contains(err.Error(), packed+":") {
		t.Fatalf("a cut gzip file was swallowed: %v", err)
	}
}

func TestCSV(t *testing.T) {
	want := []Raw{
		{Partition: 0, Offset: 0, Timestamp: 1000, Type: AppendTime, Value: []byte("900"), File: "stdin", Line: 1, First: true},
		{Partition: 1, Offset: 0, Timestamp: 1796000000850, Type: AppendTime, Value: []byte("2026-11-30 00:53:20"), File: "stdin", Line: 2, First: true},
		{Partition: 0, Offset: 1, Timestamp: 1001, Type: AppendTime, Value: []byte{}, File: "stdin", Line: 3},
	}
	got := collect(t, CSV{Path: "-", Stdin: strings.NewReader("0,1000,900\n1,2026-11-30T00:53:20.850Z,2026-11-30 00:53:20\n0,1001,\n")})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	got = collect(t, CSV{Path: "-", Stdin: strings.NewReader("event,offset,arrival,partition\n900,7,1000,0\n")})
	if len(got) != 1 || got[0].Offset != 7 || got[0].Timestamp != 1000 || string(got[0].Value) != "900" {
		t.Fatalf("by header: %+v", got)
	}
}

// A byte order mark is no part of the first column, further columns are headers, and an arrival in s is reported by its size.
func TestCSVOfSpreadsheets(t *testing.T) {
	for in, names := range map[string][]string{
		"\ufeffpartition,arrival,device,event,Offset of day\r\n0,1796000000,a,1795999999,3\r\n0,1796000001,b,1795999999,4\r\n": {"device", "Offset of day"},
		"\ufeff0,1796000000,1795999999,a,3\n0,1796000001,1795999999,b,4\n":                                                     {"4", "5"},
	} {
		var values []string
		got, err := Head(10, func(yield func(*Raw) error) error {
			return CSV{Path: "-", Stdin: strings.NewReader(in)}.Read(context.Background(), yield)
		})
		if err != nil || len(got) != 2 || got[0].Timestamp != 1_796_000_000_000 || string(got[1].Value) != "1795999999" {
			t.Fatalf("%v: %+v", err, got)
		}
		for _, r := range got {
			for i, h := range r.Headers {
				if h.Key != names[i] {
					t.Errorf("column %q, want %q", h.Key, names[i])
				}
				values = append(values, string(h.Value))
			}
		}
		if strings.Join(values, " ") != "a 3 b 4" {
			t.Errorf("%q", values)
		}
	}
	got := collect(t, Kcat{Path: "-", Stdin: strings.NewReader("\ufeff{\"partition\":0,\"offset\":5,\"ts\":1,\"tstype\":\"create\",\"payload\":\"1\"}\r\n")})
	if len(got) != 1 || got[0].Offset != 5 {
		t.Errorf("%+v", got)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	ok := `{"partition":0,"offset":5,"ts":1,"tstype":"create","payload":"1"}` + "\n"
	for in, want := range map[string]string{
		ok + "nonsense":                               `stdin:2: not a JSON object`,
		ok + "[1]":                                    `stdin:2: a JSON`,
		ok + `{"partition":"x"}`:                      `stdin:2: partition is`,
		ok + `{"partition":-1}`:                       `stdin:2: partition`,
		ok + `{"offset":1}`:                           `stdin:2: no partition`,
		ok + `{"partition":0,"ts":1.5}`:               `stdin:2: ts is "1.5"`,
		ok + `{"partition":0,"tstype":"later"}`:       `stdin:2: tstype is`,
		ok + `{"partition":0,"offset":5}`:             `stdin:2: partition 0 goes back from offset 5 to 5`,
		ok + `{"partition":0,"headers":["lonely"]}`:   `stdin:2: headers hold 1 entries`,
		`{"partition":0,"payload":"` + "\x1b[31m\"}x": `stdin:1: not a JSON object`,
	} {
		err := Kcat{Path: "-", Stdin: strings.NewReader(in)}.Read(context.Background(), func(*Raw) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: error %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{
		"0,1,2\n0,x,2\n":         "stdin:2: arrival is",
		"0,1,2\nx,1,2\n":         "stdin:2: partition is",
		"0,1,2\n0,1\n":           "stdin:2: 2 columns, at least 3",
		"partition,when,event\n": `stdin:1: no column "arrival"`,
		"partition,arrival,event,offset\n0,1,2,3\n0,1,2,2\n": "stdin:3: partition 0 goes back",
		"0,1,\"2\n": "stdin: ",
	} {
		err := CSV{Path: "-", Stdin: strings.NewReader(in)}.Read(context.Background(), func(*Raw) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", in, err, want)
		}
	}
	if err := (Kcat{Path: "no-such-file"}).Read(context.Background(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReadStopsWithTheCallersErrorAndContext(t *testing.T) {
	stop := errors.New("enough")
	err := Kcat{Path: "-", Stdin: strings.NewReader(kcatLines)}.Read(context.Background(), func(*Raw) error { return stop })
	if !errors.Is(err, stop) {
		t.Fatalf("yield's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = CSV{Path: "-", Stdin: strings.NewReader("0,1,2\n")}.Read(ctx, func(*Raw) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled read ended with %v", err)
	}
}

func FuzzKcat(f *testing.F) {
	f.Add([]byte(kcatLines))
	f.Fuzz(func(t *testing.T, b []byte) {
		err := Kcat{Path: "-", Stdin: bytes.NewReader(b)}.Read(context.Background(), func(r *Raw) error {
			if r.Partition < 0 || r.Line < 1 {
				t.Fatalf("impossible record %+v", r)
			}
			return nil
		})
		if err != nil && !strings.HasPrefix(err.Error(), "stdin:") && !strings.Contains(err.Error(), "read -") {
			t.Fatalf("error without a place: %v", err)
		}
	})
}
