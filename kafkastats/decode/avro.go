package decode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/eventtime"
)

// localTime is a wall clock without a zone, such as local-timestamp-millis, -micros and -nanos:
// the ms that it would have in UTC. The user names its zone, as for a text without one.
type localTime int64

// in is the event time of the wall clock in a zone.
func (l localTime) in(zone *time.Location) eventtime.Time {
	t := time.UnixMilli(int64(l)).UTC()
	if y := t.Year(); zone == nil || y < 1 || y > 9999 {
		return eventtime.Time{Ms: int64(l)}
	}
	return eventtime.Time{Ms: time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone).UnixMilli()}
}

// localTimes keeps what the schema says about a time and a plain time would lose.
func localTimes() []avro.SchemaOpt {
	var out []avro.SchemaOpt
	for name, unit := range map[string]eventtime.Unit{"local-timestamp-millis": eventtime.Milli, "local-timestamp-micros": eventtime.Micro, "local-timestamp-nanos": eventtime.Nano} {
		out = append(out, avro.CustomType{LogicalType: name, AvroType: "long", Decode: func(v any, _ *avro.SchemaNode) (any, error) {
			n, ok := v.(int64)
			if !ok {
				return nil, avro.ErrSkipCustomType
			}
			ms, _ := eventtime.Millis(n, unit)
			return localTime(ms), nil
		}})
	}
	return out
}

func decodeAvro(s *avro.Schema) decoder {
	return func(b []byte) (any, error) {
		var v any
		rest, err := s.Decode(b, &v)
		switch {
		case err != nil:
			return nil, fmt.Errorf("decoding Avro: %w", err)
		case len(rest) > 0:
			return nil, fmt.Errorf("decoding Avro: %d bytes are left over: is it this schema?", len(rest))
		}
		return v, nil
	}
}

// avroTree decodes Avro with a local schema, or framed with the writer's schema from a registry.
func avroTree(ctx context.Context, o Options) (decoder, error) {
	if o.Schema != "" {
		s, err := avro.Parse(o.Schema, localTimes()...)
		if err != nil {
			return nil, fmt.Errorf("invalid Avro schema: %w", err)
		}
		return unframed(decodeAvro(s)), nil
	}
	if o.Registry == nil {
		return nil, errors.New("no schema for Avro: give --schema-registry URL or --schema FILE")
	}
	return registered(ctx, o.Registry, map[sr.SchemaType]builder{sr.TypeAvro: buildAvro}), nil
}

// buildAvro parses a schema after the named types that it refers to.
func buildAvro(ctx context.Context, registry *sr.Client, s sr.Schema) (decoder, error) {
	var known avro.SchemaCache
	opts := localTimes()
	err := references(ctx, registry, s.References, map[string]bool{}, func(name string, ref sr.Schema) error {
		if _, err := known.Parse(ref.Schema, opts...); err != nil {
			return fmt.Errorf("invalid type %q in the Avro schema: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parsed, err := known.Parse(s.Schema, opts...)
	if err != nil {
		return nil, fmt.Errorf("invalid Avro schema: %w", err)
	}
	return decodeAvro(parsed), nil
}
