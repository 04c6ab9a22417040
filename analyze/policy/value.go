package policy

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"tidemark/analyze/catalog"
	"tidemark/internal/units"
)

// value is a scalar of a policy. The same type reads it and says its JSON Schema.
type value interface {
	// read takes a scalar node; the text says what is wrong and what it takes, "" = nothing.
	read(n *yaml.Node, tag reflect.StructTag) string
	schema(tag reflect.StructTag) map[string]any
}

// place is where a value stands; every value and every map of a policy has one.
type place struct{ At Location }

func (p *place) put(l Location) { p.At = l }

// Text is free text; never empty.
type Text struct {
	place
	Text string
}

func (t *Text) read(n *yaml.Node, _ reflect.StructTag) string {
	if n.Tag != "!!str" {
		return "it takes text; put it in quotes"
	}
	if t.Text = strings.TrimSpace(n.Value); t.Text == "" {
		return "it is empty; write the text or leave the key out"
	}
	return ""
}

func (*Text) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": `\S`}
}

// Word is one of a fixed list, the words of the tag.
type Word struct {
	place
	Text string
}

func words(tag reflect.StructTag) []string { return strings.Split(tag.Get("words"), ",") }

func (w *Word) read(n *yaml.Node, tag reflect.StructTag) string {
	for _, one := range words(tag) {
		if n.Value == one {
			w.Text = one
			return ""
		}
	}
	return "it is " + quote(n.Value) + "; it takes " + strings.Join(words(tag), ", ")
}

func (*Word) schema(tag reflect.StructTag) map[string]any {
	return map[string]any{"enum": words(tag)}
}

// Flag is true or false.
type Flag struct {
	place
	On bool
}

func (f *Flag) read(n *yaml.Node, _ reflect.StructTag) string {
	if n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
		return "it is " + quote(n.Value) + "; it takes true or false"
	}
	f.On = n.Value == "true"
	return ""
}

func (*Flag) schema(reflect.StructTag) map[string]any { return map[string]any{"type": "boolean"} }

// Count is a whole number from 0.
type Count struct {
	place
	N int64
}

func (c *Count) read(n *yaml.Node, tag reflect.StructTag) string {
	number, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Tag != "!!int" || err != nil || number < 0 || strings.HasPrefix(n.Value, "+") {
		return "it is " + quote(n.Value) + "; it takes a whole number from 0"
	}
	c.N = number
	return ""
}

func (*Count) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "integer", "minimum": 0}
}

// Duration is whole milliseconds, written as units.ParseDuration reads it: 5s, 1m30s, 2 min, 7 d.
type Duration struct {
	place
	Ms int64
}

// maxDuration keeps sums of durations within 64 bits.
const maxDuration = 100 * 365 * 24 * time.Hour

func parseDuration(s string) (ms int64, wrong string) {
	d, err := units.ParseDuration(s)
	switch {
	case err != nil:
		return 0, "it is " + quote(s) + "; " + err.Error()
	case d > maxDuration:
		return 0, "it is " + quote(s) + "; it takes at most 100 years"
	case d%time.Millisecond != 0:
		return 0, "it is " + quote(s) + "; Flink counts in whole milliseconds"
	}
	return d.Milliseconds(), ""
}

func (d *Duration) read(n *yaml.Node, _ reflect.StructTag) (wrong string) {
	d.Ms, wrong = parseDuration(n.Value)
	return wrong
}

func (*Duration) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": units.DurationPattern}
}

func (d Duration) String() string { return units.Duration(d.Ms) }

// Date is a day, 2006-01-02, in UTC.
type Date struct {
	place
	Day time.Time
}

const dateForm = `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`

func (d *Date) read(n *yaml.Node, _ reflect.StructTag) string {
	var err error
	if d.Day, err = time.Parse(time.DateOnly, n.Value); err != nil {
		return "it is " + quote(n.Value) + "; it takes a day such as 2027-01-31"
	}
	return ""
}

func (*Date) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": dateForm, "format": "date"}
}

// CheckName is a code or cause of the catalogue.
type CheckName struct {
	place
	catalog.Check
}

func (c *CheckName) read(n *yaml.Node, _ reflect.StructTag) string {
	found, ok := catalog.FindCheck(n.Value)
	if !ok {
		return "no check " + quote(n.Value) + "; " + hint(n.Value, checkNames())
	}
	if found.Measured {
		return found.Code + " " + found.Cause + " is found in records, by tidemark recommend; it takes a check of jobs or SQL scripts, which `tidemark checks` lists"
	}
	c.Check = found
	return ""
}

func (*CheckName) schema(reflect.StructTag) map[string]any {
	return map[string]any{"$ref": "#/$defs/check"}
}

// Size is a number of bytes, written as units.ParseSize reads it: 500 MB.
type Size struct {
	place
	Text  string
	Bytes int64
}

func (s *Size) read(n *yaml.Node, _ reflect.StructTag) string {
	var err error
	if s.Bytes, err = units.ParseSize(n.Value); err != nil {
		return "it is " + quote(n.Value) + "; " + err.Error()
	}
	s.Text = n.Value
	return ""
}

func (*Size) schema(reflect.StructTag) map[string]any {
	return map[string]any{"type": "string", "pattern": units.SizePattern}
}
