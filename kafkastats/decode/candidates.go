package decode

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tidemark/internal/units"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// Candidate is a field that could be the event time.
type Candidate struct {
	Format    string
	Field     string
	Unit      eventtime.Unit // empty: text
	Delimiter byte           // of CSV; 0: comma
	Share     float64        // of the records examined
	OffMs     int64          // median distance from the Kafka timestamp; -1: unknown
	Ahead     float64        // share that is more than 5 min ahead of the Kafka timestamp
	Distinct  int
	Typed     bool // its schema says that it is a time
	Handled   bool // its envelope or name says that a system set it while handling the record
	score     float64
}

func (c Candidate) String() string {
	unit := string(c.Unit)
	if unit == "" {
		unit = "text"
	}
	return fmt.Sprintf("%s %q (%s, in %s of records)", c.Format, c.Field, unit, units.Share(c.Share))
}

// Flags select the candidate on a command line.
func (c Candidate) Flags() []string {
	switch c.Format {
	case Raw, Timestamp, Debezium:
		return []string{"--format", c.Format}
	case JSON:
		return []string{"--field", c.Field}
	}
	out := []string{"--format", c.Format, "--field", c.Field}
	switch c.Delimiter {
	case 0, ',':
	case '\t':
		out = append(out, "--separator", "tab")
	default:
		out = append(out, "--separator", string(rune(c.Delimiter)))
	}
	return out
}

type tally struct {
	format string
	units  map[eventtime.Unit]int
	n      int
	typed  int
	ahead  int
	off    []int64
	values map[int64]bool
}

// look is what a few records contain.
type look struct {
	o         Options
	trees     map[string]decoder
	found     map[[2]string]*tally
	objects   []gjson.Result // JSON objects, including those decoded from other formats
	format    string         // their format
	typed     map[string]bool
	delimiter byte
	other     map[string]string // values that do not read as a time, by field
	lists     bool              // one of them is a list of several events
	undecoded error
}

func newLook(ctx context.Context, o Options, records []record.Raw) (*look, error) {
	l := &look{o: o, trees: map[string]decoder{}, found: map[[2]string]*tally{}, typed: map[string]bool{}, other: map[string]string{}}
	for format, build := range map[string]func(context.Context, Options) (decoder, error){Avro: avroTree, Protobuf: protoTree} {
		if o.Format != format && (o.Format != "" || o.Registry == nil && o.Schema == "") {
			continue
		}
		tree, err := build(ctx, o)
		if err != nil {
			if o.Format == format {
				return nil, err
			}
			continue
		}
		l.trees[format] = tree
	}
	l.delimiter = delimiterOf(o, records)
	for i := range records {
		l.at(&records[i])
	}
	return l, nil
}

func (l *look) note(format, field string, v any, r *record.Raw) {
	if _, several := v.(severalEvents); several {
		l.other[field], l.lists = described(v), true
		return
	}
	t, err := toTime(v, l.o.Unit, l.o.Zone)
	if err != nil || !plausible(t, v, l.o.Unit) {
		if len(l.other) < 50 {
			l.other[field] = described(v)
		}
		return
	}
	key := [2]string{format, field}
	c := l.found[key]
	if c == nil {
		c = &tally{format: format, units: map[eventtime.Unit]int{}, values: map[int64]bool{}}
		l.found[key] = c
	}
	c.n++
	c.units[t.Unit]++
	c.values[t.Ms] = true
	switch v.(type) {
	case time.Time, localTime:
		c.typed++
	}
	if r.Type != record.NoTimestamp {
		c.off = append(c.off, int64(math.Abs(float64(r.Timestamp)-float64(t.Ms))))
		if t.Ms-r.Timestamp > 300_000 {
			c.ahead++
		}
	}
}

