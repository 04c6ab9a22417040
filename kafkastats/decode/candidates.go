package decode

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// Candidate is a field that could be the event time.
type Candidate struct {
	Format   string
	Field    string
	Unit     eventtime.Unit // empty: text
	Share    float64        // of the records looked at
	OffMs    int64          // median distance from the Kafka timestamp; -1: unknown
	Distinct int
	score    float64
}

func (c Candidate) String() string {
	unit := string(c.Unit)
	if unit == "" {
		unit = "text"
	}
	return fmt.Sprintf("%s %q (%s, in %.0f %% of records)", c.Format, c.Field, unit, 100*c.Share)
}

type tally struct {
	format string
	units  map[eventtime.Unit]int
	n      int
	off    []int64
	values map[int64]bool
}

// Find ranks the fields of a few records that read as times of our days, best first. A format other
// than empty limits the search to it; Avro and Protobuf need their schema in o.
func Find(ctx context.Context, o Options, records []record.Raw) ([]Candidate, error) {
	found := map[[2]string]*tally{}
	note := func(format, field string, v any, r *record.Raw) {
		t, err := toTime(v, o.Unit, o.Zone)
		if err != nil || !plausible(t, v, o.Unit) {
			return
		}
		key := [2]string{format, field}
		c := found[key]
		if c == nil {
			c = &tally{format: format, units: map[eventtime.Unit]int{}, values: map[int64]bool{}}
			found[key] = c
		}
		c.n++
		c.units[t.Unit]++
		c.values[t.Ms] = true
		if r.Type != record.NoTimestamp {
			c.off = append(c.off, int64(math.Abs(float64(r.Timestamp)-float64(t.Ms))))
		}
	}
	trees := map[string]decoder{}
	for format, build := range map[string]func(context.Context, Options) (decoder, error){Avro: avroTree, Protobuf: protoTree} {
		if o.Format != format && (o.Format != "" || o.Registry == nil) {
			continue
		}
		tree, err := build(ctx, o)
		if err != nil && o.Format == format {
			return nil, err
		}
		trees[format] = tree
	}
	for i := range records {
		look(o, trees, &records[i], note)
	}
	return rank(found, len(records)), nil
}

func look(o Options, trees map[string]decoder, r *record.Raw, note func(format, field string, v any, r *record.Raw)) {
	each := func(format string) func(string, any) {
		return func(field string, v any) { note(format, field, v, r) }
	}
	if tree := trees[o.Format]; tree != nil {
		if v, err := tree(r.Value); err == nil {
			leaves("", v, 0, each(o.Format))
		}
		return
	}
	if o.Format == "" || o.Format == Header {
		for _, h := range r.Headers {
			if v, err := number(h.Value); err == nil {
				note(Header, h.Key, v, r)
			}
		}
	}
	if o.Format == Header {
		return
	}
	payload, format := r.Value, first(o.Format, JSON)
	switch {
	case o.Format == JSONSchema || o.Format == Debezium:
		payload = unframe(payload)
	case o.Format == "" && Framed(payload):
		for name, tree := range trees {
			if v, err := tree(payload); err == nil {
				leaves("", v, 0, each(name))
				return
			}
		}
		payload, format = unframe(payload), JSONSchema
	}
	if gjson.ValidBytes(payload) && gjson.ParseBytes(payload).IsObject() {
		var v any
		d := json.NewDecoder(strings.NewReader(string(payload)))
		d.UseNumber()
		if d.Decode(&v) == nil {
			leaves("", v, 0, each(format))
		}
		return
	}
	if utf8.Valid(payload) {
		note(Raw, "", string(payload), r)
		for column := 1; column <= 30; column++ {
			cell, err := csvCell(payload, column, max(o.Delimiter, ','))
			if err != nil {
				break
			}
			if column > 1 || len(cell) < len(payload) {
				note(CSV, fmt.Sprint(column), cell, r)
			}
		}
	}
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// leaves walks a decoded payload; names with dots are escaped the way gjson reads them.
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
	case []any, nil, bool:
	default:
		yield(prefix, v)
	}
}

func gjsonEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`).Replace(name)
}

// plausible keeps counters and prices out: a number must have the size of a time since 2001, a
// text must be a date and not a bare number of another meaning.
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

var names = []string{"event_time", "eventtime", "event_ts", "timestamp", "ts", "time", "occurred", "created", "datetime", "date"}

func rank(found map[[2]string]*tally, n int) []Candidate {
	var out []Candidate
	for key, t := range found {
		c := Candidate{Format: key[0], Field: key[1], Share: float64(t.n) / float64(n), OffMs: -1, Distinct: len(t.values)}
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
		c.score = 10*c.Share + 3*float64(c.Distinct)/float64(t.n)
		if c.OffMs >= 0 {
			c.score -= math.Min(4, math.Log10(1+float64(c.OffMs)/1000))
		}
		low := strings.ToLower(key[1])
		for i, name := range names {
			if strings.Contains(low, name) {
				c.score += 4 - 0.2*float64(i)
				break
			}
		}
		out = append(out, c)
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
