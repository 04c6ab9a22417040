// Package simulate answers what watermark strategies would do with the same records: which would be late,
// which dropped, which windows would fire and when. A Request says what to run; flags and policies fill it
// alike, and Run gives the result.
package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tidemark/engine"
	"tidemark/internal/units"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Request asks for a simulation. Start from Defaults; Run checks the request first. The source is
// either Records or Topic; next to Records, Topic only decides which subtask reads a partition.
type Request struct {
	Given      request.Given // settings that were given explicitly: one that the source cannot use is refused
	Records    record.File
	Topic      string `flag:"topic" doc:"without --records, read this topic; with it, the topic's name decides which subtask reads a partition"`
	Connection broker.Options
	record.Bounds
	Play
}

// Play says what to do with the records, wherever they come from.
type Play struct {
	EventTime  decode.Where
	Base       Strategy
	Strategies []string      `flag:"strategy" doc:"also run this strategy, {NAME=DELAY}[,KEY=VALUE…]; keys it leaves out are taken from the flags; may repeat"`
	File       string        `flag:"strategies" doc:"also run the strategies of this YAML file" file:"true"`
	Windows    []string      `flag:"window" doc:"{KIND:SIZE}: tumbling:SIZE, hop:SIZE/SLIDE, cumulate:SIZE/STEP or session:GAP; may repeat"`
	Lateness   time.Duration `flag:"allowed-lateness" doc:"allowed lateness of the windows (DataStream only)"`
	Partitions int           `flag:"partitions" doc:"how many partitions exist, silent ones included (default: those that appear)"`
	Sort       bool          `flag:"sort" doc:"hold all records in memory and sort them by arrival"`
	Skip       bool          `flag:"skip-bad" doc:"leave records without a usable event time out, and count them"`
	Tail       time.Duration `flag:"tail" doc:"let the clock run on after the last record"`
	Finish     bool          `flag:"finish" doc:"end the input after the last record, which fires every window"`
	Expect     []string      `flag:"expect" doc:"limits such as 'late<=0.1%,dropped=0,fired>=10'; exit with 1 if one is not met; may repeat"`
}

// topicSample is how many records of a topic are simulated unless Last is set. They are held in
// memory, because the partitions of a topic are not read in order of arrival.
const topicSample = 1_000_000

// Defaults is a request that lacks only its source and the place of the event time.
func Defaults() Request {
	return Request{Records: record.File{Format: "auto"}, Play: Play{EventTime: decode.Detected(), Base: DefaultStrategy(), Tail: time.Second}}
}

// The modes of a request, as messages name them.
const (
	modeRecords = "a file of records is simulated"
	modeTopic   = "a topic is simulated"
)

var uses = []request.Use{
	{Settings: []string{"brokers", "kafka-config", "rack"}, By: []string{modeTopic}, Why: "no broker is contacted"},
	{Settings: []string{"records-format", "csv"}, By: []string{modeRecords}, Why: "it is the format of --records"},
	{Settings: []string{"sort"}, By: []string{modeRecords}, Why: "the records of a topic are always sorted"},
	{Settings: []string{"partitions"}, By: []string{modeRecords}, Why: "the topic says how many partitions it has"},
}

func (r *Request) mode() string {
	if r.Records.Path != "" {
		return modeRecords
	}
	return modeTopic
}

// Source describes what is simulated.
func (r *Request) Source() string {
	if r.mode() == modeRecords {
		return r.Records.Name()
	}
	return "topic " + r.Topic
}

// Check refuses an impossible request before any record is read. The error is a request.Mistake.
func (r *Request) Check() error {
	_, err := r.check()
	return err
}

func (r *Request) check() (contest, error) {
	none := contest{}
	if r.Records.Path == "" && r.Topic == "" {
		return none, request.Badf("simulate needs records: --records FILE, - for standard input, or --topic TOPIC of a broker")
	}
	if err := request.CheckWords(r); err != nil {
		return none, err
	}
	if err := r.Given.CheckUse(r.mode(), uses); err != nil {
		return none, err
	}
	if _, err := r.At(time.Time{}); err != nil {
		return none, err
	}
	if err := r.CheckFile(r.Records); err != nil {
		return none, err
	}
	switch {
	case r.Lateness < 0 || r.Lateness%time.Millisecond != 0:
		return none, request.Wrong("allowed-lateness", "is %s; it takes whole milliseconds from 0", units.Said(r.Lateness))
	case r.Tail < 0 || r.Tail > 30*24*time.Hour:
		return none, request.Wrong("tail", "is %s; it takes a duration up to 30 days", units.Said(r.Tail))
	case r.Partitions < 0 || r.Partitions > 100_000:
		return none, request.Wrong("partitions", "is %d; it takes 1 to 100000", r.Partitions)
	case r.Lateness > 0 && len(r.Windows) == 0:
		return none, request.Wrong("allowed-lateness", "needs a window")
	}
	c, err := r.contest()
	if err != nil {
		return none, err
	}
	c.time, err = r.EventTime.Reader(context.Background(), r.Given, r.mode() == modeRecords && r.Records.Columns())
	return c, err
}

