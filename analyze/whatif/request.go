// Package whatif runs a job again on the watermark engine, with the records that its sources have
// read: first as it is, compared with the cluster's own gauges, then with settings changed. A
// Request says what to change; Run returns the Result.
package whatif

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/crosscheck/live"
	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Request asks what a change of one job would do. Start from Defaults; Run checks the request
// first.
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
		return nil, nil, request.Wrong("once", "takes one sample; the twin must be held against two")
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

// live is how the job and its records are read.
func (r *Request) live() *live.Request {
	l := live.Defaults()
	l.Given, l.Job, l.Records, l.Format, l.Connection, l.Topics, l.All, l.EventTime = r.Given, r.Job, r.Records, r.Format, r.Connection, r.Topics, r.All, r.EventTime
	return &l
}

// Read is what a run was made from. Damage says why a part of the job could not be read.
type Read struct {
	Capture *flinkapi.Capture
	Damage  []error
}

// Run reads the job and its records, plays the twin and compares.
func Run(ctx context.Context, p request.Process, r Request) (*Result, Read, error) {
	set, known, err := r.check()
	if err != nil {
		return nil, Read{}, err
	}
	x, shelf, read, err := r.read(ctx, p)
	if err != nil {
		return nil, read, err
	}
	limits, err := parseExpectations(r.Expect, names(columnsOf(set)))
	if err != nil {
		return nil, read, err
	}
	out, err := Answer(x, shelf.logs, r.Last.Milliseconds(), set, known)
	if out != nil {
		out.judge(limits)
	}
	if out != nil && !shelf.keyed {
		out.Notes = append(out.Notes, "The records have no Kafka key, and --key-by names no field: what depends on keys, rows and sessions, is that of one key.")
	}
	return out, read, err
}

// read reads the job and its records.
func (r *Request) read(ctx context.Context, p request.Process) (*crosscheck.Crosscheck, *shelf, Read, error) {
	in := r.live()
	s := &shelf{logs: map[string]*Log{}}
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

// shelf keeps the records that are read.
type shelf struct {
	logs  map[string]*Log
	key   func(*record.Raw) (string, error)
	keyed bool
}

func (s *shelf) take(split string, r *record.Raw, event int64) {
	l := s.logs[split]
	if l == nil {
		l = &Log{}
		s.logs[split] = l
		for _, one := range s.logs {
			one.most = max(mostRecords/2/len(s.logs), 1000)
		}
	}
	arrival := r.Timestamp
	if r.Type == record.NoTimestamp {
		arrival = 0
	}
	l.add(entry{r.Offset, arrival, event, s.keyOf(r)})
}

// keyOf is a key in 64 bits whose 32-bit fold is the hash code of the text as a Java String, which is
// what decides the subtask.
func (s *shelf) keyOf(r *record.Raw) int64 {
	text := string(r.Key)
	if s.key != nil {
		one, err := s.key(r)
		if err != nil {
			return 0
		}
		text = one
	} else if r.Key == nil {
		return 0
	}
	s.keyed = true
	h := fnv.New32a()
	h.Write([]byte(text))
	java := uint32(engine.JavaHash(text))
	high := h.Sum32()
	return int64(uint64(high)<<32 | uint64(java^high))
}

// Answer plays a job that was read: as it is, and under each column of settings.
func Answer(x *crosscheck.Crosscheck, logs map[string]*Log, lastMs int64, set, known []Setting) (*Result, error) {
	j := x.Job()
	out := &Result{Job: model.Ref{ID: j.ID, Name: j.Name}, ShortID: j.ShortID, Version: x.Version.String(), InForce: []InForce{}, NotModelled: []NotModelled{}, Columns: []Column{}, Expected: []Expectation{}, Notes: []string{}}
	groups := columnsOf(resolve(j, set))
	p, changed, why, err := prepare(x, logs, lastMs, known, groups)
	if err != nil {
		return nil, err
	}
	out.NotReady = why
	if p == nil {
		return out, nil
	}
	p.describe(out)
	if out.Fit = p.fit; !out.Reproduces() {
		return out, nil
	}
	out.Columns = append(out.Columns, p.column(asIs, nil, p.design, p.films))
	for i, d := range changed {
		films, _, err := p.playWhole(d, append(p.steps(), p.moments(d)...))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", groups[i].name, err)
		}
		out.Columns = append(out.Columns, p.column(groups[i].name, groups[i].settings, d, films))
	}
	return out, nil
}

// group is the settings of one column.
type group struct {
	name     string
	settings []Setting
}

// asIs is the name of the column without a change.
const asIs = "as it is"

func names(groups []group) []string {
	all := []string{asIs}
	for _, g := range groups {
		all = append(all, g.name)
	}
	return all
}

// columnsOf sorts settings by column. One that names none is in every column; where none names any, all
// are one.
func columnsOf(set []Setting) []group {
	var out []group
	for _, s := range set {
		if s.Column != "" && !slices.ContainsFunc(out, func(g group) bool { return g.name == s.Column }) {
			out = append(out, group{name: s.Column})
		}
	}
	if len(out) == 0 && len(set) > 0 {
		out = []group{{name: "changed"}}
	}
	for i := range out {
		for _, s := range set {
			if s.Column == "" || s.Column == out[i].name {
				out[i].settings = append(out[i].settings, s)
			}
		}
	}
	return out
}

// describe says what was played.
func (p *prepared) describe(out *Result) {
	b := p.base
	out.Judged = Judged{PlayedFromMs: b.playMs, FromMs: b.fromMs, ToMs: b.now.lo, SkewMs: b.now.skew, Young: b.playMs == b.startMs}
	for _, l := range b.logs {
		out.Judged.Records += int64(len(l.entries) - l.since(b.playMs-b.backMs))
	}
	for _, f := range p.design.sources {
		one := InForce{Source: *f.vertex.Ref(), Name: f.name, Kind: "bounded", DelayMs: f.strategy.BoundMs, IdleMs: f.strategy.IdleMs, IntervalMs: f.strategy.IntervalMs,
			Emit: "on-periodic", Place: "source", Parallelism: f.vertex.Parallelism, Splits: f.vertex.TotalSplits(), Origin: f.origin}
		one.Field, one.ShiftMs = f.cross.InForce.Unit.String(), f.cross.InForce.ShiftMs
		if f.strategy.Kind != 0 {
			one.Kind = "none"
		}
		if f.strategy.EmitOnEvent {
			one.Emit = "on-event"
		}
		if f.behind != nil {
			one.Place = "downstream"
		}
		if a := f.align; a != nil {
			one.Alignment = fmt.Sprintf("%s, %s, every %s", a.Group, units.Duration(a.MaxDriftMs), units.Duration(a.UpdateMs))
		}
		out.InForce = append(out.InForce, one)
	}
	var left []NotModelled
	if f := p.films[nominal]; f != nil {
		left = f.left
	} else { // nothing was played
		left = b.build(p.design, nominal).left
	}
	out.NotModelled = append(out.NotModelled, left...)
	for _, v := range b.cross.Job().Vertices {
		if because := b.dark[v]; because != nil {
			why := "it gets records of source " + model.SourceLabel(because) + ", whose splits are no partitions of Kafka"
			if because == v {
				why = "its splits are no partitions of Kafka"
			}
			out.NotModelled = append(out.NotModelled, NotModelled{Vertex: *v.Ref(), Operator: model.HeadName(v), Why: why, Counts: true})
		}
	}
}
