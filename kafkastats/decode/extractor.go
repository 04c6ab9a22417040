package decode

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/tidwall/gjson"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// Extractor reads event times. It is not safe for concurrent use.
type Extractor struct {
	o       Options
	value   func(*record.Raw) (any, error) // one field
	plain   bool                           // a JSON field; all records have the same format
	flat    *flatPath                      // of a plain JSON field
	units   map[eventtime.Unit]uint64
	noZone  uint64
	run     uint64 // records since the unit last changed
	runUnit eventtime.Unit
}

// errMissing marks an absent or null field, errTombstone a null payload.
var (
	errMissing   = errors.New("the field is absent or null")
	errTombstone = errors.New("null payload")
)

// New prepares an extractor. ctx limits its requests to a schema registry.
func New(ctx context.Context, o Options) (*Extractor, error) {
	value, err := opened(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.snapshots != nil && (o.Format == JSON || o.Format == JSONSchema) {
		value = leavingOutSnapshots(o.snapshots, value)
	}
	if needsField(o.Format) && o.Field == "" {
		return nil, fmt.Errorf("format %s needs a field", o.Format)
	}
	e := &Extractor{o: o, value: value, units: map[eventtime.Unit]uint64{}}
	if e.plain = o.Format == JSON && o.snapshots == nil; e.plain {
		e.flat = newFlatPath(o.Field)
	}
	return e, nil
}

// Point reduces a record to its times. The error says why a record is not usable; it is nil for
// tombstones and absent fields, which are normal. An error never means that reading must stop.
func (e *Extractor) Point(r *record.Raw) (record.Point, error) {
	p := record.Point{Partition: r.Partition, Offset: r.Offset, Arrival: r.Timestamp, Type: r.Type, PreRoll: r.PreRoll, First: r.First}
	if r.Value == nil && e.o.Format != Timestamp && e.o.Format != Header && e.o.Format != Key {
		p.State = record.Tombstone
		return p, nil
	}
	if e.plain {
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
	case errors.Is(err, errSnapshot):
		p.State = record.Snapshot
	case errors.Is(err, errMissing):
		p.State = record.Missing
	default:
		p.State = record.Undecodable
		return p, fmt.Errorf("%s: event time: %w", r.Place(), err)
	}
	return p, nil
}

// plainNumber reads the most common case, a whole number in a JSON field, without copying.
func (e *Extractor) plainNumber(b []byte) (ms int64, ok bool) {
	var n int64
	if e.flat.names != nil {
		n, ok = e.flat.number(b)
	} else {
		n, ok = gjsonNumber(b, e.o.Field)
	}
	if !ok {
		return 0, false
	}
	ms, unit := eventtime.Millis(n, e.o.Unit)
	e.note(eventtime.Time{Ms: ms, Unit: unit, Zoned: true, Number: true})
	return ms, true
}

func gjsonNumber(b []byte, path string) (n int64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	// The result is used before the record's bytes can change.
	v := gjson.Get(unsafe.String(&b[0], len(b)), path)
	if v.Type != gjson.Number || len(v.Raw) > 18 || len(v.Raw) < 9 {
		return 0, false
	}
	for i := range len(v.Raw) {
		c := v.Raw[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}