// contest is what to run, as read from the request.
type contest struct {
	specs    []Strategy
	all      []*contender
	expected []expectation
	time     *decode.Reader
}

func (r *Request) contest() (contest, error) {
	specs, err := Strategies(r.Base, r.Strategies, r.File)
	if err != nil {
		return contest{}, err
	}
	c := contest{specs: specs}
	var names []string
	for _, s := range specs {
		windows, err := windowsFor(s, r.Windows, r.Lateness)
		if err != nil {
			return contest{}, err
		}
		c.all, names = append(c.all, &contender{spec: s, windows: windows}), append(names, s.Name)
	}
	c.expected, err = parseExpectations(r.Expect, names, len(r.Windows))
	return c, err
}

// Run runs the simulation. The error is a request.Mistake, or says why the records could not be
// read.
func Run(ctx context.Context, p request.Process, r Request) (*Result, error) {
	c, err := r.check()
	if err != nil {
		return nil, err
	}
	part, err := r.At(p.Now())
	if err != nil {
		return nil, err
	}
	if r.mode() == modeTopic {
		t, err := r.open(ctx, p, part)
		if err != nil {
			return nil, err
		}
		d, err := r.run(ctx, c, t)
		if err == nil && t.short {
			d.Notes = append(d.Notes, "Only the last "+units.Count(topicSample)+" records were simulated, since they are held in memory; --last takes more.")
		}
		return d, err
	}
	cut := &record.Cut{Source: r.Records.Source(p.In), Part: part}
	d, err := r.run(ctx, c, cut)
	if out := cut.LeftOut(); err == nil && out != nil {
		d.Input.LeftOut = out
		d.Notes = append(d.Notes, "Not simulated: "+out.String()+".")
	}
	if empty := cut.Empty(); empty != nil {
		err = empty
	}
	return d, err
}

func (r *Request) run(ctx context.Context, c contest, source record.Source) (*Result, error) {
	f := &feed{source: source, time: c.time, partitions: r.Partitions, sort: r.Sort, skip: r.Skip, topic: r.Topic, asked: r.Topic}
	if err := race(ctx, f, c.all, r.Tail.Milliseconds(), r.Finish); err != nil {
		return nil, err
	}
	if f.records == 0 {
		return nil, errors.New("no record to simulate in " + r.Source())
	}
	d := &Result{Expectations: []Expectation{}, Notes: notes(f, c),
		Input: Input{Source: r.Source(), Topic: f.topic, Records: f.records, Skipped: f.skipped, Partitions: f.ids, StartMs: f.first, EndMs: f.last}}
	for _, one := range c.all {
		d.Strategies = append(d.Strategies, one.outcome(f.ids))
	}
	for _, x := range c.expected {
		d.Expectations = append(d.Expectations, x.judge(d)...)
	}
	return d, nil
}

// notes warn where a number could be taken for more than it is.
func notes(f *feed, c contest) []string {
	notes := []string{}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d records without a usable event time were left out; Flink's SQL fails on a null rowtime.", f.skipped))
	}
	if n := int(f.ids[len(f.ids)-1]) + 1; n > len(f.ids) {
		notes = append(notes, fmt.Sprintf("%d of the partitions 0 to %d have no record and were ignored; with --partitions %d they hold the watermark, as in Flink.", n-len(f.ids), n-1, n))
	}
	notes = append(notes, c.time.Notes()...)
	for _, s := range c.specs {
		if s.Interval == 0 && s.Emit == "on-periodic" && s.Kind != "none" {
			notes = append(notes, fmt.Sprintf("Strategy %s never emits: an interval of 0 turns periodic emission and idleness off.", s.Name))
		}
		if s.Interval == 0 && s.Emit == "on-event" && s.Idle > 0 {
			notes = append(notes, fmt.Sprintf("Strategy %s never becomes idle: an interval of 0 turns idleness off.", s.Name))
		}
	}
	return notes
}

// Version is the newest Flink that the engine knows.
var Version = engine.Latest
