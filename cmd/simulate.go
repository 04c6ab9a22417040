package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats/record"
	"tidemark/render"
)

type simulateOptions struct {
	records    string
	csv        bool
	time       eventTime
	base       strategySpec
	strategies []string
	file       string
	windows    []string
	lateness   time.Duration
	partitions int
	topic      string
	brokers    []string
	properties string
	last       int64
	sort, skip bool
	tail       time.Duration
	finish     bool
	expect     []string
	output     output
}

func newSimulate(g *globals) *cobra.Command {
	var o simulateOptions
	c := &cobra.Command{
		Use:   "simulate --records FILE | --topic TOPIC",
		Short: "what strategies would do with the same records",
		Long: `Run records through the reference watermark engine: which would be late, which dropped, which windows
would fire and when, under one or several strategies side by side.

Records are lines of kcat -J, or CSV rows of partition, arrival and event time; plain, gzip, or - for
standard input. They are read once and need not fit in memory, and must be in order of arrival. With
--topic in place of --records the last records of a topic are read from a broker.

--expect ends with 1 where a limit is not kept: METRIC OP VALUE, for every strategy or STRATEGY.METRIC.
Metrics are late, records, lag-p99, lag-max, lag-end and, of windows, fired, again, dropped, open, added-p99,
added-max.`,
		Example: `  tidemark simulate --records orders.jsonl --field ts --delay 5s --window tumbling:10s
  tidemark simulate --records orders.csv --strategy ds=5s --strategy sql=5s,dialect=sql --window hop:1m/10s
  kcat -b localhost -t orders -J -e | tidemark simulate --records - --field ts --delay 5s --expect 'late<=0.1%,lag-p99<10s'`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return runSimulate(c.Context(), g, o) },
	}
	f := c.Flags()
	f.StringVar(&o.records, "records", "", "file of records, - for standard input")
	f.BoolVar(&o.csv, "csv", false, "the file is CSV whatever its name")
	o.time.addFlags(c)
	o.base.addFlags(c, "interval")
	f.StringArrayVar(&o.strategies, "strategy", nil, "also run this strategy, `NAME=DELAY`[,KEY=VALUE…]; keys it leaves out are those of the flags; may repeat")
	f.StringVar(&o.file, "strategies", "", "also run the strategies of this YAML file")
	f.StringArrayVar(&o.windows, "window", nil, "`KIND:SIZE`: tumbling:SIZE, hop:SIZE/SLIDE, cumulate:SIZE/STEP or session:GAP; may repeat")
	f.DurationVar(&o.lateness, "allowed-lateness", 0, "of the windows (DataStream only)")
	f.IntVar(&o.partitions, "partitions", 0, "how many partitions exist, silent ones included (default: those that appear)")
	f.StringVar(&o.topic, "topic", "", "without --records, read this topic; with it, the topic's name decides what subtask reads a partition")
	f.StringSliceVar(&o.brokers, "brokers", nil, "Kafka brokers, host:port (default: TIDEMARK_BROKERS, or bootstrap.servers of the client properties)")
	f.StringVar(&o.properties, "kafka-config", "", "client.properties file as the Java tools read it (default: TIDEMARK_KAFKA_CONFIG)")
	f.Int64Var(&o.last, "last", topicSample, "of a topic, simulate the last `N` records; they are held in memory")
	f.BoolVar(&o.sort, "sort", false, "hold all records in memory and put them in order of arrival")
	f.BoolVar(&o.skip, "skip-bad", false, "leave records without a usable event time out, and count them")
	f.DurationVar(&o.tail, "tail", time.Second, "let the clock run on after the last record")
	f.BoolVar(&o.finish, "finish", false, "end the input after the last record, which fires every window")
	f.StringArrayVar(&o.expect, "expect", nil, "limits such as 'late<=0.1%,dropped=0,fired>=10'; exit with 1 where one is not kept; may repeat")
	o.output.addFlags(c)
	return c
}

func (o *simulateOptions) check() error {
	switch {
	case o.records == "" && o.topic == "":
		return usagef("simulate needs records: --records FILE, - for standard input, or --topic TOPIC of a broker")
	case o.last < 1:
		return usagef("--last is %d; it takes a number of records", o.last)
	case o.lateness < 0 || o.lateness%time.Millisecond != 0:
		return usagef("--allowed-lateness is %s; it takes whole milliseconds from 0", o.lateness)
	case o.tail < 0 || o.tail > 30*24*time.Hour:
		return usagef("--tail is %s; it takes a duration up to 30 days", o.tail)
	case o.partitions < 0 || o.partitions > 100_000:
		return usagef("--partitions is %d; it takes 1 to 100000", o.partitions)
	case o.lateness > 0 && len(o.windows) == 0:
		return usagef("--allowed-lateness needs a --window")
	}
	return nil
}

