// Package decode finds the event time of a record: in a JSON, Avro, Protobuf, CSV or Debezium
// payload, in a header, in the key, or in the Kafka timestamp itself.
package decode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// Formats a payload can have.
const (
	JSON       = "json"
	JSONSchema = "jsonschema"
	Avro       = "avro"
	Protobuf   = "protobuf"
	CSV        = "csv"
	Debezium   = "debezium"
	Header     = "header"
	Key        = "key"
	Timestamp  = "timestamp"
	Raw        = "raw"
)

// Formats lists them for usage texts.
var Formats = []string{JSON, JSONSchema, Avro, Protobuf, CSV, Debezium, Header, Key, Timestamp, Raw}

// Options of an extractor.
type Options struct {
	Format    string // one of Formats
	Field     string // path in the payload, header name, or CSV column from 1
	Unit      eventtime.Unit
	Zone      *time.Location // for text without a zone; nil: UTC
	Schema    string         // text of a local Avro schema or .proto file
	Message   string         // Protobuf message; empty: the first
	Delimiter byte           // CSV; 0: comma
	Registry  *sr.Client     // nil: none
}

// Extractor reads event times. Not safe for concurrent use.
type Extractor struct {
	o       Options
	value   func(*record.Raw) (any, error) // one field
	tree    func([]byte) (any, error)      // the whole payload, for candidates; nil: the payload is JSON or text
	units   map[eventtime.Unit]uint64
	noZone  uint64
	run     uint64 // records since the unit changed last
	runUnit eventtime.Unit
}

// errMissing marks an absent or null field, errTombstone a null payload.
var (
	errMissing   = errors.New("the field is absent or null")
	errTombstone = errors.New("null payload")
)

// New prepares an extractor. ctx bounds its requests to a schema registry.
func New(ctx context.Context, o Options) (*Extractor, error) {
	e := &Extractor{o: o, units: map[eventtime.Unit]uint64{}}
	needsField := true
	switch o.Format {
	case JSON:
		e.value = func(r *record.Raw) (any, error) { return jsonField(r.Value, o.Field) }
	case JSONSchema:
		e.value = func(r *record.Raw) (any, error) { return jsonField(unframe(r.Value), o.Field) }
	case Debezium:
		needsField = false
		change, err := changeEvent(ctx, o)
		if err != nil {
			return nil, err
		}
		e.value = change
	case Avro:
		tree, err := avroTree(ctx, o)
		if err != nil {
			return nil, err
		}
		e.tree = tree
	case Protobuf:
		tree, err := protoTree(ctx, o)
		if err != nil {
			return nil, err
		}
		e.tree = tree
	case CSV:
		column, err := csvColumn(o)
		if err != nil {
			return nil, err
		}
		e.value = column
	case Header:
		e.value = func(r *record.Raw) (any, error) { return headerValue(r, o.Field) }
	case Key:
		needsField = false
		e.value = keyValue(o.Field)
	case Raw:
		needsField = false
		e.value = func(r *record.Raw) (any, error) { return string(r.Value), nil }
	case Timestamp:
		needsField = false
		e.value = func(r *record.Raw) (any, error) {
			if r.Type == record.NoTimestamp {
				return nil, errMissing
			}
			return eventtime.Time{Ms: r.Timestamp, Unit: eventtime.Milli, Zoned: true, Number: true}, nil
		}
	default:
		return nil, fmt.Errorf("format %q is none of %s", o.Format, strings.Join(Formats, ", "))
	}
	if needsField && o.Field == "" {
		return nil, fmt.Errorf("format %s needs a field", o.Format)
	}
	if e.tree != nil {
		path := strings.Split(o.Field, ".")
		e.value = func(r *record.Raw) (any, error) {
			v, err := e.tree(r.Value)
			if err != nil {
				return nil, err
			}
			return walk(v, path)
		}
	}
	return e, nil
}

