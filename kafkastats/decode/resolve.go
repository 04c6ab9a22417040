package decode

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// LookSize is the number of records that are examined to find the event time or to check a field.
const LookSize = 300

// Found says where the event time is, and how that is known.
type Found struct {
	Options
	Note     string // what was chosen; empty: it was named
	Envelope string // the envelope that says which time is the event time; empty: no known one
	// Candidates are the fields that read as times, the chosen one first. Empty if a field was
	// named.
	Candidates []Candidate
	// Looked is what the records contain if no field reads as a time: then the Kafka timestamp is
	// used.
	Looked []string
}

// Resolve fills in format and field from the first records and reports the choice. A named field
// that none of them has is an error that lists the fields found.
func Resolve(ctx context.Context, o Options, sample []record.Raw) (Found, error) {
	f := Found{Options: o}
	if o.Format == Timestamp || o.Format == Raw || o.Format == Debezium || o.Format == Key {
		return f, nil
	}
	if len(sample) == 0 {
		if o.Format == "" {
			f.Format = Timestamp
		}
		return f, nil
	}
	if o.Field != "" {
		ok, err := named(ctx, o, sample)
		if err != nil || ok {
			f.snapshots = snapshotsOf(ctx, o, sample)
			return f, err
		}
	}
	l, err := newLook(ctx, o, sample)
	if err != nil {
		return f, err
	}
	found := l.rank(len(sample))
	list := listed(found)
	switch {
	case list == "" && o.Unit != eventtime.Auto && told(ctx, o, sample) != "":
		return f, fmt.Errorf("none of the first %d records has an event time in %s; without --unit: %s", len(sample), o.Unit, told(ctx, o, sample))
	case o.Field != "" && list == "":
		return f, fmt.Errorf("no event time in field %q of the first %d records, and no other field looks like one", o.Field, len(sample))
	case o.Field != "":
		return f, fmt.Errorf("no event time in field %q of the first %d records; found: %s", o.Field, len(sample), list)
	case envelopeOf(l.objects) != nil && (len(found) > 0 || envelopeOf(l.objects).path(l.objects) != ""):
		return l.wrapped(f, envelopeOf(l.objects), found), nil
	case len(found) == 0 && o.Format != "":
		return f, fmt.Errorf("no field of the first %d records looks like an event time: name it with --field", len(sample))
	case len(found) == 0, l.lists && found[0].Handled && o.Format == "":
		return l.none(f, sample), nil
	}
	f.Format, f.Field, f.Delimiter, f.Candidates = found[0].Format, found[0].Field, found[0].Delimiter, found
	f.Note = "event time chosen: " + list
	return f, nil
}

// named reports whether a named field has an event time in one of the records.
func named(ctx context.Context, o Options, sample []record.Raw) (bool, error) {
	e, err := New(ctx, o)
	if err != nil {
		return false, err
	}
	undecodable, first := 0, error(nil)
	for i := range sample {
		p, err := e.Point(&sample[i])
		if p.State == record.Usable {
			return true, nil
		}
		if p.State == record.Undecodable && err != nil {
			undecodable++
			if first == nil {
				first = err
			}
		}
	}
	// A registry that refuses, or another format, says nothing about the field.
	if undecodable == len(sample) && o.Format != JSON {
		return false, fmt.Errorf("none of the first %d records can be read: %w", len(sample), first)
	}
	return false, nil
}

// snapshotsOf is the envelope that marks snapshot rows, for a named JSON field; nil: none does.
func snapshotsOf(ctx context.Context, o Options, sample []record.Raw) *envelope {
	if o.Format != JSON && o.Format != JSONSchema {
		return nil
	}
	l, err := newLook(ctx, Options{Format: o.Format}, sample)
	if err != nil {
		return nil
	}
	if env := envelopeOf(l.objects); env != nil && env.snapshot != nil {
		return env
	}
	return nil
}

// told lists the fields that read as times if the unit is guessed from the size.
func told(ctx context.Context, o Options, sample []record.Raw) string {
	o.Unit = eventtime.Auto
	l, err := newLook(ctx, o, sample)
	if err != nil {
		return ""
	}
	return listed(l.rank(len(sample)))
}

func listed(found []Candidate) string {
	var out []string
	for _, c := range found[:min(5, len(found))] {
		out = append(out, c.String())
	}
	return strings.Join(out, "; ")
}

// none uses the Kafka timestamp because nothing else is there, and reports what the records
// contain.
func (l *look) none(f Found, sample []record.Raw) Found {
	f.Format, f.Looked = Timestamp, l.looked()
	switch {
	case l.o.Registry == nil && l.o.Schema == "" && slices.ContainsFunc(sample, func(r record.Raw) bool { return Framed(r.Value) }):
		f.Looked = []string{"the payload starts with a schema id, so it cannot be read without --schema-registry or --schema"}
	case l.undecoded != nil:
		f.Looked = []string{fmt.Sprintf("the payload cannot be read: %v", l.undecoded)}
	case len(f.Looked) == 0:
		f.Looked = []string{"the payloads hold no plain field: lists of events, or nothing"}
	}
	f.Note = "no field of the payload looks like an event time (" + f.Looked[0] + "): the Kafka timestamp is taken (name one with --field)"
	return f
}

// wrapped uses the time that the envelope declares as the event time.
func (l *look) wrapped(f Found, env *envelope, found []Candidate) Found {
	f.Envelope = env.name
	if env.snapshot != nil {
		f.snapshots = env
	}
	own := Candidate{Format: env.format, OffMs: -1}
	if env.format == "" {
		path := env.path(l.objects)
		i := slices.IndexFunc(found, func(c Candidate) bool { return c.Field == path })
		switch {
		case i >= 0:
			own = found[i]
			found = slices.Delete(found, i, i+1)
		case path == "":
			f.Format, f.Field, f.Candidates = found[0].Format, found[0].Field, found
			f.Note = "event time chosen: " + listed(found)
			return f
		default:
			own = Candidate{Format: l.format, Field: path, OffMs: -1, Share: 1}
		}
	} else {
		own.Share = 1
		found = slices.DeleteFunc(found, func(c Candidate) bool { return strings.HasSuffix(c.Field, "source.ts_ms") })
	}
	f.Format, f.Field, f.Candidates = own.Format, own.Field, append([]Candidate{own}, found...)
	f.Note = fmt.Sprintf("the records are %s: its event time is taken, %s", env.name, strings.Join(own.Flags(), " "))
	return f
}
