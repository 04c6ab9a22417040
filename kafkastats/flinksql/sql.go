// Package flinksql measures disorder with a bounded Flink SQL job on the user's own cluster: only
// counts are returned.
package flinksql

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

// Job describes the measurement. Its offsets select the same range as a local reading.
type Job struct {
	Topic    string
	Columns  string            // physical columns of the payload, as in CREATE TABLE: ts BIGINT
	EventMs  string            // SQL expression for the event time in epoch ms, over Columns and the metadata below
	Format   string            // Flink format: json, avro-confluent, …
	Options  map[string]string // further table options: brokers, security, format options
	Start    map[int32]int64   // first offset to read: records before From only raise the running maximum
	From, To map[int32]int64   // offsets [From, To) by partition that are counted
	FutureMs int64             // an event time this far beyond its arrival, or beyond NowMs, does not raise the running maximum
	NowMs    int64             // wall clock; 0: unknown
	ModernMs int64             // once records arrive later than this, an event time of 0 or below is not an event time
}

// Statements returns the SQL in order: settings, the table, three views, the query. The query
// runs in batch mode: only there can OVER be ordered by the offset and end one row before the
// current one.
func (j Job) Statements() ([]string, error) {
	switch {
	case j.Topic == "" || j.Columns == "" || j.EventMs == "" || j.Format == "":
		return nil, errors.New("a Flink measurement needs topic, columns, event time expression and format")
	case j.Options["properties.bootstrap.servers"] == "":
		return nil, errors.New("a Flink measurement needs properties.bootstrap.servers")
	case strings.Contains(j.Columns+j.EventMs, ";"):
		return nil, errors.New("columns and event time expression must not contain a semicolon")
	case len(j.From) == 0:
		return nil, errors.New("a Flink measurement needs a range of offsets")
	}
	return []string{
		"SET 'execution.runtime-mode' = 'batch'",
		"SET 'table.local-time-zone' = 'UTC'",
		"SET 'pipeline.name' = " + literal("tidemark measures "+j.Topic),
		j.table(), j.events(), disorderView, widthView, query,
	}, nil
}

func (j Job) table() string {
	options := map[string]string{"connector": "kafka", "topic": j.Topic, "format": j.Format,
		"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": offsets(j.start()),
		"scan.bounded.mode": "specific-offsets", "scan.bounded.specific-offsets": offsets(j.To)}
	maps.Copy(options, j.Options)
	var with []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		with = append(with, fmt.Sprintf("  %s = %s", literal(name), literal(options[name])))
	}
	return "CREATE TEMPORARY TABLE tidemark_source (\n  " + j.Columns + ",\n  tm_partition INT METADATA FROM 'partition' VIRTUAL,\n" +
		"  tm_offset BIGINT METADATA FROM 'offset' VIRTUAL,\n  tm_type STRING NOT NULL METADATA FROM 'timestamp-type' VIRTUAL,\n" +
		"  tm_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL\n) WITH (\n" + strings.Join(with, ",\n") + "\n)"
}

func (j Job) start() map[int32]int64 {
	out := maps.Clone(j.From)
	maps.Copy(out, j.Start)
	return out
}

