// Package flinksql runs the measurement of disorder as a bounded Flink SQL job on the user's own
// cluster: only counts come back.
package flinksql

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tidemark/kafkastats/hist"
)

// Job describes the measurement. Offsets make it the same range as a local reading.
type Job struct {
	Topic    string
	Columns  string            // physical columns of the payload, as in CREATE TABLE: ts BIGINT
	EventMs  string            // SQL expression for the event time in epoch ms, over Columns and the metadata below
	Format   string            // Flink format: json, avro-confluent, …
	Options  map[string]string // further table options: brokers, security, format options
	From, To map[int32]int64   // offsets [From, To) by partition
}

// Statements gives the SQL in order: settings, the table, the query. The query is a batch query:
// only there may OVER be ordered by the offset and end one row before the current one.
func (j Job) Statements() ([]string, error) {
	switch {
	case j.Topic == "" || j.Columns == "" || j.EventMs == "" || j.Format == "":
		return nil, errors.New("a Flink measurement needs topic, columns, event time expression and format")
	case j.Options["properties.bootstrap.servers"] == "":
		return nil, errors.New("a Flink measurement needs properties.bootstrap.servers")
	case strings.Contains(j.Columns+j.EventMs, ";"):
		return nil, errors.New("columns and event time expression must not hold a semicolon")
	}
	options := map[string]string{"connector": "kafka", "topic": j.Topic, "format": j.Format,
		"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": offsets(j.From),
		"scan.bounded.mode": "specific-offsets", "scan.bounded.specific-offsets": offsets(j.To)}
	maps.Copy(options, j.Options)
	var with []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		with = append(with, fmt.Sprintf("  %s = %s", literal(name), literal(options[name])))
	}
	table := "CREATE TEMPORARY TABLE tidemark_source (\n  " + j.Columns + ",\n  tm_partition INT METADATA FROM 'partition' VIRTUAL,\n" +
		"  tm_offset BIGINT METADATA FROM 'offset' VIRTUAL,\n  tm_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL\n) WITH (\n" + strings.Join(with, ",\n") + "\n)"
	query := "SELECT tm_partition, tm_bucket, COUNT(*) AS n, MIN(d) AS d_min, MAX(d) AS d_max FROM (\n" +
		"  SELECT tm_partition, d, SIGN(d) * (ABS(d) - MOD(ABS(d), " + width("ABS(d)") + ")) AS tm_bucket FROM (\n" +
		"    SELECT tm_partition, MAX(e) OVER (PARTITION BY tm_partition ORDER BY tm_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - e AS d FROM (\n" +
		"      SELECT tm_partition, tm_offset, CAST(" + j.EventMs + " AS BIGINT) AS e FROM tidemark_source\n" +
		"    ) WHERE e IS NOT NULL\n  )\n) GROUP BY tm_partition, tm_bucket"
	return []string{"SET 'execution.runtime-mode' = 'batch'", table, query}, nil
}

// width is a SQL expression for the width of the histogram bucket a magnitude falls into. A ladder
// of integer comparisons: a logarithm would be off by one at powers of two.
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

// Histograms rebuilds the disorder of each partition and its number of records. The extremes of a
// bucket lie in the bucket, so every count lands where a local reading would put it.
func Histograms(rows []Row) (own map[int32]*hist.Histogram, records map[int32]uint64) {
	own, records = map[int32]*hist.Histogram{}, map[int32]uint64{}
	for _, r := range rows {
		records[r.Partition] += r.N
		if own[r.Partition] == nil {
			own[r.Partition] = &hist.Histogram{}
		}
		if r.Min == nil || r.Max == nil || r.N == 0 {
			continue
		}
		own[r.Partition].Add(*r.Min)
		own[r.Partition].AddN(*r.Max, r.N-1)
	}
	return own, records
}
