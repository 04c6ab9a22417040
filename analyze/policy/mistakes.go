package policy

import (
	"fmt"
	"math/big"
	"time"
)

// mistakes are what the keys alone cannot tell: values that exclude or need each other.
func (p *Policy) mistakes() Errors {
	var es Errors
	if p.Version.N != 1 {
		es.add(p.Version.At, "version is %d; this program reads version 1", p.Version.N)
	}
	for _, r := range p.Jobs {
		r.mistakes(&es)
	}
	return es
}

func (es *Errors) add(at Location, format string, a ...any) {
	*es = append(*es, Error{at, fmt.Sprintf(format, a...)})
}

func (r *Rule) mistakes(es *Errors) {
	switch {
	case r.Name == nil && r.Table == nil:
		es.add(r.At, "the rule names no subject; give it name (a job) or table (a SQL table)")
	case r.Name != nil && r.Table != nil:
		es.add(r.Table.At, "the rule has a name at %s and a table; keep one, or write two rules", r.Name.At)
	}
	if r.Table != nil {
		r.ofTable(es)
	}
	if r.Delay != nil {
		r.Delay.mistakes(es)
	}
	if i := r.Idleness; i != nil {
		i.mistakes(es)
	}
	if e := r.Emission; e != nil && e.Min != nil && e.Max != nil && e.Min.Ms > e.Max.Ms {
		es.add(e.Min.At, "emission-interval: min %s is above max %s at %s", e.Min, e.Max, e.Max.At)
	}
	if a := r.Alignment; a != nil {
		a.mistakes(es, r.Idleness)
	}
	if e := r.EventTime; e != nil && e.Zone != nil {
		if _, err := time.LoadLocation(e.Zone.Text); err != nil {
			es.add(e.Zone.At, "zone: it is %s; it takes a zone such as UTC, Europe/Berlin or Etc/GMT-2, which is UTC+02:00", quote(e.Zone.Text))
		}
	}
	if l := r.Lateness; l != nil {
		l.mistakes(es)
	}
	if t := r.Replay; t != nil {
		switch {
		case t.Records == nil && t.Topic == nil:
			es.add(t.At, "replay has no input; give it records (a file) or topic")
		case t.Records != nil && t.Topic != nil:
			es.add(t.Topic.At, "replay has records at %s and a topic; keep one", t.Records.At)
		case len(t.Expect) == 0:
			es.add(t.At, "replay expects nothing; add expect, such as late<=0.1%%")
		}
	}
	if w := r.WhatIf; w != nil && len(w.Expect) == 0 {
		es.add(w.At, "whatif expects nothing; add expect, such as stands<5s")
	}
	if d := r.Drill; d != nil {
		d.mistakes(es)
	}
	if a := r.Alerts; a != nil && len(a.Rules) == 0 {
		es.add(a.At, "alerts names no rules; add the file of the Prometheus rules")
	}
	for _, f := range r.Forbid {
		for _, w := range r.Warn {
			if f.Code == w.Code {
				es.add(w.At, "warn: %s is forbidden at %s; keep one", w.Cause, f.At)
			}
		}
	}
}

// ofTable refuses keys that no table can answer.
func (r *Rule) ofTable(es *Errors) {
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"max-lag", r.MaxLag != nil}, {"late", r.Late != nil}, {"lateness", r.Lateness != nil}, {"alerts", r.Alerts != nil}, {"whatif", r.WhatIf != nil}, {"drill", r.Drill != nil},
		{"forbid", r.Forbid != nil}, {"warn", r.Warn != nil}, {"source", r.Source != nil},
	} {
		if k.given {
			es.add(r.Table.At, "%s is about a job, and the rule names a table; write it in a rule with name", k.name)
		}
	}
}

