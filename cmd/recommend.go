package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/render"
)

// recommendOptions are the flags of recommend.
type recommendOptions struct {
	kafkaFlags
	topic           string
	records         string
	recordsFormat   string
	profiles        []string
	targetLate      string
	targetDropped   string
	sla             time.Duration
	window          time.Duration
	allowedLateness time.Duration
	emit            time.Duration
	processing      time.Duration
	idle            time.Duration
	cycle           time.Duration
	future          time.Duration
	since           time.Duration
	from, to        string
	last            int64
	segments        int
	live            time.Duration
	exact           bool
	on              string
	gateway         string
	dryRun          bool
	flinkColumns    string
	flinkEvent      string
	flinkFormat     string
	column          string
	within          time.Duration
	output          string
	replay          kafkastats.Replayer // nil: not verified
}

func newRecommend(g *globals) *cobra.Command {
	o := recommendOptions{replay: replayLate}
	c := &cobra.Command{
		Use:   "recommend TOPIC",
		Short: "measure a topic and recommend a watermark delay",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.topic = args[0]
			}
			return runRecommend(c.Context(), g, o)
		},
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.records, "records", "", "file with records instead of a broker, - for standard input: kcat -J lines or CSV, plain or gzip")
	f.StringVar(&o.recordsFormat, "records-format", "kcat", "kcat or csv (partition, arrival, event)")
	f.StringArrayVar(&o.profiles, "profile", nil, "profile written by observe; may repeat")
	f.StringVar(&o.targetLate, "target-late", "0.1%", "share of records that may be late, or a percentile of disorder such as p99.9")
	f.StringVar(&o.targetDropped, "target-dropped", "", "the same for records dropped by --window, instead of late ones")
	f.DurationVar(&o.sla, "sla", 0, "latest moment of a result after its window's end")
	f.DurationVar(&o.window, "window", 0, "size of the tumbling window: a late record is dropped only when its window has fired")
	f.DurationVar(&o.allowedLateness, "allowed-lateness", 0, "allowed lateness of the window")
	f.DurationVar(&o.emit, "emit-interval", 200*time.Millisecond, "interval between watermarks")
	f.DurationVar(&o.processing, "processing", 0, "time the job itself takes")
	f.DurationVar(&o.idle, "idle-timeout", 0, "idle timeout the job has: a partition that wakes up may be late")
	f.DurationVar(&o.cycle, "cycle", 0, "slowest cycle of the load (24h, 168h): two must be observed")
	f.DurationVar(&o.future, "future-tolerance", 5*time.Minute, "an event time this far ahead of its arrival is kept out")
	f.DurationVar(&o.since, "since", 0, "only the last stretch of time")
	f.StringVar(&o.from, "from", "", "from this time on (RFC 3339)")
	f.StringVar(&o.to, "to", "", "up to this time (RFC 3339)")
	f.Int64Var(&o.last, "last", 0, "only the last N records")
	f.IntVar(&o.segments, "segments", 0, "this many contiguous segments spread over the range instead of all of it")
	f.DurationVar(&o.live, "for", 0, "read the live tail for this long: the only way to see arrival times on a CreateTime topic")
	f.BoolVar(&o.exact, "exact", false, "count every distinct millisecond while there are few")
	f.StringVar(&o.on, "on", "", "flink: measure with a Flink SQL job")
	f.StringVar(&o.gateway, "sql-gateway", "", "SQL gateway URL for --on flink")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --on flink: print the SQL only")
	f.StringVar(&o.flinkColumns, "flink-columns", "", "with --on flink: columns of the payload, as in CREATE TABLE")
	f.StringVar(&o.flinkEvent, "flink-event", "", "with --on flink: SQL expression for the event time in epoch ms")
	f.StringVar(&o.flinkFormat, "flink-format", "json", "with --on flink: Flink format of the topic")
	f.StringVar(&o.column, "column", "ts", "name of the rowtime column in the SQL to paste")
	f.DurationVar(&o.within, "within", 0, "stop reading after this long, and judge what was read")
	outputFlag(c, &o.output, render.RecommendationFormats...)
	return c
}

