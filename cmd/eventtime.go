package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// eventTime reads the event time of records as a job would see it: a number is milliseconds unless
// --unit says otherwise, and which field it is must be named.
type eventTime struct {
	decodeFlags
	reader *decode.Extractor
	chosen decode.Options
	small  int64 // an event time that has the size of seconds beside an arrival of our days; 0: none seen
}

func (e *eventTime) addFlags(c *cobra.Command) { e.registerDecoding(c, "auto", "", "schema") }

// prepare resolves the format that the input suggests where none was named. ctx bounds requests to a
// schema registry.
func (e *eventTime) prepare(ctx context.Context, env env, columns bool) error {
	o, err := e.decoding(env)
	if err != nil {
		return usageError{err}
	}
	if e.format == "" || columns && e.format == decode.CSV && e.field == "" {
		switch {
		case columns:
			o.Format = decode.Raw
		case isColumn(e.field):
			o.Format = decode.CSV
		case e.field == "":
			return usagef("where is the event time? --field PATH of a JSON value, --format csv --field COLUMN, --format raw (the value is the time), or --format timestamp for the record's own timestamp")
		}
	}
	if !slices.Contains(decode.Formats, o.Format) {
		return oneOf("--format", e.format, decode.Formats...)
	}
	switch o.Format {
	case decode.CSV:
		if !isColumn(o.Field) {
			return usagef("--field is %q; with --format csv it takes a column number from 1", o.Field)
		}
	case decode.JSON, decode.JSONSchema, decode.Avro, decode.Protobuf, decode.Header:
		if o.Field == "" {
			return usagef("--format %s needs --field", o.Format)
		}
	}
	if e.reader, err = decode.New(ctx, o); err != nil {
		return usageError{err}
	}
	e.chosen = o
	return nil
}

// settingsOnly is the environment of a look at settings before anything is read.
var settingsOnly = env{Getenv: func(string) string { return "" }}

func isColumn(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < 10_000
}

// of is the event time of a record in ms; the error says why it has none, without its place.
func (e *eventTime) of(r *record.Raw) (int64, error) {
	p, err := e.reader.Point(r)
	switch p.State {
	case record.Usable:
		if e.small == 0 && eventtime.Guess(float64(p.Event)) == eventtime.Second && eventtime.Guess(float64(r.Timestamp)) == eventtime.Milli {
			e.small = p.Event
		}
		return p.Event, nil
	case record.Tombstone:
		return 0, errors.New("no event time: the value is null")
	case record.Missing:
		return 0, e.absent(r)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the place, which the caller knows better
	}
	if e.chosen.Format == decode.Raw {
		return 0, fmt.Errorf("no event time: %w", err)
	}
	return 0, fmt.Errorf("no event time in %s: %w", record.Clip(r.Value), err)
}

func (e *eventTime) absent(r *record.Raw) error {
	switch e.chosen.Format {
	case decode.Timestamp:
		return errors.New("the record has no Kafka timestamp")
	case decode.Raw:
		return errors.New("no event time: the value is empty")
	case decode.Header:
		return fmt.Errorf("no header %q with an event time", e.chosen.Field)
	case decode.Key:
		return errors.New("no event time: the key is null or lacks the field")
	case decode.Avro, decode.Protobuf:
		return fmt.Errorf("no field %q, or it is null", e.chosen.Field)
	}
	return fmt.Errorf("no field %q in %s", e.chosen.Field, record.Clip(r.Value))
}

// notes state what was detected or assumed about the event times read so far.
func (e *eventTime) notes() []string {
	unit, classes, zone, _ := e.reader.Seen()
	var out []string
	switch {
	case e.unit == "ms" && e.small > 0:
		out = append(out, fmt.Sprintf("An event time is %d, which as milliseconds is %s, though records arrive now: it may be in seconds (--unit s, or auto).", e.small, time.UnixMilli(e.small).UTC().Format(time.DateOnly)))
	case e.unit != "auto" || e.chosen.Format == decode.Timestamp:
	case len(classes) > 1:
		var parts []string
		for _, u := range []string{"s", "ms", "us", "ns"} {
			if n := classes[u]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d in %s", n, u))
			}
		}
		out = append(out, "Event times come in several units ("+strings.Join(parts, ", ")+"), told apart by size; Flink reads them all alike.")
	case unit != "ms" && unit != "text":
		out = append(out, "Event times are in "+unit+" by their size and were converted; Flink reads milliseconds.")
	}
	if zone != "explicit" && e.zone == "" {
		out = append(out, "Event times name no zone and were read as "+zone+" (--zone).")
	}
	return out
}

// maxEventTime keeps event times where a bound, a window or a lag can still be added.
const maxEventTime = int64(1) << 61

func outOfRange(s string) error {
	return fmt.Errorf("event time %s is out of range: Flink's smallest and largest watermarks leave no room around it", record.Clip([]byte(s)))
}
