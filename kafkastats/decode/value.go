package decode

import (
	"context"
	"strings"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// inTree reads a dotted path of a payload that must be decoded completely.
func inTree(prepare func(context.Context, Options) (decoder, error)) func(context.Context, Options) (reading, error) {
	return func(ctx context.Context, o Options) (reading, error) {
		tree, err := prepare(ctx, o)
		path := strings.Split(o.Field, ".")
		return func(r *record.Raw) (any, error) {
			v, err := tree(r.Value)
			if err != nil {
				return nil, err
			}
			return walk(v, path)
		}, err
	}
}

// rawText reads the whole value as the time, or the time at the start of a log line.
func rawText(r *record.Raw, o Options) (any, error) {
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

func kafkaTime(r *record.Raw, _ Options) (any, error) {
	if r.Type == record.NoTimestamp {
		return nil, errMissing
	}
	return eventtime.Time{Ms: r.Timestamp, Unit: eventtime.Milli, Zoned: true, Number: true}, nil
}
