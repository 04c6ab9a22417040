package flinkapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidemark/internal/units"

	"github.com/tidwall/gjson"
)

// LostError is a cluster that answered at first and then stopped answering.
type LostError struct {
	At   time.Time // client wall clock when that was noticed
	Step string    // what was being done, as in Progress
	Err  error     // of the request without an answer
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the JobManager stopped answering at %s UTC, while %s: %v", units.Clock(e.At.UnixMilli()), e.Step, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

const (
	heartbeatEvery   = 2 * time.Second // between checks that the cluster is still there, while waiting
	heartbeatTimeout = 3 * time.Second
	silenceTold      = 2 * time.Second // time without any answer before it is reported
)

// lose stops the run: the cluster no longer answers.
func (r *liveRun) lose(err error) {
	if r.c.lastAnswer.Load() > 0 { // otherwise it never answered, which the error says itself
		err = &LostError{At: r.c.opts.Now(), Step: r.step, Err: err}
	}
	r.stop(err)
}

// heartbeat checks that the cluster is still there. One refused connection, retries included, is
// enough to lose it; silence or a missing leader must last.
func (r *liveRun) heartbeat() {
	ctx, cancel := context.WithTimeout(r.ctx, heartbeatTimeout)
	defer cancel()
	e, err := r.c.Get(ctx, "/overview")
	switch {
	case r.ctx.Err() != nil:
	case err == nil:
		r.missed = 0
		n := int(gjson.GetBytes(e.Body, "taskmanagers").Int())
		r.fewer = n < r.taskManagers
		r.taskManagers = max(r.taskManagers, n)
	case kindOf(err) == Unreachable && ctx.Err() == nil:
		r.lose(err)
	case IsUnavailable(err):
		if r.missed++; r.missed >= maxStrikes {
			r.lose(err)
		}
	}
}

// alive checks, after a request without an answer, whether the cluster answers at all.
func (r *liveRun) alive() bool {
	ctx, cancel := context.WithTimeout(r.ctx, heartbeatTimeout)
	defer cancel()
	_, err := r.c.Get(ctx, "/overview")
	return !IsUnavailable(err) || r.ctx.Err() != nil
}

// noteLost records, for every job that was not read to the end, that the cluster was lost.
func (r *liveRun) noteLost(err error) {
	var lost *LostError
	if !errors.As(err, &lost) {
		return
	}
	for _, j := range r.jobs {
		if j.read < r.wanted && !(j.read > 0 && terminal(j.state)) && !j.read404 {
			r.note(j.path(), GapGone, lost.Error())
		}
	}
}

// tellSilence reports that no answer arrives, until the returned function is called.
func (r *liveRun) tellSilence(step string) (end func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if silent := time.Since(time.Unix(0, r.c.lastAnswer.Load())); silent >= silenceTold {
					r.progress(fmt.Sprintf("%s: no answer for %d s", step, int(silent.Seconds())), 0)
				}
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}
