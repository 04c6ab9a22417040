package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/broker"
	"tidemark/kafkastats/flinksql"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/topic"
)

// fromFlink measures disorder with a job on the user's own cluster, over the same range a local
// reading would take. With --dry-run it only prints the SQL, and done is true.
func (o recommendOptions) fromFlink(ctx context.Context, g *globals, a *advise.Options) (out kafkastats.Outcome, done bool, err error) {
	usage := func(err error) (kafkastats.Outcome, bool, error) {
		return kafkastats.Outcome{}, false, usageError{err}
	}
	if o.gateway == "" && !o.dryRun {
		return usage(errors.New("--on flink needs --sql-gateway URL, or --dry-run to see the SQL"))
	}
	if o.segments > 1 || o.live > 0 {
		return usage(errors.New("--on flink reads one range: no --segments, no --for"))
	}
	conn, committed, err := o.conn(g)
	if err != nil {
		return usage(err)
	}
	sample, err := o.sample(g.Now())
	if err != nil {
		return usage(err)
	}
	failed := func(err error) (kafkastats.Outcome, bool, error) {
		return kafkastats.Outcome{}, false, err
	}
	facts, err := topic.Describe(ctx, conn, o.topic, committed)
	if err != nil {
		return failed(err)
	}
	plan, err := topic.Plan(ctx, conn, facts, sample)
	if err != nil {
		return failed(err)
	}
	job, err := o.job(g.env, plan.Segments[0], g.Now().UnixMilli())
	if err != nil {
		return usage(err)
	}
	statements, err := job.Statements()
	if err != nil {
		return usage(err)
	}
	if o.dryRun {
		_, err := io.WriteString(g.Out, masked(strings.Join(statements, ";\n\n")+";\n"))
		return kafkastats.Outcome{}, true, err
	}
	gateway, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: o.gateway}})
	if err != nil {
		return usage(err)
	}
	counts, err := gateway.Run(ctx, statements)
	if err != nil {
		return failed(withJar(err, job.Format))
	}
	rows, err := flinksql.Rows(counts.Rows)
	if err != nil {
		return failed(fmt.Errorf("SQL gateway %s: %w", gateway.URL(), err))
	}
	a.Source = "Flink SQL at " + gateway.URL()
	a.EventTime = advise.EventTime{Field: o.field, Format: job.Format, Unit: o.unit}
	a.Facts = topicFacts(facts, committed)
	m := measure.FromCounts(job.Counts(rows))
	if c := m.Total().Counters; c.Records == 0 && c.Unusable() > 0 {
		return failed(fmt.Errorf("the Flink job found no event time in %d records, %d of them null in SQL: check --field, --unit and --flink-format", c.Seen(), c.Missing))
	}
	if gone := withoutRow(m, plan.Segments[0], strings.Contains(facts.CleanupPolicy, "compact")); gone > 0 {
		a.NotSeen = append(a.NotSeen, fmt.Sprintf("%d offsets of the range that gave the Flink job no row: tombstones, transaction markers or records removed by compaction", gone))
	}
	return kafkastats.Outcome{Measurement: m}, false, nil
}

// withJar tells what to install where the gateway lacks a connector or format.
func withJar(err error, format string) error {
	var refused *sqlgateway.Error
	if !errors.As(err, &refused) {
		return err
	}
	lacks := func(what string) bool {
		return strings.Contains(refused.Deepest().Message, "Could not find any factory for identifier '"+what+"'")
	}
	switch {
	case lacks("kafka"):
		return fmt.Errorf("%w; put the jar flink-sql-connector-kafka of that Flink version into lib/ of the gateway and the cluster", err)
	case lacks(format):
		return fmt.Errorf("%w; put the jar of that format into lib/ of the gateway and the cluster, or name another with --flink-format", err)
	}
	return err
}

// withoutRow is how many offsets of a range gave no row. In a compacted topic they may be holes, and then
// disorder cannot be known.
func withoutRow(m *measure.Measurement, plan []topic.Range, compacted bool) (gone uint64) {
	for _, r := range plan {
		p := m.Partitions[r.Partition]
		seen := p.Total().Seen()
		if n := uint64(r.To - r.From); seen < n {
			gone += n - seen
			if compacted {
				p.Jumps = n - seen
			}
		}
	}
	return gone
}

// job describes the table. A plain number in a flat field needs no SQL from the user; anything else
// is said with --flink-columns and --flink-event.
func (o recommendOptions) job(e env, ranges []topic.Range, nowMs int64) (flinksql.Job, error) {
	j := flinksql.Job{Topic: o.topic, Columns: o.flinkColumns, EventMs: o.flinkEvent, Format: o.flinkFormat, FutureMs: o.measuring().FutureMs, NowMs: nowMs, ModernMs: measure.ModernMs,
		Options: map[string]string{}, Start: map[int32]int64{}, From: map[int32]int64{}, To: map[int32]int64{}}
	if j.Columns == "" {
		if o.field == "" || strings.Contains(o.field, ".") {
			return j, errors.New("--on flink needs --field with a flat number field, or --flink-columns and --flink-event")
		}
		name := "`" + strings.ReplaceAll(o.field, "`", "``") + "`"
		scale, ok := map[string]string{"s": name + " * 1000", "ms": name, "us": name + " / 1000", "ns": name + " / 1000000"}[o.unit]
		if !ok {
			return j, errors.New("--on flink cannot guess the unit: give --unit s, ms, us or ns")
		}
		j.Columns, j.EventMs = name+" BIGINT", scale
	}
	for _, r := range ranges {
		j.Start[r.Partition], j.From[r.Partition], j.To[r.Partition] = r.PreRoll, r.From, r.To
	}
	settings := map[string]string{}
	if path := first(o.config, e.Getenv("TIDEMARK_KAFKA_CONFIG")); path != "" {
		p, err := broker.ReadProperties(path)
		if err != nil {
			return j, err
		}
		maps.Copy(settings, p)
	}
	if brokers := first(strings.Join(o.brokers, ","), e.Getenv("TIDEMARK_BROKERS")); brokers != "" {
		settings["bootstrap.servers"] = brokers
	}
	if o.readCommitted {
		settings["isolation.level"] = "read_committed"
	}
	for name, value := range settings {
		j.Options["properties."+name] = value
	}
	return j, nil
}

var sqlSecret = regexp.MustCompile(`('properties\.[^']*(?:password|jaas\.config|keystore\.key|secret)[^']*' = )'(?:[^']|'')*'`)

// masked hides what must not be echoed.
func masked(sql string) string { return sqlSecret.ReplaceAllString(sql, "$1'***'") }

func checkOn(on string) error {
	if on != "" && on != "flink" {
		return fmt.Errorf("--on %q: only flink is known", on)
	}
	return nil
}
