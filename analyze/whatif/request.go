// Package whatif runs a job again on the reference engine, with the records that its sources have read: first unchanged,
// to be compared with the gauges of the cluster, then with settings changed. A Request says what to change; Run returns
// the Result.
package whatif

import (
	"context"
	"time"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/crosscheck/live"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/request"
)

// Request asks what changes of one job would do. Start from Defaults; Run checks the request first.
type Request struct {
	Given      request.Given // settings that were given explicitly: one that the source cannot use is refused
	Job        flinkapi.Reading
	Records    []string `flag:"records" doc:"file of records in place of a broker: kcat -J lines or CSV, - for standard input; may repeat, a topic each" file:"true"`
	Format     string   `flag:"records-format" doc:"kcat, csv (partition, arrival, event) or auto: csv where the name ends in .csv or .csv.gz" words:"auto,kcat,csv"`
	Connection broker.Options
	Topics     request.List `flag:"topic" doc:"exact names of topics, where metric names do not tell them (dots become underscores there)"`
	All        bool         `flag:"all" doc:"read partitions from their start; without it at most the last 1,000,000 records before the reader's offset"`
	EventTime  decode.Where
	Key        string        `flag:"key-by" doc:"field by which the job keys its records, written as --field; without it the Kafka key"`
	Last       time.Duration `flag:"last" doc:"how much to judge, up to the last sample"`
	Set        []string      `flag:"set" doc:"a change, {[COLUMN:]NAME.SETTING=VALUE}, such as Orders.idle-timeout=30s; may repeat; those of one column are made together"`
	Known      []string      `flag:"known" doc:"what is in force where the cluster does not show it, written as --set; may repeat"`
	Expect     []string      `flag:"expect" doc:"limits such as 'dropped=0,windows>=6,latency-p99<10s', of every change or with COLUMN. before; exit with 1 if one is not met; may repeat"`
}

// Defaults is a request that lacks only its job, its records and the place of the event time.
func Defaults() Request {
	return Request{Format: "auto", EventTime: decode.Detected(), Last: 15 * time.Minute}
}

// Check refuses an impossible request before anything is read. The error is a request.Mistake.
func (r *Request) Check() error {
	_, _, err := r.check()
	return err
}

func (r *Request) check() (set, known []Setting, err error) {
	if r.Last < time.Second || r.Last > 7*24*time.Hour || r.Last%time.Millisecond != 0 {
		return nil, nil, request.Wrong("last", "is %s; it takes 1 s to 7 days", units.Duration(r.Last.Milliseconds()))
	}
	if r.Job.Once {
		return nil, nil, request.Wrong("once", "takes one sample; the twin must be compared with two")
	}
	if set, err = ParseSettings("set", r.Set); err != nil {
		return nil, nil, err
	}
	if known, err = ParseSettings("known", r.Known); err != nil {
		return nil, nil, err
	}
	if r.Key != "" {
		if _, err = r.EventTime.Text(context.Background(), r.Key); err != nil {
			return nil, nil, err
		}
	}
	if _, err = parseExpectations(r.Expect, names(columnsOf(set))); err != nil {
		return nil, nil, err
	}
	inner := r.live()
	return set, known, inner.Check()
}

// live is the request that reads the job and its records.
func (r *Request) live() *live.Request {
	l := live.Defaults()
	l.Given, l.Job, l.Records, l.Format, l.Connection, l.Topics, l.All, l.EventTime = r.Given, r.Job, r.Records, r.Format, r.Connection, r.Topics, r.All, r.EventTime
	return &l
}

// Read is what was read for a run. Damage says why parts of the job could not be read.
type Read struct {
	Capture *flinkapi.Capture
	Damage  []error
}

// Run reads the job and its records, plays its twin, compares it with the cluster and plays the changes.
func Run(ctx context.Context, p request.Process, r Request) (*Result, Read, error) {
	set, known, err := r.check()
	if err != nil {
		return nil, Read{}, err
	}
	x, store, read, err := r.read(ctx, p)
	if err != nil {
		return nil, read, err
	}
	limits, err := parseExpectations(r.Expect, names(columnsOf(set)))
	if err != nil {
		return nil, read, err
	}
	out, err := Answer(x, store.logs, r.Last.Milliseconds(), set, known)
	if out != nil {
		out.judge(limits)
	}
	if out != nil && !store.keyed {
		out.Notes = append(out.Notes, "The records have no Kafka key, and --key-by names no field: rows and sessions, which depend on keys, are those of a single key.")
	}
	return out, read, err
}

// read reads the job and its records.
func (r *Request) read(ctx context.Context, p request.Process) (*crosscheck.Crosscheck, *store, Read, error) {
	in := r.live()
	s := &store{logs: map[string]*Log{}}
	if r.Key != "" {
		var err error
		if s.key, err = r.EventTime.Text(ctx, r.Key); err != nil {
			return nil, nil, Read{}, err
		}
	}
	in.Hear = s.take
	got, err := live.Run(ctx, p, *in)
	return got.Crosscheck, s, Read{got.Capture, got.Damage}, err
}
