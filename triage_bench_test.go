package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

// BenchmarkTriageFrom judges recordings of large graphs with the binary, and reports how many times as
// long that takes as reading and decoding the same file, and the most memory the process had.
//
//	go test . -run '^$' -bench TriageFrom -benchtime 3x
func BenchmarkTriageFrom(b *testing.B) {
	for _, bc := range []struct {
		name             string
		vertices, inputs int
	}{{"chain5000", 5000, 1}, {"two-inputs5000", 5000, 2}, {"twenty-inputs1000", 1000, 20}} {
		for _, state := range []jobtest.State{jobtest.WebRuns, jobtest.WebHeld, jobtest.WebLate, jobtest.WebStands} {
			b.Run(bc.name+"/"+string(state), func(b *testing.B) { triageFrom(b, jobtest.Web(bc.vertices, bc.inputs, state)) })
		}
	}
}

func triageFrom(b *testing.B, m *jobtest.Job) {
	path := filepath.Join(b.TempDir(), "job.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := m.Record(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	decode, peak := time.Duration(0), int64(0)
	for range 3 {
		start := time.Now()
		rec, err := flinkapi.OpenRecording(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{}); err != nil {
			b.Fatal(err)
		}
		if took := time.Since(start); decode == 0 || took < decode {
			decode = took
		}
	}
	best := time.Duration(0)
	for b.Loop() {
		start := time.Now()
		c := exec.Command("tidemark", "triage", "--from", path)
		out, err := c.Output()
		if len(out) == 0 {
			b.Fatalf("no report: %v", err)
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
		if use, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, use.Maxrss)
		}
	}
	b.ReportMetric(float64(best)/float64(decode), "x-of-decoding")
	b.ReportMetric(float64(decode.Milliseconds()), "decoding-ms")
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
}
