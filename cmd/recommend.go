package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/render"
)

// recommendOptions are the flags of recommend.
type recommendOptions struct {
	kafkaFlags
	topic           string
	records         string
	recordsFormat   string
	profiles        []string
	hours           string
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
	f.StringVar(&o.recordsFormat, "records-format", "auto", "kcat, csv (partition, arrival, event) or auto: csv where the name ends in .csv or .csv.gz")
	f.StringArrayVar(&o.profiles, "profile", nil, "profile written by observe; may repeat")
	f.StringVar(&o.hours, "hours", "", "only records that arrived in these hours of the week, in the zone of --zone: 'mon-fri 22-06', 'sat, sun'")
	f.StringVar(&o.targetLate, "target-late", "0.1%", "share of records that may be late, or a percentile of disorder such as p99.9")
	f.StringVar(&o.targetDropped, "target-dropped", "", "share of records that may be dropped by --window; in place of --target-late")
	f.DurationVar(&o.sla, "sla", 0, "latest moment of a result after its window's end")
	f.DurationVar(&o.window, "window", 0, "size of the tumbling window: a late record is dropped only when its window has fired")
	f.DurationVar(&o.allowedLateness, "allowed-lateness", 0, "allowed lateness of the window")
	f.DurationVar(&o.emit, "emit-interval", 200*time.Millisecond, "interval between watermarks: latency grows by it, and where arrival times are known the late records of such a job are estimated beside")
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
	only, err := o.ofHours()
	if err != nil {
		return usage(err)
	}
	if o.hours != "" {
		o.replay = nil // the replay would judge the other hours as well
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
	if err := o.checkRecordsFormat(); err != nil {
		return usage(err)
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
		return inputError(err)
	}
	for _, e := range out.Errors {
		fmt.Fprintf(g.Err, "tidemark: undecodable: %v\n", e)
	}
	var empty error
	if out.Measurement, empty = only(out.Measurement, &advice); empty != nil {
		return empty
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

func (o recommendOptions) verify(ctx context.Context, out kafkastats.Outcome, r *advise.Recommendation) error {
	if o.replay == nil || len(out.Kept) == 0 || r.Records == 0 {
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
