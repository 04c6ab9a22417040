package cmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/flinkapi/snapshot"
	"tidemark/render"
	"tidemark/render/screen"
)

// refresher reads one sample each interval and judges it together with the one before.
type refresher struct {
	g      *globals
	jobs   []string
	every  time.Duration
	client *flinkapi.Client
	read   func(ctx context.Context, record func(flinkapi.Entry), fresh bool) (*flinkapi.Capture, error)
	due    time.Time

	acknowledge func(*analyze.JobReport) // marks the findings that a policy accepts; nil: none

	before, last *flinkapi.Capture // before is of another metric fetch than last

	mu      sync.Mutex
	answers [2][]flinkapi.Entry // of the two newest readings of different fetches
}

// refresh makes what reads a live cluster again and again.
func (g *globals) refresh(ctx context.Context, s flinkapi.Reading) (*refresher, error) {
	if len(s.From) > 0 {
		return nil, usagef("a recording does not go on: --from and a live view exclude each other")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Interval == 0 {
		s.Interval = usualRefresh
	}
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	r := &refresher{g: g, jobs: s.Jobs, every: s.Interval, client: client}
	r.read = func(ctx context.Context, record func(flinkapi.Entry), fresh bool) (*flinkapi.Capture, error) {
		return r.client.Capture(ctx, flinkapi.CaptureOptions{Jobs: s.Jobs, Once: true, Fresh: fresh, Record: record})
	}
	return r, nil
}

// next waits until a reading is due. The first is of what the cluster has at once, the second follows it at
// once: only from there on readings can be compared. A failure waits for an interval as well.
func (r *refresher) next(ctx context.Context) screen.Reading {
	sleep := r.g.Sleep
	if sleep == nil {
		sleep = flinkapi.Sleep
	}
	if err := sleep(ctx, r.due.Sub(r.g.Now())); err != nil {
		return screen.Reading{At: r.g.Now().UTC(), Err: err}
	}
	renewed, err := r.reconnect(ctx)
	if err != nil {
		r.due = r.g.Now().Add(r.every)
		return screen.Reading{At: r.g.Now().UTC(), Err: err}
	}
	began := r.g.Now()
	var answers []flinkapi.Entry
	now, err := r.read(ctx, func(e flinkapi.Entry) { answers = append(answers, e) }, r.last != nil)
	if r.due = began.Add(r.every); r.last == nil && err == nil {
		r.due = began
	}
	if err != nil {
		return screen.Reading{At: r.g.Now().UTC(), Err: err, Renewed: renewed}
	}
	r.keep(now, answers)
	joined := now.After(r.before)
	return screen.Reading{At: r.g.Now().UTC(), Renewed: renewed, Capture: joined, Report: analyze.Triage(joined, analyze.Options{Tool: tool(), MinSeverity: catalog.Info, Acknowledge: r.acknowledge})}
}

// reconnect starts the program of `connect` anew where it has ended, whose address may then be another, and returns
// its name; "" where it runs.
func (r *refresher) reconnect(ctx context.Context) (renewed string, err error) {
	if renewed = r.g.tunnels.Ended(); renewed == "" {
		return "", nil
	}
	client, err := r.g.client(ctx)
	if err != nil {
		return "", err
	}
	r.client = client
	return renewed, nil
}

// keep makes a reading the newest one, and the one before it what is compared with unless both are of one
// metric fetch.
func (r *refresher) keep(now *flinkapi.Capture, answers []flinkapi.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && !r.last.SameFetch(now) {
		r.before, r.answers[0] = r.last, r.answers[1]
	}
	r.last, r.answers[1] = now, answers
}

// fileName is the name of a job as part of a file's, with the time.
func (r *refresher) fileName(job, ending string) string {
	clean := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, job)
	return fmt.Sprintf("%s-%s%s", clean[:min(len(clean), 60)], r.g.Now().UTC().Format("20060102T150405Z"), ending)
}

// snapshot writes the answers of the two newest readings that are about a job, or about the whole cluster.
func (r *refresher) snapshot(j *analyze.JobReport) (string, error) {
	r.mu.Lock()
	answers := slices.Concat(r.answers[0], r.answers[1])
	r.mu.Unlock()
	path := r.fileName(j.Name, ".jsonl.gz")
	w, err := snapshot.Open(path, nil)
	if err != nil {
		return "", err
	}
	for _, e := range answers {
		if at := strings.TrimPrefix(e.Path, "/v1"); !strings.HasPrefix(at, "/jobs/") || strings.HasPrefix(at, "/jobs/overview") || strings.HasPrefix(at, "/jobs/"+j.ID) {
			w.Add(e)
		}
	}
	return path, w.Close()
}

func (r *refresher) page(report *analyze.Report) (string, error) {
	var b bytes.Buffer
	if err := render.Triage(report).Write(&b, render.HTML, render.Options{}); err != nil {
		return "", err
	}
	path := r.fileName(report.Jobs[0].Name, ".html")
	return path, writeAtomic(path, b.Bytes())
}
