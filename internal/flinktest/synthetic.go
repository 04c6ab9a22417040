package flinktest

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tidemark/flinkapi"
)

// SyntheticOptions describe a synthetic cluster with one job: sources in front of a chain of
// keyed vertices.
type SyntheticOptions struct {
	Vertices    int // sources included; 0 = 10
	Parallelism int // subtasks of each vertex; 0 = 4
	Sources     int // 0 = 2
	Latency     time.Duration
	Interval    time.Duration // metric fetch interval; 0 = 10 s
	Now         func() time.Time
	Version     string // default "2.3.0"; split metrics exist from 2.1 on
	Noise       int    // further metric ids a source subtask lists, as Kafka's client has; 0 = 100

	Spread      time.Duration // each subtask's event time is behind that of the previous subtask by this
	IdleSplit   bool          // a split of the first source never had a record: nothing downstream has a watermark
	IdleSubtask int           // the subtask that reads that split
	JobName     string        // default "synthetic"
	VertexName  string        // further text in vertex and operator names, to test foreign input
}

// Synthetic answers as a JobManager does for a job of any size. It stores nothing per subtask:
// every answer is computed from the time of the last metric fetch.
type Synthetic struct {
	o     SyntheticOptions
	job   string
	fetch fetcher
	begin time.Time
	ops   [][]string // operators of each vertex
}

// NewSynthetic makes the cluster; its job has been running for an hour.
func NewSynthetic(o SyntheticOptions) *Synthetic {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&o.Vertices, 10)
	set(&o.Parallelism, 4)
	set(&o.Sources, 2)
	set(&o.Noise, 100)
	o.Sources = min(o.Sources, o.Vertices)
	if o.Interval <= 0 {
		o.Interval = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Version == "" {
		o.Version = "2.3.0"
	}
	if o.JobName == "" {
		o.JobName = "synthetic"
	}
	s := &Synthetic{o: o, job: fmt.Sprintf("%032x", 0xf11), begin: o.Now().Add(-time.Hour),
		fetch: fetcher{now: o.Now, interval: o.Interval}}
	for v := range o.Vertices {
		s.ops = append(s.ops, s.nameOperators(v))
	}
	return s
}

// JobID is the id of the only job.
func (s *Synthetic) JobID() string { return s.job }

// VertexID is the id of the v-th vertex; the first Sources of them are sources.
func (s *Synthetic) VertexID(v int) string { return fmt.Sprintf("%032x", 0xabc000+v) }

func (s *Synthetic) source(v int) bool { return v < s.o.Sources }

// nameOperators returns the operators of a vertex as they are spelled in metric ids.
func (s *Synthetic) nameOperators(v int) []string {
	if s.source(v) {
		return []string{flinkapi.FilterName(s.name(v))}
	}
	return []string{flinkapi.FilterName(fmt.Sprintf("Window%d%s", v, s.o.VertexName)), "Map" + strconv.Itoa(v)}
}

func (s *Synthetic) operators(v int) []string { return s.ops[v] }

func (s *Synthetic) name(v int) string {
	if s.source(v) {
		return fmt.Sprintf("Source: Orders%d%s", v, s.o.VertexName)
	}
	return fmt.Sprintf("Window%d%s -> Map%d", v, s.o.VertexName, v)
}

// input is the input watermark of a subtask; without Spread all are equal after the exchange.
func (s *Synthetic) input(v, subtask int, at time.Time) int64 {
	if s.o.Spread == 0 {
		subtask = 0
	}
	return s.watermark(v, subtask, at)
}

// watermark is a subtask's output watermark at the last fetch: five seconds of bound, some
// jitter.
func (s *Synthetic) watermark(v, subtask int, at time.Time) int64 {
	if s.o.IdleSplit && (!s.source(v) || v == 0 && subtask == s.o.IdleSubtask) {
		return math.MinInt64
	}
	return at.UnixMilli() - 5000 - int64((v*7+subtask*13)%200) - int64(subtask)*s.o.Spread.Milliseconds()
}

func (s *Synthetic) hasSplitMetrics() bool {
	return !strings.HasPrefix(s.o.Version, "1.") && !strings.HasPrefix(s.o.Version, "2.0")
}

// ServeHTTP answers any path that a read-only tool requests.
func (s *Synthetic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.o.Latency > 0 {
		time.Sleep(s.o.Latency)
	}
	path, ok := route(r.URL.EscapedPath(), "", false)
	if !ok || tooLong(w, r) {
		if !ok {
			notFound(w, "Not found")
		}
		return
	}
	seg, query := (flinkapi.Entry{Path: path + "?" + r.URL.RawQuery}).Route()
	if len(seg) >= 2 && seg[0] == "jobs" && seg[1] == s.job {
		s.serveJob(w, seg[2:], query)
		return
	}
	switch path {
	case "/overview":
		replyJSON(w, map[string]any{"taskmanagers": 1, "slots-total": s.o.Parallelism, "slots-available": 0, "jobs-running": 1, "flink-version": s.o.Version, "flink-commit": "abc"})
	case "/jobmanager/config":
		reply(w, 200, withInterval([]byte("[]"), s.o.Interval))
	case "/taskmanagers":
		replyJSON(w, map[string]any{"taskmanagers": []any{map[string]any{"id": "tm-1", "timeSinceLastHeartbeat": s.o.Now().UnixMilli(), "slotsNumber": s.o.Parallelism, "freeSlots": 0}}})
	case "/jobs/overview":
		replyJSON(w, map[string]any{"jobs": []any{map[string]any{"jid": s.job, "name": s.o.JobName, "state": "RUNNING",
			"start-time": s.begin.UnixMilli(), "end-time": -1, "duration": s.o.Now().Sub(s.begin).Milliseconds()}}})
	default:
		notFound(w, "Not found: "+path)
	}
}
