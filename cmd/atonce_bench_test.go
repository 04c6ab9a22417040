package cmd

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tidemark/internal/flinktest"
)

// BenchmarkAtOnce measures how soon a person has an answer, on a cluster of 100 vertices with 512 subtasks
// that all differ and 5 ms a request: --once, and the first finding of a reading on a terminal, at any age of
// the metric cache, as shares of what a loop of curl and jq takes that reads less.
//
//	go test ./cmd -run '^$' -bench AtOnce -benchtime 1x
func BenchmarkAtOnce(b *testing.B) {
	counter := flinktest.Count(flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 100, Parallelism: 512, Sources: 4,
		Spread: 100 * time.Millisecond, Latency: 5 * time.Millisecond}))
	srv := httptest.NewServer(counter)
	defer srv.Close()
	loop := shellLoop(b, srv.URL)
	job := srv.URL + "/jobs/" + flinktest.NewSynthetic(flinktest.SyntheticOptions{}).JobID()
	for _, age := range []struct {
		name string
		d    time.Duration
	}{{"empty", -1}, {"young", 300 * time.Millisecond}, {"middle", 4 * time.Second}, {"late", 9 * time.Second}, {"old", 12 * time.Second}} {
		b.Run(age.name, func(b *testing.B) {
			var once, first []time.Duration
			requests := 0
			for range b.N {
				for _, mode := range []*[]time.Duration{&once, &first} {
					if age.d > 0 { // wait until the cache is due, make it fetch, and let that age
						time.Sleep(10100 * time.Millisecond)
						get(b, job)
						time.Sleep(age.d)
					}
					url := srv.URL
					if age.d < 0 {
						fresh := httptest.NewServer(flinktest.NewSynthetic(flinktest.SyntheticOptions{Vertices: 100, Parallelism: 512, Sources: 4,
							Spread: 100 * time.Millisecond, Latency: 5 * time.Millisecond}))
						defer fresh.Close()
						url = fresh.URL
					}
					before := len(counter.Requests())
					*mode = append(*mode, answerTime(b, url, mode == &once))
					if mode == &once {
						requests = max(requests, len(counter.Requests())-before)
					}
				}
			}
			slices.Sort(once)
			slices.Sort(first)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(once[len(once)/2].Seconds()/loop.Seconds(), "once-of-loop")
			b.ReportMetric(first[len(first)/2].Seconds()/loop.Seconds(), "first-of-loop")
			b.ReportMetric(loop.Seconds()*1000, "loop-ms")
			b.ReportMetric(float64(requests), "requests")
			b.ReportMetric(float64(counter.Peak()), "in-flight")
		})
	}
}

// answerTime is how long it takes until the report of --once is written, or until the first finding stands
// on the terminal.
func answerTime(b *testing.B, url string, once bool) time.Duration {
	f := newFake(nil)
	f.cluster.Flink, f.Now = url, time.Now
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start := time.Now()
	w := &firstWrite{of: "so far: ", found: cancel}
	if !once {
		f.Err, f.IsTerminal = w, func(s any) bool { return s == any(w) }
	}
	_ = answer(ctx, f, once)
	if once {
		return time.Since(start)
	}
	if w.at.IsZero() {
		b.Fatal("no first finding")
	}
	return w.at.Sub(start)
}

// firstWrite notes when something was first written.
type firstWrite struct {
	mu    sync.Mutex
	of    string
	at    time.Time
	found func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at.IsZero() && strings.Contains(string(p), w.of) {
		w.at = time.Now()
		w.found()
	}
	return len(p), nil
}

func get(b *testing.B, url string) {
	r, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	r.Body.Close()
}

// shellLoop is how long the reference takes, the better of two runs.
func shellLoop(b *testing.B, url string) time.Duration {
	for _, tool := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip("the reference needs " + tool)
		}
	}
	best := time.Duration(0)
	for range 2 {
		start := time.Now()
		c := exec.Command("sh", "../flinkapi/testdata/loop.sh", url)
		c.Stderr = os.Stderr
		if _, err := c.Output(); err != nil {
			b.Fatal(err)
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return best
}
