// Package live reads a cluster again and again, and judges each reading together with the one before.
package live

import (
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
	"tidemark/request"
)

// Usual is Flink's default for metrics.fetcher.update-interval: reading more often shows the same values again.
const Usual = 10 * time.Second

// Options say what is read, and how often.
type Options struct {
	Source      flinkapi.Reading         // Jobs, Interval (0: Usual) and Connect
	Ended       func() string            // names a program of the connection that has ended, which Connect restarts; "" = none
	Acknowledge func(*analyze.JobReport) // marks the findings that a policy accepts; nil: none
	Tool        analyze.Tool
	Now         func() time.Time
	Sleep       func(ctx context.Context, d time.Duration) error // nil: flinkapi.Sleep
}

// Reader reads one sample each interval and judges it together with the one before.
type Reader struct {
	o      Options
	client *flinkapi.Client
	read   func(ctx context.Context, record func(flinkapi.Entry), fresh bool) (*flinkapi.Capture, error)
	due    time.Time

	before, last *flinkapi.Capture // before is from another metric fetch than last

	mu      sync.Mutex
	answers [2][]flinkapi.Entry // the two newest readings from different fetches
}

// Open checks the options; it does not connect yet.
func Open(ctx context.Context, o Options) (*Reader, error) {
	if len(o.Source.From) > 0 {
		return nil, request.Badf("a recording does not continue: --from and a live view exclude each other")
	}
	if err := o.Source.Check(); err != nil {
		return nil, err
	}
	if o.Source.Interval == 0 {
		o.Source.Interval = Usual
	}
	if o.Sleep == nil {
		o.Sleep = flinkapi.Sleep
	}
	r := &Reader{o: o}
	var err error
	if r.client, err = o.Source.Connect(ctx); err != nil {
		return nil, err
	}
	r.read = func(ctx context.Context, record func(flinkapi.Entry), fresh bool) (*flinkapi.Capture, error) {
		return r.client.Capture(ctx, flinkapi.CaptureOptions{Jobs: o.Source.Jobs, Once: true, Fresh: fresh, Record: record})
	}
	return r, nil
}

// URL is the address of the cluster, secrets masked.
func (r *Reader) URL() string { return r.client.URL() }

// Every is the time between two readings.
func (r *Reader) Every() time.Duration { return r.o.Source.Interval }

// Each calls take with every reading, also a failed one, until ctx ends, take fails, or the first reading fails.
func (r *Reader) Each(ctx context.Context, take func(screen.Reading) error) error {
	for first := true; ; first = false {
		now := r.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case now.Err != nil && first:
			return now.Err
		}
		if err := take(now); err != nil {
			return err
		}
	}
}

// Next waits until a reading is due. The first and the second are taken without waiting, because only two readings can be
// compared. After a failure it waits for an interval as well.
func (r *Reader) Next(ctx context.Context) screen.Reading {
	if err := r.o.Sleep(ctx, r.due.Sub(r.o.Now())); err != nil {
		return screen.Reading{At: r.o.Now().UTC(), Err: err}
	}
	renewed, err := r.reconnect(ctx)
	if err != nil {
		r.due = r.o.Now().Add(r.Every())
		return screen.Reading{At: r.o.Now().UTC(), Err: err}
	}
	began := r.o.Now()
	var answers []flinkapi.Entry
	now, err := r.read(ctx, func(e flinkapi.Entry) { answers = append(answers, e) }, r.last != nil)
	if r.due = began.Add(r.Every()); r.last == nil && err == nil {
		r.due = began
	}
	if err != nil {
		return screen.Reading{At: r.o.Now().UTC(), Err: err, Renewed: renewed}
	}
	r.keep(now, answers)
	joined := now.After(r.before)
	return screen.Reading{At: r.o.Now().UTC(), Renewed: renewed, Capture: joined, Report: analyze.Triage(joined, analyze.Options{Tool: r.o.Tool, MinSeverity: catalog.Info, Acknowledge: r.o.Acknowledge})}
}

// reconnect restarts the program of `connect` if it has ended, and returns its name, "" if it runs. The address may change.
func (r *Reader) reconnect(ctx context.Context) (renewed string, err error) {
	if renewed = r.o.Ended(); renewed == "" {
		return "", nil
	}
	client, err := r.o.Source.Connect(ctx)
	if err != nil {
		return "", err
	}
	r.client = client
	return renewed, nil
}

// keep makes a reading the newest one. The one before it is what it is compared with, unless both are from one metric
// fetch.
func (r *Reader) keep(now *flinkapi.Capture, answers []flinkapi.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && !r.last.SameFetch(now) {
		r.before, r.answers[0] = r.last, r.answers[1]
	}
	r.last, r.answers[1] = now, answers
}

// fileName is a file name with the name of a job and the time.
func (r *Reader) fileName(job, ending string) string {
	clean := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, job)
	return fmt.Sprintf("%s-%s%s", clean[:min(len(clean), 60)], r.o.Now().UTC().Format("20060102T150405Z"), ending)
}

// Snapshot writes the answers of the two newest readings that are about a job, or about the whole cluster,
// into a file of the working directory, and returns its name.
func (r *Reader) Snapshot(j *analyze.JobReport) (string, error) {
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

// Page writes a report as a page into a file of the working directory, and returns its name.
func (r *Reader) Page(report *analyze.Report) (string, error) {
	path := r.fileName(report.Jobs[0].Name, ".html")
	return path, render.File{Format: render.HTML, Path: path}.Write(render.Triage(report))
}
