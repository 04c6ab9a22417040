package decode

import (
	"errors"

	"github.com/tidwall/gjson"

	"tidemark/kafkastats/record"
)

// errSnapshot marks a row that a connector copied from a table when it started: its times are as
// old as the row, and say nothing about how late changes arrive.
var errSnapshot = errors.New("a row of a snapshot")

// leavingOutSnapshots wraps the reader of a JSON field whose envelope marks snapshot rows.
func leavingOutSnapshots(e *envelope, value func(*record.Raw) (any, error)) func(*record.Raw) (any, error) {
	return func(r *record.Raw) (any, error) {
		if e.snapshot(gjson.ParseBytes(unframe(r.Value))) {
			return nil, errSnapshot
		}
		return value(r)
	}
}