func (l *look) at(r *record.Raw) {
	each := func(format string) func(string, any) {
		return func(field string, v any) { l.note(format, field, v, r) }
	}
	tree := func(format string, payload []byte) bool {
		v, err := l.trees[format](payload)
		if err != nil {
			l.undecoded = err
			return false
		}
		leaves("", v, 0, each(format))
		if text, err := json.Marshal(v); err == nil {
			l.objects, l.format = append(l.objects, gjson.ParseBytes(text)), format
		}
		return true
	}
	if l.trees[l.o.Format] != nil {
		tree(l.o.Format, r.Value)
		return
	}
	if l.o.Format == "" || l.o.Format == Header {
		for _, h := range r.Headers {
			if v, err := number(h.Value); err == nil {
				l.note(Header, h.Key, v, r)
			}
		}
	}
	if l.o.Format == Header || r.Value == nil {
		return
	}
	payload, format := r.Value, first(l.o.Format, JSON)
	switch {
	case l.o.Format == JSONSchema || l.o.Format == Debezium:
		payload = unframe(payload)
	case l.o.Format == "":
		for _, format := range []string{Avro, Protobuf} {
			if l.trees[format] != nil && !gjson.ValidBytes(unframe(payload)) && tree(format, payload) {
				return
			}
		}
		if Framed(payload) {
			payload, format = unframe(payload), JSONSchema
		}
	}
	l.plain(payload, format, r)
}

// plain examines a payload that is JSON or another text.
func (l *look) plain(payload []byte, format string, r *record.Raw) {
	if gjson.ValidBytes(payload) {
		root := gjson.ParseBytes(payload)
		if root.IsObject() || root.IsArray() {
			var v any
			d := json.NewDecoder(strings.NewReader(string(payload)))
			d.UseNumber()
			if d.Decode(&v) != nil {
				return
			}
			if root.IsObject() {
				l.objects, l.format = append(l.objects, root), format
				for path := range connectTimes(root) {
					l.typed[path] = true
				}
			}
			leaves("", v, 0, func(field string, v any) { l.note(format, field, v, r) })
			return
		}
	}
	if !utf8.Valid(payload) {
		l.other["payload"] = fmt.Sprintf("%d bytes that are not text", len(payload))
		return
	}
	if v, err := rawText(&record.Raw{Value: payload}, l.o); err == nil {
		l.note(Raw, "", v, r)
	} else {
		l.note(Raw, "", string(payload), r)
	}
	for column := 1; column <= 30; column++ {
		cell, err := csvCell(payload, column, l.delimiter)
		if err != nil {
			break
		}
		if column > 1 || len(cell) < len(payload) {
			l.note(CSV, fmt.Sprint(column), cell, r)
		}
	}
}

// delimiterOf is the character that leaves the most times alone in a column of the first texts.
func delimiterOf(o Options, records []record.Raw) byte {
	if o.Delimiter != 0 {
		return o.Delimiter
	}
	best, most := byte(','), 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		times := 0
		for i := range records[:min(20, len(records))] {
			for column := 1; column <= 30; column++ {
				cell, err := csvCell(records[i].Value, column, d)
				if err != nil || column == 1 && len(cell) == len(records[i].Value) {
					break
				}
				if t, err := toTime(cell, o.Unit, o.Zone); err == nil && plausible(t, cell, o.Unit) {
					times++
				}
			}
		}
		if times > most {
			best, most = d, times
		}
	}
	return best
}

// described shows a value that is not a time, and why if that is known.
func described(v any) string {
	switch v := v.(type) {
	case string:
		if why := eventtime.Refused(v); why != "" {
			return record.Clip([]byte(v)) + ": " + why
		}
		return record.Clip([]byte(v))
	case []byte:
		return fmt.Sprintf("%d bytes", len(v))
	}
	return fmt.Sprint(v)
}