// events classifies records as a local reading does: no event time, in the future, read only for
// the running maximum, counted.
func (j Job) events() string {
	future := fmt.Sprintf("tm_known AND tm_event - tm_arrival > %d", j.FutureMs)
	if j.NowMs > 0 {
		future += fmt.Sprintf(" OR tm_event - %d > %d", j.NowMs, j.FutureMs)
	}
	state := "CASE\n    WHEN tm_event IS NULL THEN 'missing'\n" +
		fmt.Sprintf("    WHEN tm_event = -1 OR tm_event <= 0 AND tm_known AND tm_arrival > %d THEN 'sentinel'\n", j.ModernMs) +
		"    WHEN " + future + " THEN 'future'\n    ELSE 'usable' END"
	if begun := j.counted(); begun != "" {
		state = "CASE WHEN tm_offset >= " + begun + " THEN " + state + "\n    WHEN " + state + " = 'usable' THEN 'pre_roll' ELSE 'pre_roll_unusable' END"
	}
	late := ""
	if j.NowMs > 0 {
		late = fmt.Sprintf(" AND tm_arrival <= %d", j.NowMs+j.FutureMs)
	}
	return "CREATE TEMPORARY VIEW tidemark_events AS SELECT *, CASE\n    WHEN tm_state IN ('future', 'pre_roll_unusable') THEN NULL\n" +
		"    WHEN tm_known" + late + " THEN tm_arrival WHEN NOT tm_known AND tm_state IN ('usable', 'pre_roll') THEN tm_event END AS tm_moment\n" +
		"  FROM (SELECT *, " + state + " AS tm_state FROM (\n" +
		"  SELECT tm_partition, tm_offset, tm_type, tm_type <> 'NoTimestampType' AS tm_known, CAST(" + j.EventMs + " AS BIGINT) AS tm_event,\n" +
		"    EXTRACT(EPOCH FROM tm_at) * 1000 + EXTRACT(MILLISECOND FROM tm_at) AS tm_arrival FROM tidemark_source\n))"
}

