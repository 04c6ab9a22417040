//go:build lab

package cmd_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/engine"
	"tidemark/internal/units"
	"tidemark/kafkastats"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/topic"
)

// lateCase is one delay under which a real job reads a topic, and the late records it must count.
type lateCase struct {
	name    string // letters, digits, _
	vector  string // topic it reads
	sql     bool
	delay   int64
	options string                        // of Lateness.java; for SQL: table options NAME=VALUE
	job     string                        // jobs differ in their emission interval
	window  bool                          // counted by numLateRecordsDropped of a 1 ms window, else where the record meets the watermark
	want    int64                         // the vector's answer
	tells   func(*measured, int64) uint64 // what tidemark's measurement says for that delay
}

// measured is what tidemark finds in a topic.
type measured struct {
	cell  *measure.Cell
	topic *measure.TopicCell
	kept  []engine.Record
}

// dataStream delays leave a record late from disorder delay + 1 on, SQL delays from disorder delay on.
func own(m *measured, above int64) uint64    { return m.cell.Own.Above(above) }
func asIs(m *measured, above int64) uint64   { return m.cell.DisorderAsIs().Above(above) }
func global(m *measured, above int64) uint64 { return m.topic.Global.Above(above) }
func idle(m *measured, above int64) uint64   { return m.topic.MergedIdle.Above(above) }

// periodic is what the reference engine finds late when the watermark only leaves at the ticks after a start.
func periodic(startMs, intervalMs int64) func(*measured, int64) uint64 {
	return func(m *measured, above int64) uint64 {
		cfg := engine.ReplayConfig{Strategy: engine.Strategy{Kind: engine.BoundedOutOfOrderness, BoundMs: above, IntervalMs: intervalMs}, Version: engine.Latest, Splits: 1, StartMs: &startMs}
		return uint64(replayed(cfg, m.kept))
	}
}

// replayed is how many records of a partition the reference engine finds late.
func replayed(cfg engine.ReplayConfig, records []engine.Record) int64 {
	r, err := engine.NewReplayer(cfg)
	for _, one := range records {
		if err == nil {
			err = r.Add(one)
		}
	}
	if err != nil {
		panic(err)
	}
	return r.Result().Late
}

func (c lateCase) predicted(m *measured) uint64 {
	if c.sql {
		return c.tells(m, c.delay-1)
	}
	return c.tells(m, c.delay)
}

func (c lateCase) java(topics map[string]string) string {
	parts := []string{c.name, topics[c.vector], fmt.Sprint(c.delay)}
	if c.options != "" {
		parts = append(parts, c.options)
	}
	if c.window {
		parts = append(parts, "window=1")
	}
	return strings.Join(parts, "|")
}

// table is the source as recommend tells the user to declare it, and the query that counts its late records.
func (c lateCase) table(topics map[string]string, kafka string) (create, sink, insert string) {
	watermark, emit := units.Watermark("ts", c.delay), ", 'scan.watermark.emit.strategy'='on-event'"
	for o := range strings.SplitSeq(c.options, "|") {
		switch name, value, _ := strings.Cut(o, "="); name {
		case "clamp":
			watermark = "WATERMARK FOR ts AS CASE WHEN ms <= at_ms + " + value + " THEN ts END"
		case "emit":
			emit = ""
		case "idle":
			emit += ", 'scan.watermark.idle-timeout'='" + value + "ms'"
		}
	}
	create = fmt.Sprintf("CREATE TEMPORARY TABLE %s (n BIGINT, ms BIGINT, kafka_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', ts AS TO_TIMESTAMP_LTZ(ms, 3), "+
		"at_ms AS TIMESTAMPDIFF(SECOND, TO_TIMESTAMP_LTZ(0, 3), kafka_at) * 1000, %s) WITH ('connector'='kafka', 'topic'='%s', 'properties.bootstrap.servers'='%s', "+
		"'properties.group.id'='lab-lateness', 'scan.startup.mode'='earliest-offset', 'format'='json'%s)", c.name, watermark, topics[c.vector], kafka, emit)
	if c.window {
		return create, fmt.Sprintf("CREATE TEMPORARY TABLE %s_Sink (w TIMESTAMP(3), c BIGINT) WITH ('connector'='blackhole')", c.name),
			fmt.Sprintf("INSERT INTO %s_Sink SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE %s, DESCRIPTOR(ts), INTERVAL '0.001' SECOND)) GROUP BY window_start, window_end", c.name, c.name)
	}
	return create, fmt.Sprintf("CREATE TEMPORARY TABLE %s_Sink (n BIGINT) WITH ('connector'='blackhole')", c.name),
		fmt.Sprintf("INSERT INTO %s_Sink SELECT n FROM %s WHERE ts <= CURRENT_WATERMARK(ts)", c.name, c.name)
}

// measureTopic has tidemark read a topic, every millisecond counted.
func measureTopic(t *testing.T, kafka, name string, idleMs int64) *measured {
	t.Helper()
	ctx, conn := context.Background(), []kgo.Opt{kgo.SeedBrokers(kafka)}
	facts, err := topic.Describe(ctx, conn, name, false)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := topic.Plan(ctx, conn, facts, topic.Sample{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := decode.New(ctx, decode.Options{Format: decode.JSON, Field: "ms", Unit: eventtime.Milli})
	if err != nil {
		t.Fatal(err)
	}
	out, err := kafkastats.MeasureTopic(ctx, topic.Options{Conn: conn, Topic: name, TopicID: facts.ID}, plan.Segments,
		kafkastats.Options{Extractor: e, Keep: 200_000, Measure: measure.Options{IdleMs: idleMs, Exact: &hist.Budget{Left: 2_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &measured{cell: out.Measurement.Total(), topic: out.Measurement.TopicTotal()}
	for _, p := range out.Kept {
		m.kept = append(m.kept, engine.Record{Split: p.Partition, Arrival: p.Arrival, EventTime: p.Event})
	}
	return m
}

func form(c lateCase) string {
	return cmp.Or(map[bool]string{true: "SQL"}[c.sql], "DataStream")
}
