package flinksql

import (
	"encoding/json"
	"fmt"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

// Row is one row of the query's result: the number of records of a partition of one kind, in one
// bucket and step if the kind has them, and the least and greatest value among them, ms. A block
// of arrival time has no partition; its step is its start, epoch ms.
type Row struct {
	Partition    int32
	Kind         string
	Bucket, Step *int64
	N            uint64
	Min, Max     *int64
}

// Kinds of rows without a partition.
const (
	block      = "block"       // disorder in a block of time; values up to 0 share a bucket
	blockWidth = "block_width" // length of a block, ms
)

// Flags of the rows that count records: bits of Bucket.
const (
	appendTime  = 1
	noTimestamp = 2
	sameAsKafka = 4
	onSecond    = 8
)

// Rows reads the result of the last statement, in the SQL gateway's JSON row format.
func Rows(result [][]json.RawMessage) ([]Row, error) {
	rows := make([]Row, 0, len(result))
	for n, fields := range result {
		var r Row
		into := []any{&r.Partition, &r.Kind, &r.Bucket, &r.Step, &r.N, &r.Min, &r.Max}
		if len(fields) != len(into) {
			return nil, fmt.Errorf("row %d of the result has %d columns instead of %d", n+1, len(fields), len(into))
		}
		for i := range into {
			if err := json.Unmarshal(fields[i], into[i]); err != nil {
				return nil, fmt.Errorf("row %d, column %d of the result is %.40s: %w", n+1, i+1, fields[i], err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Counts rebuilds what a local reading would have counted, per partition of the range and over
// time. The extremes of a bucket are in the bucket, so every count goes where a local reading
// would put it.
func (j Job) Counts(rows []Row) (map[int32]*measure.Counts, measure.Blocks, error) {
	out := map[int32]*measure.Counts{}
	for p := range j.From {
		out[p] = measure.NewCounts()
	}
	var blocks measure.Blocks
	for _, r := range rows {
		if r.Kind == blockWidth && r.Min != nil {
			var err error
			if blocks, err = measure.NewBlocks(*r.Min); err != nil {
				return nil, blocks, err
			}
		}
	}
	for _, r := range rows {
		c := out[r.Partition]
		switch {
		case r.Kind == block && r.Step != nil:
			r.into(blocks.At(*r.Step))
			continue
		case c == nil: // a partition that was added since then
			continue
		}
		switch r.Kind {
		case "own", "own_behind_future":
			r.into(c.Own)
			if r.Step != nil {
				c.Steps[*r.Step] += r.N
			}
			if r.Kind == "own" {
				r.into(c.AsIs)
			}
		case "as_is":
			r.into(c.AsIs)
		case "transport":
			r.into(c.Transport)
		case "ahead":
			r.into(c.Ahead)
		case "lag":
			r.into(c.Lag)
		case "event":
			if r.Min != nil && r.Max != nil {
				c.Events(*r.Min, *r.Max)
			}
		default:
			r.count(c)
		}
	}
	return out, blocks, nil
}

func (r Row) into(h *hist.Histogram) {
	if r.Min == nil || r.Max == nil || r.N == 0 {
		return
	}
	h.Add(*r.Min)
	h.AddN(*r.Max, r.N-1)
}

// count adds a row that counts records by kind.
func (r Row) count(c *measure.Counts) {
	switch r.Kind {
	case "pre_roll", "pre_roll_unusable":
		c.PreRoll += r.N
	case "missing":
		c.Missing += r.N
	case "sentinel":
		c.Sentinel += r.N
	case "future":
		c.Future += r.N
	case "usable":
		c.Records += r.N
		flags := int64(0)
		if r.Bucket != nil {
			flags = *r.Bucket
		}
		for bit, n := range map[int64]*uint64{appendTime: &c.Append, noTimestamp: &c.NoArrival, sameAsKafka: &c.SameAsKafka, onSecond: &c.OnSecond} {
			if flags&bit != 0 {
				*n += r.N
			}
		}
		if flags&noTimestamp == 0 && r.Min != nil && r.Max != nil {
			c.Arrivals(*r.Min, *r.Max)
		}
	}
}
