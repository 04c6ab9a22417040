package topic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
)

// Removed is a range of offsets [From, To) that was removed before it could be read.
type Removed struct {
	Partition int32
	From, To  int64
}

func (r Removed) String() string {
	return fmt.Sprintf("partition %d offsets %d to %d: removed by retention before they could be read", r.Partition, r.From, r.To-1)
}

// deletedAfter is how long a topic must be unknown to count as deleted: a broker that has just
// started may not know it yet.
const deletedAfter = 15 * time.Second

// askAfter is how long nothing arrives before the brokers are checked, and how often they are.
const askAfter = 10 * time.Second

// outage distinguishes temporary errors from permanent ones. The client retries by itself; a
// broker that restarts or a leader that moves is waited for.
type outage struct {
	o       Options
	moved   time.Time // time of the last record
	asked   time.Time // time of the last check of the topic
	unknown time.Time // since when the topic is unknown; zero: it is known
	last    error     // the current problem; nil: none
	down    bool      // no broker answers
	pause   time.Duration
}

// An error that recurs at once is waited for longer each time.
const shortestPause, longestPause = 10 * time.Millisecond, time.Second

// wait delays the next request if only errors arrived.
func (u *outage) wait(ctx context.Context, fetches kgo.Fetches) {
	if fetches.NumRecords() > 0 || u.last == nil || fetches.Err() == nil || errors.Is(fetches.Err(), context.DeadlineExceeded) {
		u.pause = 0
		return
	}
	u.pause = min(max(2*u.pause, shortestPause), longestPause)
	t := time.NewTimer(u.pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func newOutage(o Options) *outage {
	if o.deletedAfter == 0 {
		o.deletedAfter = deletedAfter
	}
	return &outage{o: o, moved: time.Now()}
}

// look returns the error that ends the reading, nil if it continues.
func (u *outage) look(ctx context.Context, cl *kgo.Client, r *reading, fetches kgo.Fetches) error {
	now := time.Now()
	if fetches.NumRecords() > 0 {
		u.moved, u.unknown = now, time.Time{}
		u.recovered()
	}
	gone := false
	for _, e := range fetches.Errors() {
		switch {
		case ctx.Err() != nil, errors.Is(e.Err, context.DeadlineExceeded), errors.Is(e.Err, context.Canceled):
			continue
		case errors.Is(e.Err, kerr.OffsetOutOfRange):
			if err := r.passRemoved(ctx, cl, e.Partition); err != nil {
				return err
			}
			continue
		case errors.Is(e.Err, kerr.UnknownTopicID), errors.Is(e.Err, kerr.InconsistentTopicID), errors.Is(e.Err, kerr.UnknownTopicOrPartition):
			gone = true
		case passes(e.Err):
		default:
			return u.fatal(e)
		}
		err := e.Err
		if gone {
			err = fmt.Errorf("topic %q no longer exists; after %s it counts as deleted: %w", u.o.Topic, units.Said(u.o.deletedAfter), err)
		}
		u.trouble(err)
	}
	// A broker that is gone is not an error of a fetch: the client retries silently.
	quiet := now.Sub(u.moved)
	if gone && now.Sub(u.asked) > time.Second || min(quiet, now.Sub(u.asked)) > askAfter {
		u.asked = now
		if err := u.checkTopic(ctx, cl, now); err != nil {
			return err
		}
	}
	if u.o.Patience > 0 && quiet > u.o.Patience && (!u.o.Follow || u.last != nil) && !r.paused() {
		if err := u.checkTopic(ctx, cl, now); err != nil {
			return err
		}
		if u.last == nil {
			return fmt.Errorf("read %q: nothing arrived for %s although the range continues", u.o.Topic, units.Said(u.o.Patience))
		}
		return broker.Explain(fmt.Errorf("read %q: nothing arrived for %s: %w", u.o.Topic, units.Said(u.o.Patience), u.last))
	}
	return nil
}

func (u *outage) trouble(err error) {
	if u.last == nil && u.o.Trouble != nil {
		u.o.Trouble(err)
	}
	u.last = err
}

func (u *outage) recovered() {
	if u.last != nil && u.o.Trouble != nil {
		u.o.Trouble(nil)
	}
	u.last, u.down = nil, false
}

// passes reports whether an error is temporary.
func passes(err error) bool {
	var op *net.OpError
	return kerr.IsRetriable(err) || kgo.IsRetryableBrokerErr(err) || errors.As(err, &op) || strings.Contains(err.Error(), "unable to dial")
}

func (u *outage) fatal(e kgo.FetchError) error {
	var lost *kgo.ErrDataLoss
	if errors.As(e.Err, &lost) {
		return fmt.Errorf("%q partition %d: the broker lost records while they were read: %w", e.Topic, e.Partition, e.Err)
	}
	return broker.Explain(fmt.Errorf("read %q partition %d: %w", u.o.Topic, e.Partition, e.Err))
}

// checkTopic checks that the topic is still the one that Describe saw.
func (u *outage) checkTopic(ctx context.Context, cl *kgo.Client, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	topics, err := kadm.NewClient(cl).ListTopics(ctx, u.o.Topic)
	if err != nil {
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			u.trouble(err) // temporary
			u.down = true
		}
		return nil
	}
	d := topics[u.o.Topic]
	switch {
	case errors.Is(d.Err, kerr.UnknownTopicOrPartition):
		if u.unknown.IsZero() {
			u.unknown = now
		}
		if now.Sub(u.unknown) >= u.o.deletedAfter {
			return fmt.Errorf("topic %q was deleted while it was read: %w", u.o.Topic, d.Err)
		}
	case d.Err != nil && !kerr.IsRetriable(d.Err):
		return broker.Explain(fmt.Errorf("read %q: %w", u.o.Topic, d.Err))
	case d.Err == nil:
		u.unknown = time.Time{}
		if u.down {
			u.recovered()
		}
		if id := [16]byte(d.ID); id != u.o.TopicID && id != ([16]byte{}) && u.o.TopicID != ([16]byte{}) {
			return fmt.Errorf("topic %q was deleted and created anew while it was read: its offsets start again, so the reading cannot continue", u.o.Topic)
		}
	}
	return nil
}

func (r *reading) paused() bool {
	for _, s := range r.left {
		if s.paused {
			return true
		}
	}
	return false
}

// passRemoved continues after records that retention removed while they were read.
func (r *reading) passRemoved(ctx context.Context, cl *kgo.Client, partition int32) error {
	s := r.left[partition]
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	listed, err := kadm.NewClient(cl).ListStartOffsets(ctx, r.o.Topic)
	o, ok := listed.Lookup(r.o.Topic, partition)
	if err != nil || !ok || o.Err != nil {
		return nil // the error recurs with the next poll
	}
	if o.Offset <= s.position {
		return fmt.Errorf("%q partition %d: offset %d is beyond the end: the broker lost records, or the topic was created anew: %w", r.o.Topic, partition, s.position, kerr.OffsetOutOfRange)
	}
	start := o.Offset
	if from := max(s.position, s.From); from < min(start, s.end(r.o.Follow)) {
		r.removed = append(r.removed, Removed{partition, from, min(start, s.end(r.o.Follow))})
		if r.o.Gap != nil {
			r.o.Gap(partition, start)
		}
		s.spoke = false
	}
	r.progress.Offsets += min(start, s.end(r.o.Follow)) - s.position
	s.position = start
	cl.RemoveConsumePartitions(map[string][]int32{r.o.Topic: {partition}})
	if r.finishIfDone(cl, partition, s); r.left[partition] != nil {
		cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{r.o.Topic: {partition: kgo.NewOffset().At(start)}})
	}
	return nil
}

// end is the end of the range; a followed one has none.
func (s *position) end(follow bool) int64 {
	if follow {
		return math.MaxInt64
	}
	return s.To
}

// Troubled returns a Trouble function that reports once that the brokers stopped answering, and
// once that they are back.
func Troubled(note func(string)) func(error) {
	return func(err error) {
		if err != nil {
			note("waiting for the brokers: " + err.Error())
			return
		}
		note("the brokers answer again")
	}
}
