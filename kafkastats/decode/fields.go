package decode

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"tidemark/kafkastats/record"
)

// jsonField reads one field without decoding the rest. A payload that is not JSON is undecodable,
// which is only noticed if the field is not found: checking each payload would halve the speed.
func jsonField(b []byte, path string) (any, error) {
	v := gjson.GetBytes(b, path)
	if v.Exists() {
		return v, nil
	}
	if !gjson.ValidBytes(b) {
		return nil, errors.New("the payload is not JSON")
	}
	return nil, errMissing
}

// unframe removes the five bytes of the schema registry, if present.
func unframe(b []byte) []byte {
	if _, rest, ok := frame(b); ok {
		return rest
	}
	return b
}

// Framed reports whether a payload seems to be written through a schema registry.
func Framed(b []byte) bool {
	_, _, ok := frame(b)
	return ok
}

// frame splits Confluent's wire format: a zero byte and a schema id of four bytes.
func frame(b []byte) (id int, rest []byte, ok bool) {
	if len(b) < 5 || b[0] != 0 {
		return 0, nil, false
	}
	return int(binary.BigEndian.Uint32(b[1:5])), b[5:], true
}

func headerValue(r *record.Raw, o Options) (any, error) {
	for i := len(r.Headers) - 1; i >= 0; i-- {
		if r.Headers[i].Key == o.Field {
			return number(r.Headers[i].Value)
		}
	}
	return nil, errMissing
}

func keyValue(r *record.Raw, o Options) (any, error) {
	switch {
	case r.Key == nil:
		return nil, errMissing
	case o.Field != "":
		return jsonField(r.Key, o.Field)
	}
	return number(r.Key)
}

// number reads text, or the eight bytes that Java's LongSerializer writes.
func number(b []byte) (any, error) {
	if b == nil {
		return nil, errMissing
	}
	if len(b) == 8 {
		for _, c := range b {
			if c < ' ' || c > '~' {
				return int64(binary.BigEndian.Uint64(b)), nil
			}
		}
	}
	return string(b), nil
}

// csvColumn reads one column of a delimited payload.
func csvColumn(_ context.Context, o Options) (reading, error) {
	column, err := strconv.Atoi(o.Field)
	if err != nil || column < 1 {
		return nil, fmt.Errorf("format csv needs the column's number as --field, from 1; got %q", o.Field)
	}
	delimiter := o.Delimiter
	if delimiter == 0 {
		delimiter = ','
	}
	return func(r *record.Raw) (any, error) {
		text, err := csvCell(r.Value, column, delimiter)
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, errMissing
		}
		return text, nil
	}, nil
}

// csvCell finds a cell of one line; quotes protect delimiters.
func csvCell(b []byte, column int, delimiter byte) (string, error) {
	start, quoted, at := 0, false, 1
	for i := 0; i <= len(b); i++ {
		switch {
		case i < len(b) && b[i] == '"':
			quoted = !quoted
		case i == len(b) || b[i] == delimiter && !quoted:
			if at == column {
				cell := b[start:i]
				if len(cell) >= 2 && cell[0] == '"' && cell[len(cell)-1] == '"' {
					cell = cell[1 : len(cell)-1]
				}
				return string(cell), nil
			}
			at, start = at+1, i+1
		}
	}
	return "", fmt.Errorf("%d columns, column %d wanted", at-1, column)
}

// walk follows a dotted path through decoded maps, lists and unions.
func walk(v any, path []string) (any, error) {
	for _, name := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[name]
			if !ok {
				return nil, errMissing
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, errMissing
			}
			v = at[i]
		default:
			return nil, errMissing
		}
	}
	if v == nil {
		return nil, errMissing
	}
	return v, nil
}