func (d *Delay) mistakes(es *Errors) {
	switch {
	case d.Covers != nil && d.Measured == nil:
		es.add(d.Covers.At, "covers needs measured: a duration, a profile, records or a topic")
	case d.AtMost != nil && d.Measured == nil:
		es.add(d.AtMost.At, "at-most needs measured: a duration, a profile, records or a topic")
	case d.Measured != nil && d.Covers == nil && d.AtMost == nil && d.SLA == nil:
		es.add(d.Measured.At, "measured is not used; add covers (such as p99.9), at-most or sla")
	}
	if d.SLA != nil && d.Declared != nil && d.Declared.Ms > d.SLA.Ms {
		es.add(d.SLA.At, "sla is %s, but declared at %s is %s: no result could be in time", d.SLA, d.Declared.At, d.Declared)
	}
	m := d.Measured
	if m == nil {
		return
	}
	sources := 0
	for _, given := range []bool{m.Value != nil, m.Profile != nil, m.Records != nil, m.Topic != nil} {
		if given {
			sources++
		}
	}
	switch {
	case sources != 1:
		es.add(m.At, "measured takes exactly one of value, profile, records and topic; it has %d", sources)
	case m.MaxAge != nil && m.Value != nil:
		es.add(m.MaxAge.At, "max-age: a plain value has no age; name a profile, records or a topic")
	}
}

func (i *Idleness) mistakes(es *Errors) {
	required := i.Required != nil && i.Required.On
	switch {
	case required && i.Excused != nil:
		es.add(i.Excused.At, "idleness is excused, but required at %s; keep one", i.Required.At)
	case i.Required != nil && !i.Required.On && i.Excused == nil:
		es.add(i.Required.At, "idleness is not required without a reason; write excused: why")
	case i.Excused != nil && (i.Min != nil || i.Max != nil):
		es.add(i.Excused.At, "idleness is excused, but has a range; keep one")
	}
	if i.Min != nil && i.Max != nil && i.Min.Ms > i.Max.Ms {
		es.add(i.Min.At, "idleness: min %s is above max %s at %s", i.Min, i.Max, i.Max.At)
	}
}

func (a *Alignment) mistakes(es *Errors, idle *Idleness) {
	if a.Required != nil && a.Required.Text == "never" && (a.Group != nil || a.MaxDrift != nil || a.DriftCovers != nil && a.DriftCovers.On) {
		es.add(a.Required.At, "alignment is never required, but has a group or a drift; keep one")
	}
	if a.DriftCovers != nil && a.DriftCovers.On && a.MaxDrift != nil && idle != nil && idle.Min != nil && a.MaxDrift.Ms < idle.Min.Ms {
		es.add(a.MaxDrift.At, "max-drift %s is below the smallest idle timeout %s at %s, and drift-at-least-idle-timeout is true", a.MaxDrift, idle.Min, idle.Min.At)
	}
}

func (d *Drill) mistakes(es *Errors) {
	switch {
	case *d == (Drill{place: d.place}):
		es.add(d.At, "drill demands nothing; add a limit such as catch-up: 2h")
	case d.Speed != nil && d.Speed.Value.Cmp(big.NewRat(1, 1)) == 0:
		es.add(d.Speed.At, "speed is %s: event time that runs as fast as the clock never catches up; write more", d.Speed.Text)
	case d.CatchUp != nil && d.CatchUp.Ms == 0:
		es.add(d.CatchUp.At, "catch-up is 0: no replay is done at once; write the time it may take")
	}
}

func (l *Lateness) mistakes(es *Errors) {
	watched := ""
	if l.Watched != nil {
		watched = l.Watched.Text
	}
	switch {
	case watched == "side-output" && l.Sink == nil:
		es.add(l.Watched.At, "watched: side-output needs sink: the operator that takes the late records")
	case watched == "none" && l.Reason == nil:
		es.add(l.Watched.At, "watched: none needs reason: why late records are not watched")
	case watched != "side-output" && l.Sink != nil:
		es.add(l.Sink.At, "sink is only for watched: side-output")
	}
}
