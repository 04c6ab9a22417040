package decode

import (
	"context"
	"fmt"
	"strings"

	"tidemark/kafkastats/record"
)

// LookSize is how many records are looked at to find the event time or check a field.
const LookSize = 300

// Resolve fills in format and field from the first records and says what it chose. A named field
// that none of them has is an error that lists those found.
func Resolve(ctx context.Context, o Options, sample []record.Raw) (_ Options, note string, err error) {
	switch o.Format {
	case Timestamp, Raw, Debezium, Key:
		return o, "", nil
	}
	if len(sample) == 0 {
		if o.Format == "" {
			o.Format = Timestamp
		}
		return o, "", nil
	}
	if o.Field != "" {
		e, err := New(ctx, o)
		if err != nil {
			return o, "", err
		}
		undecodable, first := 0, error(nil)
		for i := range sample {
			p, err := e.Point(&sample[i])
			if p.State == record.Usable {
				return o, "", nil
			}
			if p.State == record.Undecodable && err != nil {
				undecodable++
				if first == nil {
					first = err
				}
			}
		}
		// A registry that refuses, or another format, is not a question of the field.
		if undecodable == len(sample) && o.Format != JSON {
			return o, "", fmt.Errorf("none of the first %d records can be read: %w", len(sample), first)
		}
	}
	found, err := Find(ctx, o, sample)
	if err != nil {
		return o, "", err
	}
	var names []string
	for _, c := range found[:min(5, len(found))] {
		names = append(names, c.String())
	}
	list := strings.Join(names, "; ")
	switch {
	case o.Field != "" && list == "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records, and no other field looks like one", o.Field, len(sample))
	case o.Field != "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records; found: %s", o.Field, len(sample), list)
	case len(found) == 0 && o.Format != "":
		return o, "", fmt.Errorf("no field of the first %d records looks like an event time: name it with --field", len(sample))
	case len(found) == 0:
		o.Format = Timestamp
		if o.Registry == nil && Framed(sample[0].Value) {
			return o, "the payload starts with a schema id, so it cannot be read without --schema-registry: the Kafka timestamp is taken", nil
		}
		return o, "no field of the payload looks like an event time: the Kafka timestamp is taken (name one with --field)", nil
	}
	o.Format, o.Field = found[0].Format, found[0].Field
	return o, "event time chosen: " + list, nil
}
