package catalog

import (
	"slices"
	"sort"
	"strings"

	"tidemark/analyze/model"
)

// Check is a check as data: explain, checks, the README table and SARIF rules are made from it.
// Codes are never reused; Cause is stable API that scripts match on.
type Check struct {
	Code, Cause, Title string
	Headline           string   // the title of a finding, with {place}, {vertex} and {behind}; "" = the title as it is
	Symptom            int      // row of the symptom map, 0 = none
	Severity           Severity // the severity it usually has; a finding may be milder
	Since              string   // first Flink version that shows the evidence, "" = all supported
	Needs              []Need   // what must be readable, all of it
	Means              string   // what one sees, in a sentence
	Why                string   // how the cause works, and how it is distinguished from similar causes
	Fix                Fix
	Explains           []Explains                 // which claims of the account a finding accounts for, and of which states
	ExplainsFrom       Severity                   // the least severity of a finding that accounts for anything, "" = any
	EventTime          bool                       // matters only where an operator uses event time: info elsewhere
	Settled            bool                       // says nothing of a run in its first minute, when no watermark is normal
	Ended              bool                       // judges a job that does not run as well: it reads exceptions, not gauges
	Batch              bool                       // judges a batch job as well
	Hides              []string                   // codes that this one explains at the same vertex
	Script             ScriptPart                 // what of a SQL script tells it, "" = nothing
	Former             []string                   // slugs that it had before, still understood
	Measured           bool                       // found in records by recommend: no job or script has it
	Run                func(*model.Job) []Finding // nil for checks of other commands
}

// ScriptPart is the part of a SQL script that a check looks at.
type ScriptPart string

// The parts: ByText needs CREATE TABLE alone, ByPlan what a SQL gateway answers to the queries.
const (
	ByText ScriptPart = "text"
	ByPlan ScriptPart = "plan"
)

// registry is filled by the check files, one per check.
var registry []Check

// Register adds a check to the catalogue. It is called while packages are initialised, so every list of
// checks is complete when a command begins. A code or cause that is taken already panics: a mistake of
// the program, met by its first test.
func Register(c Check) bool {
	for _, have := range registry {
		if have.Code == c.Code || have.Cause == c.Cause {
			panic("catalog: " + c.Code + " " + c.Cause + " is there already, as " + have.Code + " " + have.Cause)
		}
	}
	registry = append(registry, c)
	return true
}

// Checks lists all checks by code.
func Checks() []Check {
	all := append([]Check(nil), registry...)
	sort.Slice(all, func(i, k int) bool { return all[i].Code < all[k].Code })
	return all
}

// FindCheck looks a check up by code or cause slug; a slug that a check had before is understood where
// no other has it now.
func FindCheck(name string) (Check, bool) {
	for _, c := range registry {
		if c.Code == name || c.Cause == name {
			return c, true
		}
	}
	if was := Formerly(name); len(was) > 0 {
		return was[0], true
	}
	return Check{}, false
}

// Spelled is FindCheck whatever the case of the name.
func Spelled(name string) (Check, bool) {
	if c, ok := FindCheck(strings.ToUpper(name)); ok {
		return c, true
	}
	return FindCheck(strings.ToLower(name))
}

// Names lists code and cause of every check.
func Names() []string {
	var names []string
	for _, c := range Checks() {
		names = append(names, c.Code, c.Cause)
	}
	return names
}

// Formerly lists the checks that had a cause slug before.
func Formerly(cause string) []Check {
	var out []Check
	for _, c := range Checks() {
		if slices.Contains(c.Former, cause) {
			out = append(out, c)
		}
	}
	return out
}
