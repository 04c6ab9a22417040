// Package policy is the pre-go-live gate: what a team demands of its event-time jobs, and whether a
// subject (a running job, a recording, a SQL script, a replay of records) meets it. It is pure: no
// HTTP, no clock, no files; callers read and hand in.
package policy

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/drill"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
)

// SchemaCheck names the JSON form of Run.
const SchemaCheck = "tidemark.check/v1"

// Status is what became of one demand at one subject.
type Status string

// The statuses. Skipped always has a Reason; Suppressed has a Suppression.
const (
	Passed     Status = "passed"
	Failed     Status = "failed"
	Skipped    Status = "skipped"
	Suppressed Status = "suppressed"
)

// Outcome is the one word for a run.
type Outcome string

// The outcomes. Incomplete means that something the policy demands could not be judged: never a pass.
const (
	OutcomePassed     Outcome = "passed"
	OutcomeFailed     Outcome = "failed"
	OutcomeIncomplete Outcome = "incomplete"
)

// Location is a place in the policy or in a SQL script.
type Location = model.Location

// Subject is what a result is about.
type Subject = catalog.Subject

// Result is one check at one subject.
type Result struct {
	Code        string              `json:"code"`  // of the check catalogue
	Cause       string              `json:"cause"` // slug of that check
	Title       string              `json:"title"`
	Page        string              `json:"page,omitempty"` // address of what explains the check, where the build knows one
	Key         string              `json:"key,omitempty"`  // policy key that demands it, such as delay.covers
	Status      Status              `json:"status"`
	Severity    catalog.Severity    `json:"severity"`
	Confidence  catalog.Confidence  `json:"confidence,omitempty"`
	Subject     Subject             `json:"subject"`
	Message     string              `json:"message"`          // one sentence: what was found, against what was demanded
	Reason      string              `json:"reason,omitempty"` // why it was skipped
	Essential   bool                `json:"essential"`        // skipped and demanded: makes the run incomplete
	Location    Location            `json:"location"`         // the policy line that demands it, or the SQL that breaks it
	Evidence    []catalog.Evidence  `json:"evidence"`
	Fix         catalog.Fix         `json:"fix"`
	Suppression *catalog.Acceptance `json:"suppression,omitempty"`
	Fingerprint string              `json:"fingerprint"`      // stable over runs: code, key and subject, never a value or line
	Change      Change              `json:"change,omitempty"` // of a failed or suppressed result against the baseline: new, unchanged or unclear
}

// Source is one thing that was read for the run.
type Source struct {
	Kind string `json:"kind"` // flink, recording, sql, sql-gateway, records, topic, profile, rules
	Name string `json:"name"` // URL or path, without secrets
	Note string `json:"note,omitempty"`
}

// Watched is how a job went while it was read.
type Watched struct {
	Job      string           `json:"job"`
	ID       string           `json:"id"`
	Timeline *series.Timeline `json:"timeline"`
	Drill    *drill.Result    `json:"drill"`
}

// Run is the answer of `tidemark check`, and the only input of its output formats.
type Run struct {
	Schema  string       `json:"schema"`
	Tool    analyze.Tool `json:"tool"`
	At      string       `json:"at"`    // RFC 3339: when judged; the recording's own time for a recording
	AtMs    int64        `json:"at_ms"` // the same, epoch ms; 0 = unknown
	Policy  string       `json:"policy"`
	FailOn  string       `json:"fail_on"` // severity from which a failed result fails the run
	Sources []Source     `json:"sources"`
	Outcome Outcome      `json:"outcome"`
	Results []Result     `json:"results"`  // sorted by subject, code, key; --min-severity leaves out failed ones only
	LeftOut int          `json:"left_out"` // failed results milder than --min-severity
	// LeftOutOf is LeftOut by severity: they are judged and counted, though not shown.
	LeftOutOf  map[catalog.Severity]int `json:"left_out_of,omitempty"`
	Incomplete []string                 `json:"incomplete"` // why the run is not complete, one sentence each
	// IncompleteAt is the demand behind each sentence of Incomplete, empty where it is none of the policy's.
	IncompleteAt []Location `json:"incomplete_at"`
	Watched      []Watched  `json:"watched,omitempty"`  // how the jobs went, where they were read for longer than two samples
	Baseline     *Baseline  `json:"baseline,omitempty"` // how the run stands against an earlier one, where one was given
}
