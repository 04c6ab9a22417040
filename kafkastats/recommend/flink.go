package recommend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"tidemark/flinkapi"
	"tidemark/flinkapi/sqlgateway"
	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/flinksql"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// checkFlink refuses what a Flink job cannot measure.
func (r *Request) checkFlink() error {
	if r.Flink.Gateway == "" && !r.Flink.DryRun {
		return request.Wrong("on", "flink needs --sql-gateway URL, or --dry-run to see the SQL")
	}
	if r.Part.Segments > 1 || r.Part.Live > 0 {
		return request.Wrong("on", "flink reads one range: no --segments, no --for")
	}
	if r.Flink.Columns != "" {
		return r.Given.Unused("--flink-columns and --flink-event say what is read", "field", "unit")
	}
	if r.Flink.Event != "" {
		return request.Wrong("flink-event", "needs --flink-columns")
	}
	_, _, err := r.plainNumber()
	return err
}

// plainNumber is the table for a number in a flat field; anything else must be given in SQL.
func (r *Request) plainNumber() (columns, event string, err error) {
	field := r.EventTime.Field
	if field == "" || strings.Contains(field, ".") {
		return "", "", request.Wrong("on", "flink needs --field with a flat number field, or --flink-columns and --flink-event")
	}
	name := "`" + strings.ReplaceAll(field, "`", "``") + "`"
	event, ok := map[string]string{"s": name + " * 1000", "ms": name, "us": name + " / 1000", "ns": name + " / 1000000"}[r.EventTime.Unit]
	if !ok {
		return "", "", request.Wrong("on", "flink cannot guess the unit: give --unit s, ms, us or ns")
	}
	return name + " BIGINT", event, nil
}

// fromFlink measures disorder with a job on the user's own cluster, over the same range as a
// local reading. A dry run returns the statements and no measurement.
func (m *measuring) fromFlink(ctx context.Context) (kafkastats.Outcome, error) {
	none := kafkastats.Outcome{}
	committed := m.Kafka.Committed()
	conn, sample, facts, err := m.described(ctx, committed)
	if err != nil {
		return none, err
	}
	plan, err := topic.Plan(ctx, conn, facts, sample)
	if err != nil {
		return none, err
	}
	job := m.job(plan.Segments[0])
	statements, err := job.Statements()
	if err != nil {
		return none, request.Bad(err)
	}
	if m.Flink.DryRun {
		for _, s := range statements {
			m.statements = append(m.statements, masked(s))
		}
		return none, nil
	}
	gateway, err := sqlgateway.New(sqlgateway.Options{Connection: flinkapi.ClientOptions{URL: m.Flink.Gateway}})
	if err != nil {
		return none, request.Bad(err)
	}
	counts, err := gateway.Run(ctx, statements)
	if err != nil {
		return none, withJar(err, job.Format)
	}
	rows, err := flinksql.Rows(counts.Rows)
	if err != nil {
		return none, fmt.Errorf("SQL gateway %s: %w", gateway.URL(), err)
	}
	a := &m.advice
	a.Source = "Flink SQL at " + gateway.URL()
	a.EventTime = advise.EventTime{Field: m.EventTime.Field, Format: job.Format, Unit: m.EventTime.Unit}
	a.Facts = topicFacts(facts, committed)
	by, blocks, err := job.Counts(rows)
	if err != nil {
		return none, fmt.Errorf("SQL gateway %s: the rows of the job: %w", gateway.URL(), err)
	}
	counted := measure.FromCounts(by, blocks)
	if c := counted.Total().Counters; c.Records == 0 && c.Unusable() > 0 {
		return none, fmt.Errorf("the Flink job found no event time in %d records, %d of them null in SQL: check --field, --unit and --flink-format", c.Seen(), c.Missing)
	}
	if gone := withoutRow(counted, plan.Segments[0], strings.Contains(facts.CleanupPolicy, "compact")); gone > 0 {
		a.NotSeen = append(a.NotSeen, fmt.Sprintf("%d offsets of the range for which the Flink job returned no row: tombstones, transaction markers or records removed by compaction", gone))
	}
	return kafkastats.Outcome{Measurement: counted}, nil
}

// withJar says what to install if the gateway lacks a connector or format.
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

// withoutRow is the number of offsets of a range without a row. In a compacted topic they may be
// removed records, and then disorder cannot be known.
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

// job describes the table, with the connection of a local reading.
func (m *measuring) job(ranges []topic.Range) flinksql.Job {
	j := flinksql.Job{Topic: m.Topic, Columns: m.Flink.Columns, EventMs: m.Flink.Event, Format: m.Flink.Format, FutureMs: m.Future.Milliseconds(),
		NowMs: m.Now().UnixMilli(), ModernMs: measure.ModernMs,
		Options: map[string]string{}, Start: map[int32]int64{}, From: map[int32]int64{}, To: map[int32]int64{}}
	if j.Columns == "" {
		j.Columns, j.EventMs, _ = m.plainNumber() // checked earlier
	}
	for _, r := range ranges {
		j.Start[r.Partition], j.From[r.Partition], j.To[r.Partition] = r.PreRoll, r.From, r.To
	}
	settings := maps.Clone(m.Kafka.Connection.Settings)
	if settings == nil {
		settings = map[string]string{}
	}
	if brokers := m.Kafka.Connection.Brokers; len(brokers) > 0 {
		settings["bootstrap.servers"] = strings.Join(brokers, ",")
	}
	if m.Kafka.ReadCommitted {
		settings["isolation.level"] = "read_committed"
	}
	for name, value := range settings {
		j.Options["properties."+name] = value
	}
	return j
}

var sqlSecret = regexp.MustCompile(`('properties\.[^']*(?:password|jaas\.config|keystore\.key|secret)[^']*' = )'(?:[^']|'')*'`)

// masked hides secrets in the SQL.
func masked(sql string) string { return sqlSecret.ReplaceAllString(sql, "$1'***'") }