func runRecommend(ctx context.Context, g *globals, o recommendOptions) error {
	usage := func(err error) error { return usageError{err} }
	advice, err := o.advice()
	if err = errors.Join(err, checkOn(o.on)); err != nil {
		return usage(err)
	}
	inputs := 0
	for _, given := range []bool{o.records != "", len(o.profiles) > 0, o.topic != "" && o.records == "" && len(o.profiles) == 0} {
		if given {
			inputs++
		}
	}
	if inputs != 1 {
		return usage(errors.New("give a topic, or --records FILE, or --profile FILE"))
	}
	if o.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.within)
		defer cancel()
	}
	var out kafkastats.Outcome
	switch {
	case o.records != "":
		out, err = o.fromRecords(ctx, g, &advice)
	case len(o.profiles) > 0:
		out, err = o.fromProfiles(&advice)
	case o.on == "flink":
		var done bool
		if out, done, err = o.fromFlink(ctx, g, &advice); done {
			return err
		}
	default:
		out, err = o.fromTopic(ctx, g, &advice)
	}
	if err != nil && out.Measurement == nil {
		return err
	}
	for _, e := range out.Errors {
		fmt.Fprintf(g.Err, "tidemark: undecodable: %v\n", e)
	}
	advice.Incomplete = out.Incomplete
	advice.Facts.Transactions = advice.Facts.Transactions || out.Control > 0
	r := advise.Recommend(out.Measurement, advice)
	if verr := o.verify(ctx, out, &r); verr != nil {
		return verr
	}
	if werr := render.Recommendation(g.Out, r, o.output); werr != nil {
		return fmt.Errorf("write the recommendation: %w", werr)
	}
	return o.end(ctx, g, out, r, err)
}

// end gives the exit code: the result was written whatever happened.
func (o recommendOptions) end(ctx context.Context, g *globals, out kafkastats.Outcome, r advise.Recommendation, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%w: %w", context.Canceled, errors.New("interrupted: the result covers what was read"))
	case err != nil:
		return err
	case out.Incomplete != "" && o.live == 0:
		return fmt.Errorf("incomplete: %s", out.Incomplete)
	case r.Advice.Verdict != advise.Fits:
		g.notef("%s: %s", r.Advice.Verdict, r.Advice.Reason)
		return errFindings
	}
	return nil
}

func (o recommendOptions) advice() (advise.Options, error) {
	text, byDrops := o.targetLate, false
	if o.targetDropped != "" {
		text, byDrops = o.targetDropped, true
		if o.window == 0 {
			return advise.Options{}, errors.New("--target-dropped needs --window")
		}
	}
	target, err := advise.ParseTarget(text)
	if err != nil {
		return advise.Options{}, err
	}
	for name, d := range map[string]time.Duration{"sla": o.sla, "window": o.window, "allowed-lateness": o.allowedLateness, "idle-timeout": o.idle, "since": o.since, "for": o.live} {
		if d < 0 {
			return advise.Options{}, fmt.Errorf("--%s is negative", name)
		}
	}
	return advise.Options{Topic: o.topic, Target: target, ByDrops: byDrops, SLAMs: o.sla.Milliseconds(), WindowMs: o.window.Milliseconds(),
		AllowedLateness: o.allowedLateness.Milliseconds(), EmitMs: o.emit.Milliseconds(), ProcessingMs: o.processing.Milliseconds(),
		CycleMs: o.cycle.Milliseconds(), Column: o.column}, nil
}

func (o recommendOptions) measuring() measure.Options {
	m := measure.Options{IdleMs: o.idle.Milliseconds(), FutureMs: o.future.Milliseconds()}
	if o.window > 0 {
		m.Windows = []int64{o.window.Milliseconds()}
	}
	if o.exact {
		m.Exact = &hist.Budget{Left: hist.DefaultBudget}
	}
	return m
}

// keptPoints is how many points are kept for the replay: some 50 MB.
const keptPoints = 1_000_000

func (o recommendOptions) options(e *decode.Extractor) kafkastats.Options {
	keep := 0
	if o.replay != nil {
		keep = keptPoints
	}
	return kafkastats.Options{Measure: o.measuring(), Extractor: e, MaxErrors: o.maxErrors, Keep: keep}
}

