package decode

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Reader reads the event time of records as a job would see it; the field must be named.
type Reader struct {
	where     Where
	extractor *Extractor
	chosen    Options
	odd       int64 // an event time, ms, whose size suggests another unit while arrival is recent; 0: none seen
}

// Reader prepares to read the named event time without looking at records; columns says that they
// are CSV rows of partition, arrival and event time. The error is a request.Mistake.
func (w Where) Reader(ctx context.Context, given request.Given, columns bool) (*Reader, error) {
	o, err := w.Options()
	if err != nil {
		return nil, err
	}
	if w.Format == "" || columns && w.Format == CSV && w.Field == "" {
		switch {
		case columns:
			o.Format = Raw
		case isColumn(w.Field):
			o.Format = CSV
		case w.Field == "":
			return nil, request.Badf("where is the event time? --field PATH of a JSON value, --format csv --field COLUMN, --format raw (the value is the time), or --format timestamp for the record's own timestamp")
		}
	}
	switch {
	case o.Format == CSV && !isColumn(o.Field):
		return nil, request.Wrong("field", "is %q; with --format csv it takes a column number from 1", o.Field)
	case o.Field == "" && needsField(o.Format):
		return nil, request.Wrong("format", "%s needs --field", o.Format)
	}
	if err := w.Unused(given, o.Format); err != nil {
		return nil, err
	}
	e, err := New(ctx, o)
	if err != nil {
		return nil, request.Bad(err)
	}
	return &Reader{where: w, extractor: e, chosen: o}, nil
}

func isColumn(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < 10_000
}

// Of is the event time of a record, epoch ms; the error says why it has none, without its place.
func (e *Reader) Of(r *record.Raw) (int64, error) {
	p, err := e.extractor.Point(r)
	switch p.State {
	case record.Usable:
		if size := eventtime.Guess(float64(p.Event)); e.odd == 0 && size != eventtime.Auto && size != eventtime.Milli && eventtime.Guess(float64(r.Timestamp)) == eventtime.Milli {
			e.odd = p.Event
		}
		if p.Event > MaxEventTime || p.Event < -MaxEventTime {
			return 0, fmt.Errorf("event time %d is out of range: Flink's smallest and largest watermarks leave no room around it", p.Event)
		}
		return p.Event, nil
	case record.Tombstone:
		return 0, errors.New("no event time: the value is null")
	case record.Missing:
		return 0, e.absent(r)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the place, which the caller adds
	}
	if e.chosen.Format == Raw {
		return 0, fmt.Errorf("no event time: %w", err)
	}
	return 0, fmt.Errorf("no event time in %s: %w", record.Clip(r.Value), err)
}

func (e *Reader) absent(r *record.Raw) error {
	switch e.chosen.Format {
	case Timestamp:
		return errors.New("the record has no Kafka timestamp")
	case Raw:
		return errors.New("no event time: the value is empty")
	case Header:
		return fmt.Errorf("no header %q with an event time", e.chosen.Field)
	case Key:
		return errors.New("no event time: the key is null or lacks the field")
	case Avro, Protobuf:
		return fmt.Errorf("no field %q, or it is null", e.chosen.Field)
	}
	return fmt.Errorf("no field %q in %s", e.chosen.Field, record.Clip(r.Value))
}

// Notes state what was detected or assumed about the event times read so far.
func (e *Reader) Notes() []string {
	unit, classes, zone, _ := e.extractor.Seen()
	var out []string
	switch {
	case e.where.Unit != "auto" && e.where.Unit != "" && e.odd > 0:
		out = append(out, fmt.Sprintf("An event time read as %s is %s, though records arrive now: the unit may be another (leave --unit out to detect it from the size).", e.where.Unit, units.Time(e.odd)))
	case e.where.Unit != "auto" || e.chosen.Format == Timestamp:
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
	if zone != "explicit" && e.where.Zone == "" {
		out = append(out, "Event times name no zone and were read as "+zone+" (--zone).")
	}
	return out
}

// MaxEventTime limits event times so that a bound, a window or a lag can still be added.
const MaxEventTime = int64(1) << 61

// Text prepares to read another field of the same payload as text, such as the key of a job. The
// error is a request.Mistake.
func (w Where) Text(ctx context.Context, field string) (func(*record.Raw) (string, error), error) {
	o, err := w.Options()
	if err != nil {
		return nil, err
	}
	o.Field = field
	switch {
	case o.Format == "" && isColumn(field):
		o.Format = CSV
	case o.Format == "" || o.Format == Timestamp || o.Format == Raw:
		o.Format = JSON
	case o.Format == CSV && !isColumn(field):
		return nil, request.Wrong("key-by", "is %q; of a CSV value it takes a column number from 1", field)
	}
	if o.Format == JSON && isColumn(field) {
		o.Format = CSV
	}
	value, err := opened(ctx, o)
	if err != nil {
		return nil, request.Bad(err)
	}
	return func(r *record.Raw) (string, error) {
		v, err := value(r)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(v), nil
	}, nil
}
