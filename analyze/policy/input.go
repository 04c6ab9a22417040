package policy

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/drill"
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
)

// Input is everything that was read for a run. Evaluate reads nothing itself.
type Input struct {
	Tool        analyze.Tool
	AtMs        int64 // when judged, epoch ms; the recording's own time for a recording
	NowMs       int64 // today's clock, epoch ms: suppressions end and measurements age by it
	Jobs        []Job
	JobsRead    bool // a cluster or recording was given, whether or not it had jobs
	Chosen      bool // only jobs named by the user were read, so that others may exist
	Scripts     []Script
	Measured    map[*Measured]Measurement
	Replays     map[*Replay]ReplayOutcome
	RuleFiles   map[string]RuleFile // by path as the policy writes it
	Sources     []Source
	Incomplete  []string // what broke off while reading
	FailOn      string   // none, info, warning or critical
	MinSeverity catalog.Severity

	Baseline     *Run   // an earlier run that this one is compared with; nil: none
	BaselineFile string // where it was read
}

// LeavesOut reports a rule of other jobs: only those that the user named were read, and the rule means
// none of them, nor a script. Nothing is measured or replayed for it.
func (in *Input) LeavesOut(r *Rule) bool {
	if !in.Chosen || r.Name == nil {
		return false
	}
	for i := range in.Jobs {
		if r.Name.Match(in.Jobs[i].Report.Name) {
			return false
		}
	}
	for i := range in.Scripts {
		if r.Name.Match(in.Scripts[i].Job) {
			return false
		}
	}
	return true
}

// Job is a job as the gate sees it.
type Job struct {
	Report analyze.JobReport
	Facts  facts.Facts
	Unmet  map[string]string // by code: why the check could not judge this job
	// Essential says that something is in the report's NotChecked without which no job is healthy.
	Essential bool
	Drill     *drill.Result  // how it went while it was watched; nil where it was not
	Usual     *analyze.Usual // how it goes when nothing is wrong; nil where its past was not read
	WhatIfs   map[*WhatIf]WhatIfOutcome
}

// NewJob judges a job and keeps what a policy is compared with.
func NewJob(j *model.Job) Job {
	out := Job{Report: analyze.Judge(j), Facts: facts.Of(j), Unmet: map[string]string{}}
	out.Essential = out.Report.Incomplete
	for _, c := range catalog.Checks() {
		if c.Run == nil {
			continue
		}
		if reason := analyze.Unmet(j, c); reason != "" {
			out.Unmet[c.Code] = reason
		}
	}
	return out
}

// Script is a SQL file: its tables, and what its statements showed.
type Script struct {
	Name    string // file name as given
	Job     string // pipeline.name where the script sets it, else the file's name without ending
	Sources []ScriptSource
	Results []Result
	Skipped string // why the statements were not read, "" where they were
}

// ScriptSource is a table that a script reads or declares.
type ScriptSource struct {
	Facts facts.SourceFacts
	At    Location
	Read  bool // a query reads it, so that rules for the job mean it
	Named bool // a rule can mean it by its name
	Sink  bool // the script only writes to it: a rule means it by its own name, not by a pattern
}

// Measurement is what a topic, records or a profile say about the delay. Durations in ms.
type Measurement struct {
	Source     string
	Err        string // why it could not be read, "" where it was
	Thin       string // why it cannot show the percentile, or must not be believed
	NeedMs     int64  // smallest DataStream delay for the percentile
	NeedSQLMs  int64
	SpentMs    int64 // 99th percentile of a result's latency before any delay
	SpentKnown bool
	Records    uint64
	LastMs     int64 // epoch ms of the newest arrival, 0 = unknown
	Field      string
	Unit       string
	Zone       string
	MixedUnits string // several units in one field, "" = one
	Partitions int
}

// ReplayOutcome is what the reference engine made of the records of a replay.
type ReplayOutcome struct {
	Source       string
	Err          string // why it did not run to its end
	Records      int64
	Expectations []Expectation
}

// WhatIfOutcome is what the twin of a job made of a change.
type WhatIfOutcome struct {
	Source       string // of the records
	Err          string // why nothing is said of the change: the records cannot be read, the twin does not reproduce
	Gauges       int    // that the twin shows as the cluster does
	Expectations []Expectation
}

// Expectation is one limit of a replay or a change.
type Expectation struct {
	Text    string
	Window  string // of a change, the operator
	Column  string // of a change, where there are several; "" where the limit names it
	Met     bool
	Unknown bool // nothing holds that could be judged: Actual says why
	Actual  string
	At      Location
}
