package policy

import "slices"

// Contradictions are demands that no job could meet together: of several policies, and of rules that
// mean the same subject for certain. Each names both places.
func Contradictions(policies []*Policy) Errors {
	var es Errors
	var failOn *Word
	var rules []*Rule
	for _, p := range policies {
		if p.FailOn != nil {
			if failOn != nil && failOn.Text != p.FailOn.Text {
				es.add(p.FailOn.At, "fail-on is %s, but %s at %s; make them the same", p.FailOn.Text, failOn.Text, failOn.At)
			}
			failOn = p.FailOn
		}
		rules = append(rules, p.Jobs...)
	}
	for i, a := range rules {
		for _, b := range rules[i+1:] {
			if a.meets(b) {
				es = append(es, conflicts(a, b)...)
			}
		}
	}
	return es
}

// meets reports that some subject is certainly matched by both rules.
func (r *Rule) meets(o *Rule) bool {
	switch {
	case r.Name != nil && o.Name != nil && r.Name.overlaps(o.Name):
	case r.Table != nil && o.Table != nil && r.Table.overlaps(o.Table):
	default:
		return false
	}
	return r.Source == nil || o.Source == nil || r.Source.overlaps(o.Source)
}

// conflicts compares two rules for one subject.
func conflicts(a, b *Rule) Errors {
	var es Errors
	differ := func(key string, x, y *string, xAt, yAt Location) {
		if x != nil && y != nil && *x != *y {
			es.add(yAt, "%s is %s, but %s at %s, and both rules mean the same; make them the same or tell their names apart", key, *y, *x, xAt)
		}
	}
	below := func(key string, lo, hi *Duration) {
		if lo != nil && hi != nil && lo.Ms > hi.Ms {
			es.add(lo.At, "%s: min %s is above max %s at %s, and both rules mean the same", key, lo, hi, hi.At)
		}
	}
	for _, f := range told(a) {
		for _, g := range told(b) {
			if f.key == g.key {
				differ(f.key, &f.value, &g.value, f.at, g.at)
			}
		}
	}
	if a.Idleness != nil && b.Idleness != nil {
		below("idleness", a.Idleness.Min, b.Idleness.Max)
		below("idleness", b.Idleness.Min, a.Idleness.Max)
	}
	if a.Emission != nil && b.Emission != nil {
		below("emission-interval", a.Emission.Min, b.Emission.Max)
		below("emission-interval", b.Emission.Min, a.Emission.Max)
	}
	against := func(forbid, warn []*CheckName) {
		for _, f := range forbid {
			if i := slices.IndexFunc(warn, func(w *CheckName) bool { return w.Code == f.Code }); i >= 0 {
				es.add(warn[i].At, "warn: %s is forbidden at %s, and both rules mean the same; keep one", f.Cause, f.At)
			}
		}
	}
	against(a.Forbid, b.Warn)
	against(b.Forbid, a.Warn)
	return es
}

// fact is a key that can have one value only at a subject, unlike a limit, of which the stricter holds.
type fact struct {
	key, value string
	at         Location
}

func told(r *Rule) []fact {
	var fs []fact
	add := func(key, value string, at Location) { fs = append(fs, fact{key, value, at}) }
	if d := r.Delay; d != nil && d.Declared != nil {
		add("delay.declared", d.Declared.String(), d.Declared.At)
	}
	if i := r.Idleness; i != nil {
		switch {
		case i.Excused != nil:
			add("idleness", "excused", i.Excused.At)
		case i.Required != nil:
			add("idleness", "required", i.Required.At)
		}
	}
	if a := r.Alignment; a != nil {
		if a.Required != nil && a.Required.Text != "for-backfill" {
			add("alignment.required", a.Required.Text, a.Required.At)
		}
		if a.Group != nil {
			add("alignment.group", a.Group.Text, a.Group.At)
		}
	}
	if e := r.Emission; e != nil && e.Strategy != nil {
		add("emission-interval.strategy", e.Strategy.Text, e.Strategy.At)
	}
	if e := r.EventTime; e != nil {
		if e.Field != nil {
			add("event-time.field", e.Field.Text, e.Field.At)
		}
		if e.Unit != nil {
			add("event-time.unit", e.Unit.Text, e.Unit.At)
		}
		if e.Zone != nil {
			add("event-time.zone", e.Zone.Text, e.Zone.At)
		}
	}
	if l := r.Lateness; l != nil {
		if l.Allowed != nil {
			add("lateness.allowed", l.Allowed.String(), l.Allowed.At)
		}
		if l.Watched != nil {
			add("lateness.watched", l.Watched.Text, l.Watched.At)
		}
	}
	return fs
}
