package flinkapi_test

import (
	"context"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// BenchmarkSample takes one sample of a job with 512 subtasks per vertex and 5 ms per request, without the waits for the
// metric cache, and compares it with a loop of curl and jq that reads less.
//
//	go test ./flinkapi -run '^$' -bench Sample -benchtime 3x
func BenchmarkSample(b *testing.B) {
	var of10 float64
	for _, bc := range []struct {
		name     string
		vertices int
		idle     bool
	}{{"10vertices", 10, false}, {"100vertices", 100, false}, {"100verticesIdleSplit", 100, true}} {
		b.Run(bc.name, func(b *testing.B) {
			clock := flinktest.NewClock(time.Now().UnixMilli())
			cluster := flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: bc.vertices, Parallelism: 512, Sources: max(1, bc.vertices/25),
				Latency: 5 * time.Millisecond, Now: clock.Now, IdleSplit: bc.idle, IdleSubtask: 300})
			counter := flinktest.Count(cluster)
			srv := httptest.NewServer(counter)
			defer srv.Close()
			ours := math.Inf(1)
			b.ResetTimer()
			for range b.N {
				start := time.Now()
				c, err := flinkapi.NewClient(flinkapi.ClientOptions{URL: srv.URL, Now: clock.Now, Sleep: clock.Sleep})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.Capture(context.Background(), flinkapi.CaptureOptions{Once: true}); err != nil {
					b.Fatal(err)
				}
				ours = min(ours, time.Since(start).Seconds()) // the best of each, so that other load does not count
			}
			b.StopTimer()
			b.ReportMetric(float64(len(counter.Requests()))/float64(b.N), "requests")
			b.ReportMetric(float64(counter.Peak()), "in-flight")
			if bc.vertices == 10 {
				of10 = ours
			} else if of10 > 0 {
				b.ReportMetric(ours/of10, "x-of-10-vertices")
			}
			loop := shellLoop(b, srv.URL, bc.vertices)
			b.ReportMetric(ours*1000, "best-ms")
			b.ReportMetric(loop*1000, "loop-ms")
			b.ReportMetric(ours/loop, "of-loop")
		})
	}
}

// shellLoop is how long testdata/loop.sh takes, s, the better of two runs.
func shellLoop(b *testing.B, url string, vertices int) float64 {
	for _, tool := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip("the reference needs " + tool)
		}
	}
	best := 0.0
	for range 2 {
		start := time.Now()
		cmd := exec.Command("sh", "testdata/loop.sh", url)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		if n := strings.Count(string(out), "\n"); n != vertices {
			b.Fatalf("the loop read %d vertices of %d", n, vertices)
		}
		if took := time.Since(start).Seconds(); best == 0 || took < best {
			best = took
		}
	}
	return best
}