// extractor resolves where the event time is and prepares to read it.
func (o recommendOptions) extractor(ctx context.Context, g *globals, sample []record.Raw) (*decode.Extractor, decode.Options, error) {
	d, err := o.decoding(g.env)
	if err != nil {
		return nil, d, usageError{err}
	}
	d, note, err := resolve(ctx, d, sample)
	if err != nil {
		return nil, d, usageError{err}
	}
	if note != "" {
		fmt.Fprintf(g.Err, "tidemark: %s\n", note)
	}
	e, err := decode.New(ctx, d)
	if err != nil {
		return nil, d, usageError{err}
	}
	return e, d, nil
}

func (o recommendOptions) fromRecords(ctx context.Context, g *globals, a *advise.Options) (kafkastats.Outcome, error) {
	a.Source = o.records
	var src record.Source
	stdin := g.In
	if o.records == "-" {
		// The sample that finds the field and the measurement read the same stream.
		head := &bytes.Buffer{}
		sampled := io.TeeReader(io.LimitReader(g.In, 1<<22), head)
		stdin = sampled
		sample, err := sampleOf(func(yield func(*record.Raw) error) error { return o.source(stdin).Read(ctx, yield) })
		if err != nil && len(sample) == 0 {
			return kafkastats.Outcome{}, err
		}
		src = o.source(io.MultiReader(head, g.In))
		return o.measureRecords(ctx, g, a, src, sample)
	}
	src = o.source(nil)
	sample, err := sampleOf(func(yield func(*record.Raw) error) error { return src.Read(ctx, yield) })
	if err != nil && len(sample) == 0 {
		return kafkastats.Outcome{}, err
	}
	return o.measureRecords(ctx, g, a, src, sample)
}

func (o recommendOptions) source(stdin io.Reader) record.Source {
	if o.recordsFormat == "csv" {
		return record.CSV{Path: o.records, Stdin: stdin}
	}
	return record.Kcat{Path: o.records, Stdin: stdin}
}

func (o recommendOptions) measureRecords(ctx context.Context, g *globals, a *advise.Options, src record.Source, sample []record.Raw) (kafkastats.Outcome, error) {
	if o.recordsFormat == "csv" && o.format == "" {
		o.format = decode.Raw
	}
	if a.Topic == "" && len(sample) > 0 {
		a.Topic = sample[0].Topic
	}
	e, d, err := o.extractor(ctx, g, sample)
	if err != nil {
		return kafkastats.Outcome{}, err
	}
	out, err := kafkastats.MeasureRecords(ctx, src, o.options(e))
	o.state(a, e, d)
	return out, err
}

// state notes how the event times were written.
func (o recommendOptions) state(a *advise.Options, e *decode.Extractor, d decode.Options) {
	unit, classes, zone, detected := e.Seen()
	field := d.Field
	if field == "" {
		field = d.Format
	}
	a.EventTime = advise.EventTime{Field: field, Format: d.Format, Unit: unit, Zone: zone, Detected: detected}
	if d.Unit == eventtime.Auto && len(classes) > 1 {
		a.UnitClasses = classes
	}
}

func (o recommendOptions) fromProfiles(a *advise.Options) (kafkastats.Outcome, error) {
	var all *profile.Profile
	for _, path := range o.profiles {
		p, err := profile.Read(path)
		if err != nil {
			return kafkastats.Outcome{}, err
		}
		if p.Torn {
			a.NotSeen = append(a.NotSeen, "the last flush of "+path+": it was cut off")
		}
		if all == nil {
			all = p
			continue
		}
		if err := all.Merge(p); err != nil {
			return kafkastats.Outcome{}, usageError{fmt.Errorf("%s: %w", path, err)}
		}
	}
	k := all.Key
	a.Topic, a.Source = k.Topic, strings.Join(o.profiles, ", ")
	a.EventTime = advise.EventTime{Field: k.Field, Format: k.Format, Unit: k.Unit, Zone: k.Zone}
	return kafkastats.Outcome{Measurement: all.Counted}, nil
}

