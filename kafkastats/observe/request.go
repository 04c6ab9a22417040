// Package observe keeps measuring a topic into a profile file, for longer than its retention. A
// Request says what to observe; Run continues where the file stopped.
package observe

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// Request asks to observe a topic of Kafka into a profile.
type Request struct {
	Given         request.Given // settings that were given explicitly
	Topic         string
	Records       record.File // observe this file instead of the topic, which then only names it
	record.Times              // the part of the file
	Connection    broker.Options
	ReadCommitted bool  `flag:"read-committed" doc:"read only committed transactions, as the job does"`
	BytesPerSec   int64 `flag:"max-bytes-per-second" doc:"limit the load on the brokers"`
	EventTime     decode.Where
	MaxErrors     int64 `flag:"max-errors" doc:"undecodable records before giving up; -1: never"` // between two flushes

	File      string          `flag:"profile" doc:"file to append to; continued where it stopped (required)"`
	Flush     time.Duration   `flag:"flush" doc:"how much a crash may lose"`
	For       time.Duration   `flag:"for" doc:"stop after this long (default: until interrupted)"`
	Windows   []time.Duration `flag:"window" doc:"windows whose drops are counted"`
	Idle      time.Duration   `flag:"idle-timeout" doc:"the job's idle timeout"`
	Future    time.Duration   `flag:"future-tolerance" doc:"exclude event times this far ahead of their arrival"`
	FromStart bool            `flag:"from-start" doc:"start a new profile at the topic's oldest record instead of its end"`

	Refresh time.Duration // how often to look for new partitions
}

// Defaults is a request that lacks only its topic and file.
func Defaults() Request {
	return Request{Records: record.File{Format: "auto"}, EventTime: decode.Detected(), MaxErrors: 1000, Flush: 30 * time.Second, Windows: []time.Duration{time.Minute},
		Future: 5 * time.Minute, Refresh: time.Minute}
}

// Check refuses an impossible request before anything is read.
func (r *Request) Check() error {
	switch {
	case r.File == "":
		return request.Wrong("profile", "is missing: name the FILE to append to")
	case r.Flush <= 0:
		return request.Wrong("flush", "is %s; it takes a duration above zero", units.Said(r.Flush))
	case r.For < 0:
		return request.Wrong("for", "is %s; it takes a duration above zero", units.Said(r.For))
	case r.Idle < 0:
		return request.Wrong("idle-timeout", "is %s; it takes a duration of 0 or more", units.Said(r.Idle))
	case r.Future < 0:
		return request.Wrong("future-tolerance", "is %s; it takes a duration of 0 or more", units.Said(r.Future))
	case r.BytesPerSec < 0:
		return request.Wrong("max-bytes-per-second", "is %d; it takes a number above zero", r.BytesPerSec)
	}
	if r.Records.Path == "-" {
		return request.Wrong("records", "is standard input, which cannot be read twice; it takes a file")
	}
	if r.Records.Path != "" {
		if err := r.Given.Unused("a file is observed", "for", "from-start", "read-committed", "max-bytes-per-second", "brokers", "kafka-config", "rack"); err != nil {
			return err
		}
	} else if err := errors.Join(r.Given.Unused("it is the format of --records", "records-format"),
		r.Given.Unused("a topic is observed from its end on, or with --from-start; only a file can be cut", "since", "until")); err != nil {
		return err
	}
	if _, err := r.At(time.Time{}); err != nil {
		return err
	}
	for i, w := range r.Windows {
		if w <= 0 {
			return &request.Mistake{Setting: "window", Item: i, Err: fmt.Errorf("is %s; it takes a duration above zero", units.Said(w))}
		}
	}
	if _, err := r.EventTime.Options(); err != nil {
		return err
	}
	return r.EventTime.Unused(r.Given, r.EventTime.FormatGiven())
}

