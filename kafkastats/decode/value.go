package decode

import (
	"context"
	"fmt"
	"strings"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// valueOf gives how a format's field is read, and whether the format needs one to be named.
func valueOf(ctx context.Context, o Options) (value func(*record.Raw) (any, error), needsField bool, err error) {
	switch o.Format {
	case JSON:
		return func(r *record.Raw) (any, error) { return jsonField(r.Value, o.Field) }, true, nil
	case JSONSchema:
		return func(r *record.Raw) (any, error) { return jsonField(unframe(r.Value), o.Field) }, true, nil
	case Debezium:
		change, err := changeEvent(ctx, o)
		return change, false, err
	case Avro:
		tree, err := avroTree(ctx, o)
		return inTree(tree, o.Field), true, err
	case Protobuf:
		tree, err := protoTree(ctx, o)
		return inTree(tree, o.Field), true, err
	case CSV:
		column, err := csvColumn(o)
		return column, true, err
	case Header:
		return func(r *record.Raw) (any, error) { return headerValue(r, o.Field) }, true, nil
	case Key:
		return keyValue(o.Field), false, nil
	case Raw:
		return rawText(o), false, nil
	case Timestamp:
		return kafkaTime, false, nil
	}
	return nil, false, fmt.Errorf("format %q is none of %s", o.Format, strings.Join(Formats, ", "))
}

// inTree reads a dotted path of a payload that must be decoded whole.
func inTree(tree func([]byte) (any, error), field string) func(*record.Raw) (any, error) {
	path := strings.Split(field, ".")
	return func(r *record.Raw) (any, error) {
		v, err := tree(r.Value)
		if err != nil {
			return nil, err
		}
		return walk(v, path)
	}
}

// rawText takes the whole value for the time, or the time that a line of a log begins with.
func rawText(o Options) func(r *record.Raw) (any, error) {
	return func(r *record.Raw) (any, error) {
		s := strings.TrimSpace(string(r.Value))
		if s == "" {
			return nil, errMissing
		}
		t, err := eventtime.Parse(s, o.Unit, o.Zone)
		if err != nil && strings.ContainsAny(s, " \t|;") {
			if line, failed := eventtime.Line(s, o.Zone); failed == nil {
				return line, nil
			}
		}
		return t, err
	}
}

func kafkaTime(r *record.Raw) (any, error) {
	if r.Type == record.NoTimestamp {
		return nil, errMissing
	}
	return eventtime.Time{Ms: r.Timestamp, Unit: eventtime.Milli, Zoned: true, Number: true}, nil
}
