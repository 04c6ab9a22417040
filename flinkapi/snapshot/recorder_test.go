package snapshot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tidemark/flinkapi"
	"tidemark/flinkapi/snapshot"
	"tidemark/internal/expect"
	"tidemark/request"
)

func entry(i int) flinkapi.Entry {
	return flinkapi.Entry{T: int64(i), Path: "/overview", Status: 200, Body: json.RawMessage(`{"flink-version":"2.3.0"}`)}
}

func TestRecorderLosesNothingWhenItIsCutOff(t *testing.T) {
	for _, name := range []string{"r.jsonl", "r.jsonl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		r, err := snapshot.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			r.Add(entry(i + 1))
		}
		rec, err := flinkapi.OpenRecording(path, nil) // while it is still being written
		if err != nil || len(rec.Entries) != 5 {
			t.Errorf("%s: %d entries, %v", name, len(rec.Entries), err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		rec, err = flinkapi.OpenRecording(path, nil)
		if err != nil || len(rec.Entries) != 5 || rec.Damage != nil {
			t.Errorf("%s closed: %d entries, %v, %v", name, len(rec.Entries), rec.Damage, err)
		}
	}
}

func TestRecorderOfSeveralGoroutines(t *testing.T) {
	var out bytes.Buffer
	r, err := snapshot.Open("-", &out)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { r.Add(entry(i)) })
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := flinkapi.ReadRecording("out", &out)
	if err != nil || len(rec.Entries) != 50 || r.Count() != 50 {
		t.Errorf("%v, %v, count %d", rec, err, r.Count())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRecorderTellsAFullDisk(t *testing.T) {
	r, err := snapshot.Open("-", fullDisk{})
	if err != nil {
		t.Fatal(err)
	}
	r.Add(entry(1))
	r.Add(entry(2))
	if err := r.Close(); err == nil || r.Count() != 0 {
		t.Errorf("count %d, %v", r.Count(), err)
	}
}

func TestRecorderKeepsWhatIsThere(t *testing.T) {
	path := expect.File(t, "r.jsonl", "precious")
	_, err := snapshot.Open(path, nil)
	expect.Error(t, err, "is there already")
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Error("the file was changed")
	}
	_, err = snapshot.Open(filepath.Join(t.TempDir(), "gone", "r.jsonl"), nil)
	expect.Error(t, err, "cannot be written")
	var mistake *request.Mistake
	if !errors.As(err, &mistake) {
		t.Errorf("%v is no mistake of whoever asked", err)
	}
}
