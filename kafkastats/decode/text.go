package decode

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// none represents a field that a record does not have.
const none = "(none)"

// Text reads a field as text, to group records by: a path in the payload (which has the format of
// o), the record's "key", or "header:NAME".
func Text(ctx context.Context, o Options, field string) (func(*record.Raw) string, error) {
	header, isHeader := strings.CutPrefix(field, "header:")
	switch {
	case isHeader:
		return func(r *record.Raw) string {
			for i := len(r.Headers) - 1; i >= 0; i-- {
				if r.Headers[i].Key == header {
					return shown(r.Headers[i].Value)
				}
			}
			return none
		}, nil
	case field == "key":
		return func(r *record.Raw) string { return shown(r.Key) }, nil
	}
	o.Field, o.snapshots = field, nil
	switch o.Format {
	case Header, Key, Timestamp:
		o.Format = JSON
	case Raw:
		return nil, errors.New("names a field, but the whole value is the time; it takes key or header:NAME here")
	}
	value, err := opened(ctx, o)
	if err != nil {
		return nil, err
	}
	return func(r *record.Raw) string {
		v, err := value(r)
		switch {
		case err != nil || v == nil:
			return none
		}
		switch v := v.(type) {
		case string:
			return v
		case []byte:
			return shown(v)
		case eventtime.Time:
			return fmt.Sprint(v.Ms)
		case fmt.Stringer: // gjson.Result
			return v.String()
		}
		return fmt.Sprint(v)
	}, nil
}

func shown(b []byte) string {
	switch {
	case b == nil:
		return none
	case utf8.Valid(b):
		return string(b)
	}
	return "0x" + hex.EncodeToString(b)
}
