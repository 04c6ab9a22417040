package flinksql

import (
	"encoding/json"
	"fmt"
)

// Row is one row of the query's result. Bucket and bounds are null in the first record of a
// partition, which has no running maximum.
type Row struct {
	Partition int32
	N         uint64
	Min, Max  *int64
}

// Rows reads the result of the last of the statements as a SQL gateway gives it, in its JSON row
// format: partition, bucket, count, least and greatest disorder in ms of event time.
func Rows(result [][]json.RawMessage) ([]Row, error) {
	rows := make([]Row, 0, len(result))
	for n, fields := range result {
		var r Row
		into := []any{&r.Partition, new(*int64), &r.N, &r.Min, &r.Max}
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