// looked lists what was found instead of a time.
func (l *look) looked() []string {
	var out []string
	for _, field := range slices.Sorted(maps.Keys(l.other)) {
		name := fmt.Sprintf("%q is %s", field, l.other[field])
		if field == "" {
			name = "the payload is " + l.other[field]
		}
		out = append(out, name)
	}
	return out
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// leaves walks a decoded payload; names with dots are escaped for gjson.
func leaves(prefix string, v any, depth int, yield func(string, any)) {
	switch v := v.(type) {
	case map[string]any:
		if depth > 6 {
			return
		}
		for name, inner := range v {
			name = gjsonEscape(name)
			if prefix != "" {
				name = prefix + "." + name
			}
			leaves(name, inner, depth+1, yield)
		}
	case json.Number:
		yield(prefix, v.String())
	case []any:
		// In a list of columns the time has a fixed place, and a list of one event has the time
		// of that event. A list of several events has several times.
		for i, inner := range v {
			_, object := inner.(map[string]any)
			_, list := inner.([]any)
			switch {
			case object && len(v) == 1:
				leaves(strings.TrimPrefix(prefix+".0", "."), inner, depth+1, yield)
			case object:
				if i == 0 && holdsTime(inner) {
					yield(prefix, severalEvents(len(v)))
				}
			case !list && depth == 0 && i < 30:
				leaves(fmt.Sprint(i), inner, 1, yield)
			}
		}
	case nil, bool:
	default:
		yield(prefix, v)
	}
}

// severalEvents is the length of a list of events, each with its own time.
type severalEvents int

func (n severalEvents) String() string { return fmt.Sprintf("a list of %d events", int(n)) }

// holdsTime reports an event that contains something that reads as a time.
func holdsTime(event any) (found bool) {
	leaves("", event, 1, func(_ string, v any) {
		t, err := toTime(v, eventtime.Auto, time.UTC)
		found = found || err == nil && plausible(t, v, eventtime.Auto)
	})
	return found
}

var gjsonEscapes = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`)

func gjsonEscape(name string) string { return gjsonEscapes.Replace(name) }

// plausible excludes counters and prices: a number must have the size of a time since 2001, a
// text must be a date and not a bare number with another meaning.
func plausible(t eventtime.Time, v any, unit eventtime.Unit) bool {
	const from, to = 978_307_200_000, 4_102_444_800_000 // 2001 to 2100
	if t.Ms < from || t.Ms > to {
		return false
	}
	if s, ok := v.(string); ok && t.Number && unit == eventtime.Auto && len(strings.TrimLeft(s, "+-")) < 9 {
		return false
	}
	return true
}

// names are usual names of event times; handledNames are usual names of times that a system set
// while handling the record.
var (
	names        = []string{"event_time", "eventtime", "event_ts", "occurred", "measured", "timestamp", "ts", "time", "created", "datetime", "date"}
	handledNames = []string{"ingest", "receiv", "process", "observed", "publish", "insert", "load", "kafka", "arriv", "updated", "modified", "sent", "written", "enqueue", "_at_server", "server"}
)

// called reports whether a field's last name contains one of several, and the index of that one.
func called(field string, list []string) (place int, ok bool) {
	low := strings.ToLower(field[strings.LastIndexByte(field, '.')+1:])
	place = slices.IndexFunc(list, func(name string) bool { return strings.Contains(low, name) })
	return place, place >= 0
}

func (l *look) rank(n int) []Candidate {
	env := envelopeOf(l.objects)
	typed := len(l.typed) > 0
	var out []Candidate
	for key, t := range l.found {
		c := Candidate{Format: key[0], Field: key[1], Share: float64(t.n) / float64(n), OffMs: -1, Distinct: len(t.values), Ahead: float64(t.ahead) / float64(t.n)}
		if c.Format == CSV {
			c.Delimiter = l.delimiter
		}
		best := 0
		for u, count := range t.units {
			if count > best {
				c.Unit, best = u, count
			}
		}
		if len(t.off) > 0 {
			slices.Sort(t.off)
			c.OffMs = t.off[len(t.off)/2]
		}
		c.Typed = t.typed == t.n || l.typed[c.Field]
		typed = typed || c.Typed
		_, c.Handled = called(c.Field, handledNames)
		c.Handled = c.Handled || env != nil && slices.Contains(env.handled, c.Field)
		c.score = 10*c.Share + 3*float64(c.Distinct)/float64(t.n)
		if c.OffMs >= 0 {
			c.score -= math.Min(4, math.Log10(1+float64(c.OffMs)/1000))
		}
		if place, ok := called(c.Field, names); ok {
			c.score += 4 - 0.2*float64(place)
		}
		if c.Handled {
			c.score -= 6
		}
		out = append(out, c)
	}
	if typed {
		// If the schema distinguishes times from numbers, a number that looks like a time is a
		// number.
		out = slices.DeleteFunc(out, func(c Candidate) bool { return !c.Typed && c.Format != Header && c.Unit != "" })
	}
	slices.SortFunc(out, func(a, b Candidate) int {
		switch {
		case a.score != b.score:
			return int(math.Copysign(1, b.score-a.score))
		case a.Format != b.Format:
			return strings.Compare(a.Format, b.Format)
		}
		return strings.Compare(a.Field, b.Field)
	})
	return out
}