// counted is a SQL expression for the first offset that is counted, empty if all are.
func (j Job) counted() string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(j.From)) {
		if j.start()[p] < j.From[p] {
			fmt.Fprintf(&b, " WHEN %d THEN %d", p, j.From[p])
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "CASE tm_partition" + b.String() + " ELSE 0 END"
}

// disorderView adds the running maximum of the records before: tm_max without those stamped in
// the future, tm_max_as_is as a generator without a clamp has it. tm_clock is the latest arrival
// so far.
const disorderView = `CREATE TEMPORARY VIEW tidemark_disorder AS SELECT *,
    MAX(CASE WHEN tm_state IN ('usable', 'pre_roll') THEN tm_event END) OVER (PARTITION BY tm_partition ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS tm_max,
    MAX(CASE WHEN tm_state IN ('usable', 'pre_roll', 'future') THEN tm_event END) OVER (PARTITION BY tm_partition ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS tm_max_as_is,
    MAX(tm_moment) OVER (PARTITION BY tm_partition ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS tm_clock
  FROM tidemark_events`

// blocksAtMost is the number of blocks of time that the job counts separately: twice as many as a
// local reading keeps, so that merging them gives the same blocks unless a topic is silent for
// half of the time.
const blocksAtMost = 256

// widthView computes the length of a block.
var widthView = "CREATE TEMPORARY VIEW tidemark_width AS SELECT " + blockLength("tm_span") + " AS tm_width FROM (\n" +
	"  SELECT MAX(tm_moment) - MIN(tm_moment) AS tm_span FROM tidemark_events WHERE tm_state = 'usable'\n)"

// query counts: each statistic in the buckets of the histogram, disorder also in the steps that a
// person would write, and records by kind.
var query = `SELECT tm_partition, tm_kind, tm_bucket, tm_step, COUNT(*) AS n, MIN(v) AS v_min, MAX(v) AS v_max FROM (
  SELECT tm_partition, tm_kind, v, SIGN(v) * (ABS(v) - MOD(ABS(v), ` + width("ABS(v)") + `)) AS tm_bucket,
    CASE WHEN tm_kind IN ('own', 'own_behind_future') AND v > 0 THEN v + MOD(` + unit("v") + ` - MOD(v, ` + unit("v") + `), ` + unit("v") + `) END AS tm_step FROM (
    SELECT tm_partition, CASE WHEN tm_max_as_is > tm_max THEN 'own_behind_future' ELSE 'own' END AS tm_kind, tm_max - tm_event AS v FROM tidemark_disorder WHERE tm_state = 'usable' AND tm_max IS NOT NULL
    UNION ALL SELECT tm_partition, 'as_is', tm_max_as_is - tm_event FROM tidemark_disorder WHERE tm_state = 'usable' AND tm_max_as_is > tm_max OR tm_state = 'future' AND tm_max_as_is IS NOT NULL
    UNION ALL SELECT tm_partition, 'transport', tm_arrival - tm_event FROM tidemark_disorder WHERE tm_state = 'usable' AND tm_known
    UNION ALL SELECT tm_partition, 'ahead', tm_arrival - tm_event FROM tidemark_disorder WHERE tm_state = 'future' AND tm_known
    UNION ALL SELECT tm_partition, 'lag', tm_arrival - tm_max FROM tidemark_disorder WHERE tm_state = 'usable' AND tm_known AND tm_max IS NOT NULL
  )
) GROUP BY tm_partition, tm_kind, tm_bucket, tm_step
UNION ALL
SELECT tm_partition, tm_state, CASE WHEN tm_type = 'LogAppendTime' THEN 1 WHEN tm_type = 'NoTimestampType' THEN 2 WHEN tm_event = tm_arrival THEN 4 ELSE 0 END
    + CASE WHEN MOD(tm_event, 1000) = 0 THEN 8 ELSE 0 END, CAST(NULL AS BIGINT), COUNT(*), MIN(tm_arrival), MAX(tm_arrival)
  FROM tidemark_disorder GROUP BY tm_partition, tm_state, CASE WHEN tm_type = 'LogAppendTime' THEN 1 WHEN tm_type = 'NoTimestampType' THEN 2 WHEN tm_event = tm_arrival THEN 4 ELSE 0 END
    + CASE WHEN MOD(tm_event, 1000) = 0 THEN 8 ELSE 0 END
UNION ALL
SELECT tm_partition, 'event', CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), COUNT(*), MIN(tm_event), MAX(tm_event) FROM tidemark_disorder WHERE tm_state = 'usable' GROUP BY tm_partition
UNION ALL
SELECT -1, '` + block + `', tm_bucket, tm_begin, COUNT(*), MIN(v), MAX(v) FROM (
  SELECT v, tm_begin, CASE WHEN v > 0 THEN v - MOD(v, ` + width("v") + `) ELSE 0 END AS tm_bucket FROM (
    SELECT tm_max - tm_event AS v, tm_clock - MOD(tm_clock, tm_width) AS tm_begin FROM tidemark_disorder CROSS JOIN tidemark_width WHERE tm_state = 'usable' AND tm_max IS NOT NULL
  )
) GROUP BY tm_begin, tm_bucket
UNION ALL
SELECT -1, '` + blockWidth + `', CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(1 AS BIGINT), tm_width, tm_width FROM tidemark_width`

// blockLength is a SQL expression for the shortest block, ms, with which a period needs at most
// blocksAtMost blocks.
func blockLength(span string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for shift := 0; shift < 40; shift++ {
		fmt.Fprintf(&b, " WHEN %s < CAST(%d AS BIGINT) THEN CAST(%d AS BIGINT)", span, int64(blocksAtMost*measure.FineMs)<<shift, int64(measure.FineMs)<<shift)
	}
	fmt.Fprintf(&b, " ELSE CAST(%d AS BIGINT) END", int64(measure.FineMs)<<40)
	return b.String()
}

// unit is a SQL expression for the unit to which a positive delay is rounded up: two significant
// digits remain.
func unit(v string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for edge, unit := int64(100), int64(1); unit <= 1_000_000_000_000; edge, unit = edge*10, unit*10 {
		fmt.Fprintf(&b, " WHEN %s < %d THEN %d", v, edge, unit)
	}
	return b.String() + " ELSE 10000000000000 END"
}

// width is a SQL expression for the width of a magnitude's histogram bucket. It is a ladder of
// integer comparisons: a logarithm would be off by one at powers of two.
func width(v string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for shift := 0; shift <= 40; shift++ {
		fmt.Fprintf(&b, " WHEN %s < %d THEN %d", v, uint64(1)<<(shift+hist.SubBits+1), uint64(1)<<shift)
	}
	fmt.Fprintf(&b, " ELSE %d END", uint64(1)<<41)
	return b.String()
}

func offsets(by map[int32]int64) string {
	var parts []string
	for _, p := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("partition:%d,offset:%d", p, by[p]))
	}
	return strings.Join(parts, ";")
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
