package policy

import (
	"slices"
	"strings"

	"tidemark/analyze/catalog"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM866", Cause: "owner-missing", Title: "No owner is named for the job",
		Severity: catalog.Warning, Needs: catalog.Needs(catalog.Named("the policy")),
		Means: "No rule for the job or table has an owner, so it is not known who answers for it.",
		Why:   "When event time stands still at night, the first question is whom to call. The key is required unless the policy's require leaves it out.",
		Fix:   catalog.Fix{Text: "Write owner: the team, its channel or its pager."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM867", Cause: "not-written-down", Title: "A decision about event time is not written down",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("require")),
		Means: "The policy requires that delay, idle timeout, lateness or another decision is written down for every job, and no rule for this one does.",
		Why: "Without a decision the defaults apply: no idle timeout, lateness zero, late records dropped without a trace. " +
			"Delay is delay.declared; idleness is required or excused; lateness is lateness.allowed and lateness.watched; event-time is its unit and zone.",
		Fix: catalog.Fix{Text: "Decide, and write the key into the rule."},
	})
)

// written are the keys that require can name, in the order of the checklist.
var written = []struct {
	word, keys string
	has        func(*Rule) bool
	table      bool // also of a rule for a table
}{
	{"owner", "owner", func(r *Rule) bool { return r.Owner != nil }, true},
	{"strategy", "strategy", func(r *Rule) bool { return r.Strategy != nil }, true},
	{"delay", "delay.declared", func(r *Rule) bool { return r.Delay != nil && r.Delay.Declared != nil }, true},
	{"idleness", "idleness", func(r *Rule) bool {
		return r.Idleness != nil && (r.Idleness.Excused != nil || r.Idleness.Required != nil || r.Idleness.Min != nil || r.Idleness.Max != nil)
	}, true},
	{"lateness", "lateness.allowed and lateness.watched", func(r *Rule) bool { return r.Lateness != nil && r.Lateness.Allowed != nil && r.Lateness.Watched != nil }, false},
	{"event-time", "event-time.unit and event-time.zone", func(r *Rule) bool { return r.EventTime != nil && r.EventTime.Unit != nil && r.EventTime.Zone != nil }, true},
	{"replay", "replay", func(r *Rule) bool { return r.Replay != nil }, false},
	{"drill", "drill", func(r *Rule) bool { return r.Drill != nil }, false},
	{"alerts", "alerts", func(r *Rule) bool { return r.Alerts != nil }, false},
}

// required demands that some rule of a subject has each key of require.
func (e *evaluation) required(subject Subject, rules []*Rule) {
	demanded := e.demanded()
	s := scope{evaluation: e, rule: rules[0], subject: subject}
	for _, w := range written {
		at, ok := demanded[w.word]
		if !ok || rules[0].Table != nil && !w.table {
			continue
		}
		code := "TM867"
		if w.word == "owner" {
			code = "TM866"
		}
		if at.Line == 0 {
			at = rules[0].At
		}
		if slices.ContainsFunc(rules, w.has) {
			s.pass(code, "require."+w.word, at, subject, "%s is written down", w.keys)
		} else {
			s.fail(code, "require."+w.word, at, subject, catalog.Certain, nil, "no rule for %s writes down %s (%s)", quote(subject.Name), w.keys, ruleNames(rules))
		}
	}
}

// demanded are the words of require, of all policies; owner where none has the key.
func (e *evaluation) demanded() map[string]Location {
	all, given := map[string]Location{}, false
	for _, p := range e.policies {
		given = given || p.Require != nil
		for _, w := range p.Require {
			all[w.Text] = w.At
		}
	}
	if !given {
		all["owner"] = Location{}
	}
	return all
}

func ruleNames(rules []*Rule) string {
	var list []string
	for _, r := range rules {
		list = append(list, r.At.String())
	}
	return "rule at " + strings.Join(list, ", ")
}
