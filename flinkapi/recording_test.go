package flinkapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

func plainOf(t testing.TB, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, e := range load(t, name) {
		if err := flinkapi.WriteEntry(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func zipped(t testing.TB, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A recording gives the same bytes plain and gzipped, from a file and from standard input.
func TestRecordingForms(t *testing.T) {
	want := load(t, "idle-partition-2.3.0")
	plain := plainOf(t, "idle-partition-2.3.0")
	file := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(file, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (*flinkapi.Recording, error){
		"plain": func() (*flinkapi.Recording, error) { return flinkapi.OpenRecording(file, nil) },
		"stdin": func() (*flinkapi.Recording, error) { return flinkapi.OpenRecording("-", bytes.NewReader(plain)) },
		"gzip on stdin": func() (*flinkapi.Recording, error) {
			return flinkapi.OpenRecording("-", bytes.NewReader(zipped(t, plain)))
		},
		"blank lines, CRLF, no last newline": func() (*flinkapi.Recording, error) {
			text := bytes.ReplaceAll(bytes.TrimSpace(plain), []byte("\n"), []byte("\r\n\r\n"))
			return flinkapi.ReadRecording("x", bytes.NewReader(text))
		},
	} {
		rec, err := open()
		if err != nil || rec.Damage != nil {
			t.Errorf("%s: %v %v", name, err, rec.Damage)
			continue
		}
		if len(rec.Entries) != len(want) {
			t.Errorf("%s: %d entries, want %d", name, len(rec.Entries), len(want))
			continue
		}
		for i, e := range rec.Entries {
			if e.T != want[i].T || e.Path != want[i].Path || e.Status != want[i].Status || !bytes.Equal(e.Body, want[i].Body) {
				t.Errorf("%s: entry %d is %s", name, i, e.Path)
			}
		}
	}
}

// A file that is cut off is read up to there and reports it; what was read is judged.
func TestTruncatedRecording(t *testing.T) {
	plain := plainOf(t, "healthy-2.3.0")
	packed := zipped(t, plain)
	for _, tc := range []struct {
		name string
		data []byte
	}{
		{"in a line", plain[:len(plain)*2/3]}, {"in the gzip stream", packed[:len(packed)*2/3]}, {"gzip trailer", packed[:len(packed)-4]},
		{"garbage after", append(append([]byte{}, plain...), "not json\n"...)},
	} {
		rec, err := flinkapi.ReadRecording("r.jsonl", bytes.NewReader(tc.data))
		if err != nil || rec.Damage == nil || len(rec.Entries) < 20 {
			t.Errorf("%s: error %v, recording %v", tc.name, err, rec)
			continue
		}
		if !strings.HasPrefix(rec.Damage.Error(), "r.jsonl:") || strings.Contains(rec.Damage.Error(), "\n") {
			t.Errorf("%s: %v", tc.name, rec.Damage)
		}
		c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
		if err != nil || len(c.Jobs) != 1 || len(c.Jobs[0].Samples) == 0 || len(c.Missing) != 1 {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestForeignFiles(t *testing.T) {
	for name, data := range map[string]string{
		"empty": "", "blank": "\n \n", "text": "hello\nworld\n", "json": `{"a":1}` + "\n", "array": "[1,2]\n", "null": "null\n",
		"no status": `{"t":1,"path":"/x"}` + "\n", "relative": `{"t":1,"path":"x","status":200,"body":{}}`, "html": "<html>", "binary": "\x00\x01\x02\xff",
	} {
		rec, err := flinkapi.ReadRecording("f", strings.NewReader(data))
		if !errors.Is(err, flinkapi.ErrNotRecording) || rec != nil || !strings.Contains(err.Error(), "tidemark snapshot") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := flinkapi.ReadRecording("f", strings.NewReader("\x1f\x8bbroken")); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Errorf("broken gzip: %v", err)
	}
	if _, err := flinkapi.OpenRecording(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestRecordingKeepsAnswersThatAreNotJSON(t *testing.T) {
	var b bytes.Buffer
	for _, e := range []flinkapi.Entry{{T: 1, Path: "/overview", Status: 200, Body: []byte(`{"flink-version":"2.3.0"}`)}, {T: 2, Path: "/config", Status: 502, Body: []byte("<html>\n\"x\"")}} {
		if err := flinkapi.WriteEntry(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 2 {
		t.Fatalf("%d lines", n)
	}
	rec, err := flinkapi.ReadRecording("x", &b)
	if err != nil {
		t.Fatal(err)
	}
	c := flinkapi.Assemble(rec.Entries)
	if len(c.Missing) != 1 || c.Missing[0].Status != 502 || !strings.Contains(c.Missing[0].Cause, "HTML page") {
		t.Errorf("failures %+v", c.Missing)
	}
}

func TestRecordingOnceAndUnknownJob(t *testing.T) {
	rec, err := flinkapi.OpenRecording("testdata/healthy-2.3.0.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{Once: true, Jobs: []string{"lab-healthy"}})
	if err != nil || len(c.Jobs[0].Samples) != 1 {
		t.Errorf("once: %v", err)
	}
	_, err = rec.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-heathy"}})
	var missing *flinkapi.ErrNoJob
	if !errors.As(err, &missing) || len(missing.Near) != 1 || missing.Near[0] != "lab-healthy" {
		t.Errorf("unknown job: %v", err)
	}
}

func FuzzReadRecording(f *testing.F) {
	f.Add([]byte(`{"t":1,"path":"/jobs/0123456789abcdef0123456789abcdef","status":200,"body":{"now":5,"vertices":[{"id":"a"}]}}` + "\n"))
	f.Add([]byte(`{"t":1,"path":"/jobs/0123456789abcdef0123456789abcdef/vertices/a/subtasks/metrics?get=x&agg=min","status":200,"body":[{"id":"x","min":"NaN"}]}`))
	f.Add([]byte(`{"t":1,"path":"/jobs/0123456789abcdef0123456789abcdef/vertices/a/metrics?get=%zz","status":200,"body":[{"id":"0.x","value":"1"},null]}`))
	f.Add([]byte(`{"t":1,"path":"/","status":404,"body":"x"}`))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add(plainOf(f, "healthy-2.3.0")[:600])
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := flinkapi.ReadRecording("fuzz", bytes.NewReader(data))
		if (rec == nil) == (err == nil) {
			t.Fatalf("recording %v with error %v", rec, err)
		}
		if err != nil {
			return
		}
		c, _ := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
		for _, j := range c.Jobs {
			if len(j.Samples) == 0 {
				t.Fatalf("job %s without a sample", j.ID)
			}
		}
		var b bytes.Buffer
		for _, e := range rec.Entries {
			if err := flinkapi.WriteEntry(&b, e); err != nil {
				t.Fatal(err)
			}
		}
		again, err := flinkapi.ReadRecording("again", &b)
		if err != nil || again.Damage != nil || len(again.Entries) != len(rec.Entries) {
			t.Fatalf("what was written is not read again: %v", err)
		}
	})
}

func FuzzParseMetricID(f *testing.F) {
	for _, id := range []string{"0.currentInputWatermark", "3.Source__O.split.a-1.watermark.currentWatermark", "0.S.KafkaSourceReader.topic.t.partition.2.currentOffset", "", ".", "0.", "..a", "-1.x", "00.x.y"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		m, ok := flinkapi.ParseMetricID(id)
		if !ok {
			return
		}
		if m.Name == "" || strings.Contains(m.Name, ".") || strings.Contains(m.Operator, ".") || !strings.HasSuffix(id, m.Name) {
			t.Fatalf("%q: %+v", id, m)
		}
		levels := append([]string{}, m.Groups...)
		if m.Operator != "" {
			levels = append([]string{m.Operator}, levels...)
		}
		if rest := strings.Join(append(levels, m.Name), "."); !strings.HasSuffix(id, rest) {
			t.Fatalf("%q: parts give %q", id, rest)
		}
		if split, ok := m.Split(); ok && split == "" {
			t.Fatalf("%q: split without a name", id)
		}
	})
}