// Point reduces a record to its times. The error says why a record is not usable and is nil for
// tombstones and absent fields, which are ordinary; it never means that reading must stop.
func (e *Extractor) Point(r *record.Raw) (record.Point, error) {
	p := record.Point{Partition: r.Partition, Offset: r.Offset, Arrival: r.Timestamp, Type: r.Type, PreRoll: r.PreRoll, First: r.First}
	if r.Value == nil && e.o.Format != Timestamp && e.o.Format != Header && e.o.Format != Key {
		p.State = record.Tombstone
		return p, nil
	}
	if e.o.Format == JSON {
		if ms, ok := e.plainNumber(r.Value); ok {
			p.Event = ms
			return p, nil
		}
	}
	v, err := e.value(r)
	if err == nil {
		var t eventtime.Time
		if t, err = toTime(v, e.o.Unit, e.o.Zone); err == nil {
			e.note(t)
			p.Event = t.Ms
			return p, nil
		}
	}
	switch {
	case errors.Is(err, errTombstone):
		p.State = record.Tombstone
	case errors.Is(err, errMissing):
		p.State = record.Missing
	default:
		p.State = record.Undecodable
		return p, fmt.Errorf("%s: event time: %w", r.Place(), err)
	}
	return p, nil
}

// plainNumber reads the commonest case, a whole number in a JSON field, without copying anything.
func (e *Extractor) plainNumber(b []byte) (ms int64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	// The result is used up before the record's bytes can change.
	v := gjson.Get(unsafe.String(&b[0], len(b)), e.o.Field)
	if v.Type != gjson.Number || len(v.Raw) > 18 || len(v.Raw) < 9 {
		return 0, false
	}
	var n int64
	for i := range len(v.Raw) {
		c := v.Raw[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	ms, unit := eventtime.Millis(n, e.o.Unit)
	e.note(eventtime.Time{Ms: ms, Unit: unit, Zoned: true, Number: true})
	return ms, true
}

func (e *Extractor) note(t eventtime.Time) {
	if t.Number {
		// -1, 0 and the ends of int64 have no unit; they must not look like mixed units.
		if t.Ms > 0 && t.Ms < 1<<62 {
			if t.Unit != e.runUnit {
				e.closeRun()
				e.runUnit = t.Unit
			}
			e.run++
		}
	} else if !t.Zoned {
		e.noZone++
	}
}

// closeRun books the run of records with the same unit: a map look-up per record would show.
func (e *Extractor) closeRun() {
	if e.run > 0 {
		e.units[e.runUnit] += e.run
		e.run = 0
	}
}

// Seen says how event times were written: the unit most numbers suggest, every unit with its count,
// and the zone that was assumed or "explicit".
func (e *Extractor) Seen() (unit string, classes map[string]uint64, zone string, detected bool) {
	e.closeRun()
	classes = map[string]uint64{}
	var most uint64
	for u, n := range e.units {
		classes[string(u)] = n
		if n > most {
			unit, most = string(u), n
		}
	}
	zone = "explicit"
	if e.noZone > 0 {
		zone = "UTC"
		if e.o.Zone != nil {
			zone = e.o.Zone.String()
		}
	}
	if most == 0 {
		unit = "text"
	}
	return unit, classes, zone, e.o.Unit == eventtime.Auto || e.noZone > 0 && e.o.Zone == nil
}

// toTime accepts what the formats yield: text, numbers, times.
func toTime(v any, unit eventtime.Unit, zone *time.Location) (eventtime.Time, error) {
	number := func(n int64) (eventtime.Time, error) {
		ms, used := eventtime.Millis(n, unit)
		return eventtime.Time{Ms: ms, Unit: used, Zoned: true, Number: true}, nil
	}
	switch v := v.(type) {
	case nil:
		return eventtime.Time{}, errMissing
	case eventtime.Time:
		return v, nil
	case localTime:
		return v.in(zone), nil
	case time.Time:
		return eventtime.Time{Ms: v.UnixMilli(), Unit: eventtime.Milli, Zoned: true, Number: true}, nil
	case gjson.Result:
		switch v.Type {
		case gjson.Number:
			return eventtime.Parse(v.Raw, unit, zone)
		case gjson.String:
			return eventtime.Parse(v.Str, unit, zone)
		case gjson.Null:
			return eventtime.Time{}, errMissing
		}
		return eventtime.Time{}, fmt.Errorf("a JSON %s is no time", v.Type)
	case string:
		return eventtime.Parse(v, unit, zone)
	case []byte:
		return eventtime.Parse(string(v), unit, zone)
	case int32:
		return number(int64(v))
	case int64:
		return number(v)
	case int:
		return number(int64(v))
	case uint32:
		return number(int64(v))
	case uint64:
		return number(int64(min(v, 1<<63-1)))
	case float32, float64:
		return eventtime.Parse(fmt.Sprint(v), unit, zone)
	}
	return eventtime.Time{}, fmt.Errorf("a %T is no time", v)
}
