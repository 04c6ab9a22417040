package flinkapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tidemark/internal/units"
	"tidemark/request"
)

// Reading says what to read: jobs of a live cluster, or of its recordings.
type Reading struct {
	Given    request.Given  // settings that were given explicitly: one that the source cannot use is refused
	Jobs     []string       // names, ids or id prefixes; none: all
	From     []string       `flag:"from" doc:"read this recording instead of a cluster, - for standard input; may repeat" file:"true"`
	Once     bool           `flag:"once" doc:"take one sample of what the metric cache holds; whether a watermark advances is then unknown"`
	Interval time.Duration  `flag:"interval" doc:"time between the samples (default: as often as the cluster refreshes its metrics)"`
	For      time.Duration  // keep sampling for this long; 0 = two samples
	Record   func(Entry)    // called with each answer; may be nil
	Early    bool           // a person waits for Sampled
	Sampled  func(*Capture) // called after each sample with what was read; may be nil
	Keep     bool           // an interrupted reading is used as far as it got

	Taken    *Captured                              // already read: nothing else is read
	Connect  func(context.Context) (*Client, error) // connects to the live cluster
	In       io.Reader                              // standard input, for a recording
	Progress func(Progress)                         // may be nil
}

// ClusterSettings are the settings that say how to reach a live cluster.
var ClusterSettings = []string{"flink", "timeout", "token-file", "token-env", "username", "password-file", "password-env", "header", "cert", "key", "ca", "proxy", "insecure"}

// Check refuses an impossible request before anything is read.
func (r *Reading) Check() error {
	stdin := 0
	for _, f := range r.From {
		if f == "-" {
			stdin++
		}
	}
	switch {
	case r.Interval < 0:
		return request.Wrong("interval", "is %s; it takes a duration above zero", units.Said(r.Interval))
	case stdin > 1:
		return request.Wrong("from", "- can be given once")
	case r.Once && r.Interval > 0:
		return request.Wrong("interval", "is not used: --once takes one sample")
	case r.For < 0:
		return request.Wrong("for", "is %s; it takes a duration above zero", units.Said(r.For))
	case r.Once && r.For > 0:
		return request.Wrong("for", "is not used: --once takes one sample")
	case len(r.From) == 0:
		return nil
	}
	if err := r.Given.Unused("a recording has the times it was taken at", "interval", "for"); err != nil {
		return err
	}
	return r.Given.Unused("a recording is read, and no cluster", ClusterSettings...)
}

// Captured is the result of a reading. Damage says why parts are cut off; what was read before is
// there.
type Captured struct {
	Captures []*Capture
	Damage   []error
}

// Read reads the cluster, or every recording.
func (r *Reading) Read(ctx context.Context) (Captured, error) {
	if err := r.Check(); err != nil {
		return Captured{}, err
	}
	switch {
	case r.Taken != nil:
		return *r.Taken, nil
	case len(r.From) > 0:
		return r.recordings(ctx)
	}
	client, err := r.Connect(ctx)
	if err != nil {
		return Captured{}, err
	}
	c, err := client.Capture(ctx, CaptureOptions{Jobs: r.Jobs, Once: r.Once, Interval: r.Interval, For: r.For, Early: r.Early, Record: r.Record, Sampled: r.Sampled, Progress: r.Progress})
	if err != nil && (c == nil || len(c.Jobs) == 0 || ctx.Err() != nil && !(r.Keep && sampled(c))) {
		return Captured{}, err
	}
	out := Captured{Captures: []*Capture{c}}
	if err != nil {
		out.Damage = []error{err}
	}
	return out, nil
}

// sampled reports whether any metric of any job has been read.
func sampled(c *Capture) bool {
	for _, j := range c.Jobs {
		for _, s := range j.Samples {
			if len(s.Vertices) > 0 {
				return true
			}
		}
	}
	return false
}

// recordings reads recordings. A job that is in none of them is an error; one that some lack is
// not. The intact part of a damaged file is used.
func (r *Reading) recordings(ctx context.Context) (Captured, error) {
	var out Captured
	var missing error
	for _, path := range r.From {
		rec, err := OpenRecording(path, r.In)
		if err != nil {
			return out, err
		}
		c, err := rec.Capture(ctx, CaptureOptions{Jobs: r.Jobs, Once: r.Once, Sampled: r.Sampled})
		if rec.Damage != nil {
			out.Damage = append(out.Damage, rec.Damage)
		}
		var noJob *ErrNoJob
		if errors.As(err, &noJob) {
			missing = err
			continue
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", path, err)
		}
		out.Captures = append(out.Captures, c)
	}
	if len(out.Captures) == 0 {
		return out, missing
	}
	return out, nil
}