func (o recommendOptions) fromTopic(ctx context.Context, g *globals, a *advise.Options) (kafkastats.Outcome, error) {
	none := kafkastats.Outcome{}
	conn, committed, err := o.conn(g.env)
	if err != nil {
		return none, usageError{err}
	}
	sample, err := o.sample(g.Now())
	if err != nil {
		return none, usageError{err}
	}
	facts, err := topic.Describe(ctx, conn, o.topic, committed)
	if err != nil {
		return none, err
	}
	a.Source = "Kafka"
	a.Facts = advise.TopicFacts{Known: facts.CleanupPolicy != "", Partitions: len(facts.End), CleanupPolicy: facts.CleanupPolicy, TimestampType: facts.TimestampType,
		RetentionMs: facts.RetentionMs, ReadCommitted: committed}
	plan, err := topic.Plan(ctx, conn, facts, sample)
	if err != nil {
		return none, err
	}
	t := topic.Options{Conn: conn, Topic: o.topic, TopicID: facts.ID, ReadCommitted: committed, BytesPerSec: o.bytesPerSec}
	head, err := sampleTopic(ctx, t, plan[0])
	if err != nil {
		return none, err
	}
	e, d, err := o.extractor(ctx, g, head)
	if err != nil {
		return none, err
	}
	if o.live > 0 {
		live, cancel := context.WithTimeout(ctx, o.live)
		defer cancel()
		t.Follow, t.Live = true, func() int64 { return g.Now().UnixMilli() }
		plan = [][]topic.Range{tail(facts)}
		ctx = live
	}
	t.Progress = readingProgress(g)
	opts := o.options(e)
	opts.Measure.NowMs = g.Now().UnixMilli()
	out, err := kafkastats.MeasureTopic(ctx, t, plan, opts)
	if o.live > 0 && err == nil {
		out.Incomplete = ""
	}
	o.state(a, e, d)
	return out, err
}

// tail reads from the ends on, with a pre-roll.
func tail(f topic.Facts) []topic.Range {
	var out []topic.Range
	for _, p := range f.Partitions() {
		out = append(out, topic.Range{Partition: p, PreRoll: max(f.Start[p], f.End[p]-topic.PreRoll), From: f.End[p], To: f.End[p]})
	}
	return out
}

func (o recommendOptions) sample(now time.Time) (topic.Sample, error) {
	s := topic.Sample{Last: o.last, Segments: o.segments}
	if o.since > 0 {
		s.FromMs = now.Add(-o.since).UnixMilli()
	}
	for flag, set := range map[string]struct {
		text string
		ms   *int64
	}{"from": {o.from, &s.FromMs}, "to": {o.to, &s.ToMs}} {
		if set.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, set.text)
		if err != nil {
			return s, fmt.Errorf("--%s %q is not RFC 3339, as in 2026-11-30T08:00:00Z", flag, set.text)
		}
		*set.ms = at.UnixMilli()
	}
	return s, nil
}

func (o recommendOptions) verify(ctx context.Context, out kafkastats.Outcome, r *advise.Recommendation) error {
	if o.replay == nil || len(out.Kept) == 0 {
		r.NotSeen = append(r.NotSeen, "a replay with the recommended delay")
		return nil
	}
	records, late, predicted, err := kafkastats.Verify(ctx, o.replay, out, r.Advice.RoundedMs)
	if err != nil {
		return err
	}
	r.Advice.Verified = &advise.Verified{DelayMs: r.Advice.RoundedMs, Records: records, LateRecords: late, Predicted: predicted}
	return nil
}

// progress prints how far a reading is, to a terminal reader on stderr.
func readingProgress(g *globals) func(topic.Progress) {
	start := g.Now()
	return func(p topic.Progress) {
		elapsed := g.Now().Sub(start).Seconds()
		if elapsed < 1 || !g.verbose {
			return
		}
		rate := float64(p.Offsets) / elapsed
		left := ""
		if rate > 0 && p.OffsetsTotal > p.Offsets {
			left = fmt.Sprintf(", %s left", (time.Duration(float64(p.OffsetsTotal-p.Offsets)/rate) * time.Second).Round(time.Second))
		}
		fmt.Fprintf(g.Err, "tidemark: %d of %d offsets, %.0f a second%s\n", p.Offsets, p.OffsetsTotal, rate, left)
	}
}