// Run observes until ctx ends, For has passed, the file is read or the brokers are gone. In every
// case the profile holds what was read. The result says so even with an error; it is nil if
// nothing was started.
func Run(ctx context.Context, p request.Process, r Request) (res *Result, err error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if r.Records.Path != "" {
		return r.archive(ctx, p)
	}
	conn, err := r.Connection.Opts()
	if err != nil {
		return nil, request.Bad(err)
	}
	committed := r.ReadCommitted || r.Connection.Settings.ReadCommitted()
	facts, err := topic.Describe(ctx, conn, r.Topic, committed)
	if err != nil {
		return nil, err
	}
	if err := r.likeBefore(); err != nil {
		return nil, request.Bad(err)
	}
	t := topic.Options{Conn: conn, Topic: r.Topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: r.BytesPerSec, Follow: true, Beat: r.beat()}
	extractor, decoding, err := r.extractor(ctx, p, t, facts)
	if err != nil {
		return nil, err
	}
	w, prior, err := profile.Open(r.File, r.key(decoding, facts))
	if err != nil {
		return nil, request.Bad(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch := newObservation(p, r, w, extractor, prior)
	if err := watch.begin(ctx, t, facts); err != nil {
		return nil, err
	}
	if r.For > 0 { // however long it took to begin
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.For)
		defer cancel()
	}
	result, err := watch.follow(ctx, t, facts)
	err = watch.end(err)
	switch {
	case err != nil:
	case errors.Is(ctx.Err(), context.Canceled):
		err = fmt.Errorf("%w: %w", context.Canceled, errors.New("interrupted: the profile holds everything read"))
	case result.Incomplete != "" && r.For == 0:
		err = errors.New(result.Incomplete)
	}
	return watch.account(decoding, nil, err)
}

// beat is how often the observation checks the clock: as often as it may have to flush.
func (r *Request) beat() time.Duration {
	return max(20*time.Millisecond, min(time.Second, r.Flush, r.Refresh))
}

// likeBefore reuses the profile's event time if none is named: what a sample suggests may change
// with newer records.
func (r *Request) likeBefore() error {
	key, ok, err := profile.ReadKey(r.File)
	if err != nil || !ok || key.Topic != r.Topic || r.EventTime.Format != "" || r.EventTime.Field != "" {
		return err
	}
	r.EventTime.Format, r.EventTime.Field = key.Format, key.Field
	return nil
}

func (r *Request) key(d decode.Options, f topic.Facts) profile.Key {
	k := profile.Key{Topic: r.Topic, Format: d.Format, Field: d.Field, Unit: r.EventTime.Unit, Zone: r.EventTime.Zone, FutureMs: r.Future.Milliseconds(), IdleMs: r.Idle.Milliseconds()}
	if f.ID != ([16]byte{}) {
		k.TopicID = hex.EncodeToString(f.ID[:])
	}
	for _, w := range r.Windows {
		k.Windows = append(k.Windows, w.Milliseconds())
	}
	return k
}

// extractor examines the newest records: the oldest may have a former format.
func (r *Request) extractor(ctx context.Context, p request.Process, t topic.Options, f topic.Facts) (*decode.Extractor, decode.Options, error) {
	plan, err := topic.Plan(ctx, t.Conn, f, topic.Sample{Part: record.Part{Last: decode.LookSize}})
	if err != nil {
		return nil, decode.Options{}, err
	}
	t.Follow = false
	head, err := topic.Head(ctx, t, plan.Segments[0], decode.LookSize)
	if err != nil {
		return nil, decode.Options{}, err
	}
	if len(head) == 0 && r.EventTime.Format == "" && r.EventTime.Field == "" {
		return nil, decode.Options{}, request.Badf("topic %q has no record to find the event time in: name it with --field, or --format", r.Topic)
	}
	return r.found(ctx, p, head)
}

// found reads the event time that was named, or that the first records suggest.
func (r *Request) found(ctx context.Context, p request.Process, head []record.Raw) (*decode.Extractor, decode.Options, error) {
	e, found, err := r.EventTime.Extractor(ctx, r.Given, head)
	switch {
	case err == nil && len(found.Looked) > 0:
		err = request.Badf("no field reads as an event time (%s): name one with --field, or say --format timestamp to take the record's own", strings.Join(found.Looked[:min(3, len(found.Looked))], "; "))
	case found.Note != "":
		p.Note(found.Note)
	}
	return e, found.Options, err
}
