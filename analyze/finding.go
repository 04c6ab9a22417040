package analyze

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"tidemark/internal/units"
)

// newFinding starts a finding of a check at a vertex, with the check's own title, severity and fix.
func newFinding(code string, v *Vertex) Finding {
	c, _ := FindCheck(code)
	f := Finding{Code: c.Code, Cause: c.Cause, Title: c.Title, Severity: c.Severity, Confidence: Certain, Fix: c.Fix, Evidence: []Evidence{}}
	if c.Symptom > 0 {
		row := c.Symptom
		f.Symptom = &row
	}
	if v != nil {
		f.Vertex = v.Ref()
	}
	return f
}

// prove adds a reading that the finding rests on.
func (f *Finding) prove(v *Vertex, subject, metric string, value any) {
	e := Evidence{Subject: subject, Metric: metric, Value: fmt.Sprint(value)}
	if v != nil && v.FetchedMs > 0 {
		e.At = units.Time(v.FetchedMs)
	}
	f.Evidence = append(f.Evidence, e)
}

func (f *Finding) proveGauge(v *Vertex, subject, metric string, g Gauge) {
	f.prove(v, subject, metric, formatGauge(g))
}

func (f *Finding) proveReading(v *Vertex, subject, metric string, r Reading) {
	value := r.Now.String()
	if r.Before.Readable() {
		value = r.Before.String() + " -> " + value
	}
	f.prove(v, subject, metric, value)
}

func (f *Finding) since(ms int64) { f.SinceMs = &ms }

func formatGauge(g Gauge) string {
	now, ok := g.Value()
	if !ok {
		return "absent"
	}
	if rise, ok := g.Rise(); ok {
		return formatNumber(now-rise) + " -> " + formatNumber(now)
	}
	return formatNumber(now)
}

func formatNumber(x float64) string {
	if x == float64(int64(x)) {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// quoteName puts a foreign name in a sentence, cut to a readable length.
func quoteName(name string) string {
	const most = 60
	if utf8.RuneCountInString(name) > most {
		r := []rune(name)
		name = string(r[:most-20]) + "…" + string(r[len(r)-19:])
	}
	return `"` + name + `"`
}

// sourceLabel is the name of a source without Flink's prefix and without what is chained to it.
func sourceLabel(v *Vertex) string {
	name := v.Name
	if h := v.Head(); h != nil && h.Name != "" {
		name = h.Name
	}
	return quoteName(strings.TrimPrefix(name, "Source: "))
}

func subtaskLabel(s *Subtask) string {
	return sourceLabel(s.Vertex) + " subtask " + strconv.Itoa(s.Index)
}

// someInts writes "3, 4, 5 and 12 more".
func someInts(ns []int) string {
	const most = 8
	parts := make([]string, 0, most)
	for i, n := range ns {
		if i == most {
			return strings.Join(parts, ", ") + " and " + strconv.Itoa(len(ns)-most) + " more"
		}
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ", ")
}

func someStrings(ss []string) string {
	const most = 5
	if len(ss) <= most {
		return strings.Join(ss, ", ")
	}
	return strings.Join(ss[:most], ", ") + " and " + strconv.Itoa(len(ss)-most) + " more"
}

// without says who goes without event time: nothing at all where out is none, nothing new where it
// stands still.
func without(held []Ref, v *Vertex, out Reading) string {
	who, verb := sourceLabel(v), "gets"
	switch len(held) {
	case 0:
		return who + " emits no new event time"
	case 1:
		who = quoteName(held[0].Name)
	default:
		who = quoteName(held[0].Name) + " and " + strconv.Itoa(len(held)-1) + " more"
		verb = "get"
	}
	if out.IsNone() {
		return who + " " + verb + " no event time"
	}
	return "Event time of " + who + " stands still"
}

// plural writes "1 split", "3 splits".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
