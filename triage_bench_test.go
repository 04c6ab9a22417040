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
// long that takes as reading and decoding the same file, by the clock and in time of processors, which does not
// depend on what else runs, and the most memory the process had.
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
	decode, decodeCPU, peak := time.Duration(0), time.Duration(0), int64(0)
	for range 3 {
		start, used := time.Now(), processors(b)
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
		if took := processors(b) - used; decodeCPU == 0 || took < decodeCPU {
			decodeCPU = took
		}
	}
	best, cpu := time.Duration(0), time.Duration(0)
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
		if took := c.ProcessState.UserTime() + c.ProcessState.SystemTime(); cpu == 0 || took < cpu {
			cpu = took
		}
		if use, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, use.Maxrss)
		}
	}
	b.ReportMetric(float64(best)/float64(decode), "x-of-decoding")
	b.ReportMetric(float64(cpu)/float64(decodeCPU), "cpu-x-of-decoding")
	b.ReportMetric(float64(cpu.Milliseconds()), "cpu-ms")
	b.ReportMetric(float64(decode.Milliseconds()), "decoding-ms")
	b.ReportMetric(float64(peak)/1024, "peak-MiB")
}

// processors is the time of processors that this process has had.
func processors(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