func runSimulate(ctx context.Context, g *globals, o simulateOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := o.time.fromContext(g, len(o.brokers) > 0 || o.properties != ""); err != nil {
		return usageError{err}
	}
	if o.records == "" {
		return simulateTopic(ctx, g, o)
	}
	source, columns := recordFile(o.records, o.csv, g.In)
	return simulate(ctx, g, o, source, columns, sourceName(o.records))
}

func sourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// simulate runs the strategies over any source of records and writes the result.
func simulate(ctx context.Context, g *globals, o simulateOptions, source record.Source, columns bool, name string) error {
	d, err := runContest(ctx, g.env, o, source, columns, name)
	if err != nil {
		return inputError(err)
	}
	if err := o.output.write(g, render.Simulation(d)); err != nil {
		return err
	}
	if slices.ContainsFunc(d.Expectations, func(e render.Expectation) bool { return !e.Met }) {
		return errFindings
	}
	return nil
}

// contest is what is run, read from the options: it is checked before any record is read.
type contest struct {
	specs    []strategySpec
	all      []*contender
	expected []expectation
}

func (o *simulateOptions) contest() (contest, error) {
	specs, err := strategiesOf(o.base, o.strategies, o.file)
	if err != nil {
		return contest{}, err
	}
	c := contest{specs: specs}
	var names []string
	for _, s := range specs {
		windows, err := windowsFor(s, o.windows, o.lateness)
		if err != nil {
			return contest{}, err
		}
		c.all, names = append(c.all, &contender{spec: s, windows: windows}), append(names, s.name)
	}
	c.expected, err = parseExpectations(o.expect, names, len(o.windows))
	return c, err
}

// runContest runs the strategies over any source of records. Shared with check.
func runContest(ctx context.Context, e env, o simulateOptions, source record.Source, columns bool, name string) (*render.SimulationData, error) {
	c, err := o.contest()
	if err != nil {
		return nil, err
	}
	if err := o.time.prepare(ctx, e, columns); err != nil {
		return nil, err
	}
	f := &feed{source: source, time: &o.time, partitions: o.partitions, sort: o.sort, skip: o.skip, topic: o.topic}
	if err := race(ctx, f, c.all, o.tail.Milliseconds(), o.finish); err != nil {
		return nil, err
	}
	if f.records == 0 {
		return nil, errors.New("no record to simulate in " + name)
	}
	d := &render.SimulationData{Schema: render.SchemaSimulation, Tool: tool(), Expectations: []render.Expectation{}, Notes: o.notes(f, c.specs),
		Input: render.SimulationInput{Source: name, Topic: f.topic, Records: f.records, Skipped: f.skipped, Partitions: f.ids, StartMs: f.first, EndMs: f.last}}
	for _, one := range c.all {
		d.Strategies = append(d.Strategies, one.outcome(f.ids))
	}
	for _, x := range c.expected {
		d.Expectations = append(d.Expectations, x.judge(d)...)
	}
	return d, nil
}

// notes say what the numbers rest on where a reader could take them for more.
func (o *simulateOptions) notes(f *feed, specs []strategySpec) []string {
	notes := []string{}
	if f.skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d records without a usable event time were left out; Flink's SQL fails on a null rowtime.", f.skipped))
	}
	if n := int(f.ids[len(f.ids)-1]) + 1; n > len(f.ids) {
		notes = append(notes, fmt.Sprintf("%d of the partitions 0 to %d have no record and were taken not to exist; with --partitions %d they hold the watermark back as in Flink.", n-len(f.ids), n-1, n))
	}
	notes = append(notes, o.time.notes()...)
	for _, s := range specs {
		if s.interval == 0 && s.emit == "on-periodic" && s.kind != "none" {
			notes = append(notes, fmt.Sprintf("Strategy %s never emits: an interval of 0 turns periodic emission and idleness off.", s.name))
		}
		if s.interval == 0 && s.emit == "on-event" && s.idle > 0 {
			notes = append(notes, fmt.Sprintf("Strategy %s never turns idle: an interval of 0 turns idleness off.", s.name))
		}
	}
	return notes
}
