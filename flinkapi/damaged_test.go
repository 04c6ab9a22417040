package flinkapi_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

// A file that a mail program, an editor or a second writer has changed can still be read.
func TestWrappedAndSpoiledRecordingsAreRead(t *testing.T) {
	plain := plainOf(t, "healthy-2.3.0")
	lines := bytes.SplitAfter(plain, []byte("\n"))
	half := len(lines) / 2
	spoiled := bytes.Join([][]byte{bytes.Join(lines[:half], nil), []byte("Terminated\n"), bytes.Join(lines[half:], nil)}, nil)
	mark := []byte("\xef\xbb\xbf")
	for _, tc := range []struct {
		name    string
		data    []byte
		damaged bool
	}{
		{"byte order mark", append(mark, plain...), false},
		{"gzip twice", zipped(t, zipped(t, plain)), false},
		{"gzip over a byte order mark", zipped(t, append(mark, plain...)), false},
		{"a foreign line in the middle", spoiled, true},
	} {
		rec, err := flinkapi.ReadRecording("r", bytes.NewReader(tc.data))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if len(rec.Entries) != len(lines)-1 || (rec.Damage != nil) != tc.damaged {
			t.Errorf("%s: %d answers of %d, damage %v", tc.name, len(rec.Entries), len(lines)-1, rec.Damage)
		}
	}
}

func TestADirectoryIsNoRecording(t *testing.T) {
	_, err := flinkapi.OpenRecording(t.TempDir(), nil)
	if !errors.Is(err, flinkapi.ErrNotRecording) || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
}

func TestARecordedJobNamedTwiceIsShownOnce(t *testing.T) {
	rec := &flinkapi.Recording{Entries: load(t, "healthy-2.3.0")}
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{Jobs: []string{"lab-healthy", "lab-healthy"}})
	if err != nil || len(c.Jobs) != 1 {
		t.Errorf("%d jobs, %v", len(c.Jobs), err)
	}
}

// A field of an unexpected type is reported and left out; the rest of the answer is used.
func TestAFieldOfAForeignTypeCostsOnlyItself(t *testing.T) {
	c := flinkapi.Assemble([]flinkapi.Entry{
		entry(1, "/overview", `{"flink-version":"2.3.0","taskmanagers":"NaN"}`),
		entry(2, "/jobs/"+testJob, `{"jid":"`+testJob+`","name":"j","state":"RUNNING","now":5,"vertices":[{"id":"v","parallelism":"NaN"},{"id":"w","parallelism":2}]}`),
	})
	s := c.Jobs[0].Samples[0]
	if c.FlinkVersion() != "2.3.0" || !s.HasJob || s.Job.State != "RUNNING" || len(s.Job.Vertices) != 2 || s.Job.Vertices[1].Parallelism != 2 {
		t.Errorf("version %q, job %+v", c.FlinkVersion(), s.Job)
	}
	if len(c.Missing) != 1 || len(s.Missing) != 1 || !strings.Contains(s.Missing[0].Cause, "parallelism") {
		t.Errorf("failures %v, %v", c.Missing, s.Missing)
	}
	if whole := flinkapi.Assemble([]flinkapi.Entry{entry(1, "/jobs/"+testJob, `[1]`)}); whole.Jobs[0].Samples[0].HasJob {
		t.Error("a list passes for a job")
	}
}
