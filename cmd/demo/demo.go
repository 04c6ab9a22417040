// Package demo holds recordings of real Flink 2.3.0 jobs.
package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"tidemark/flinkapi"
	"tidemark/request"
)

//go:embed *.jsonl.gz
var files embed.FS

// Stops are the recordings of the tour, each with what its operator saw; the answer is left to
// triage.
var Stops = []struct{ Name, Seen string }{
	{"lab-idle-partition", "Orders arrive, yet the ten-second window never prints a row."},
	{"lab-no-strategy", "The job was copied from one that works; its windows stay empty."},
	{"lab-bound-too-large", "Results are right, and always far too late."},
	{"lab-quiet-join", "A join of orders and payments gives nothing, though orders arrive."},
	{"lab-future-record", "Nobody has complained so far."},
	{"lab-healthy", "numLateRecordsDropped is 208, and somebody is worried."},
}

// Capture is the recording of a stop as it is read.
func Capture(ctx context.Context, name string) (*flinkapi.Capture, error) {
	file, err := files.ReadFile(name + ".jsonl.gz")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	rec, err := flinkapi.ReadRecording(name, bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	capture, err := rec.Capture(ctx, flinkapi.CaptureOptions{})
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return capture, nil
}

// Save writes the recording of each stop into a directory.
func Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return request.Badf("--save: %w", err)
	}
	for _, stop := range Stops {
		file, err := files.ReadFile(stop.Name + ".jsonl.gz")
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, stop.Name+".jsonl.gz"), file, 0o644); err != nil {
			return fmt.Errorf("recording cannot be written: %w", err)
		}
	}
	return nil
}
