package catalog

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// NewFinding starts a finding of a check at a vertex, with the check's own title, severity and fix.
func NewFinding(code string, v *model.Vertex) Finding {
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

// Prove adds a reading that the finding rests on.
func (f *Finding) Prove(v *model.Vertex, subject, metric string, value any) {
	e := Evidence{Subject: subject, Metric: metric, Value: fmt.Sprint(value)}
	if v != nil && v.FetchedMs > 0 {
		e.At = units.Time(v.FetchedMs)
	}
	f.Evidence = append(f.Evidence, e)
}

func (f *Finding) ProveGauge(v *model.Vertex, subject, metric string, g model.Gauge) {
	f.Prove(v, subject, metric, formatGauge(g))
}

func (f *Finding) ProveReading(v *model.Vertex, subject, metric string, r model.Reading) {
	value := r.Now.String()
	if r.Before.Readable() {
		value = r.Before.String() + " -> " + value
	}
	f.Prove(v, subject, metric, value)
}

func (f *Finding) Since(ms int64) { f.SinceMs = &ms }

// Began says when the fault began, epoch ms of wall clock, on a clock that shows now.
func (f *Finding) Began(ms, now int64) {
	f.Since(now - ms)
	f.BeganMs = ms
}

func formatGauge(g model.Gauge) string {
	now, ok := g.Value()
	if !ok {
		return "absent"
	}
	if !math.IsNaN(g.Before) {
		return units.Number(g.Before) + " -> " + units.Number(now)
	}
	return units.Number(now)
}

// SomeInts writes "3, 4, 5 and 12 more".
func SomeInts(ns []int) string {
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

func SomeStrings(ss []string) string {
	const most = 5
	if len(ss) <= most {
		return strings.Join(ss, ", ")
	}
	return strings.Join(ss[:most], ", ") + " and " + strconv.Itoa(len(ss)-most) + " more"
}

// Without names the vertices that get no watermark (if out is none), or whose watermark stands still.
func Without(held []model.Ref, v *model.Vertex, out model.Reading) string {
	who, verb := model.SourceLabel(v), "gets"
	switch len(held) {
	case 0:
		return who + " emits no new watermark"
	case 1:
		who = model.QuoteName(held[0].Name)
	default:
		who = model.QuoteName(held[0].Name) + " and " + strconv.Itoa(len(held)-1) + " more"
		verb = "get"
	}
	if out.IsNone() {
		return who + " " + verb + " no watermark"
	}
	return "The watermark of " + who + " stands still"
}

// Plural writes "1 split", "3 splits".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func (f *Finding) AddSubtask(i int) {
	for _, have := range f.Subtasks {
		if have == i {
			return
		}
	}
	f.Subtasks = append(f.Subtasks, i)
}

// Finding is one cause at one place.
type Finding struct {
	Code       string     `json:"code"`
	Cause      string     `json:"cause"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Title      string     `json:"title"`
	Summary    string     `json:"summary"` // subject, what, who holds it, since when
	Symptom    *int       `json:"symptom"` // row of the symptom map, 1 to 6, or null
	model.Place
	HeldBack []model.Ref `json:"held_back,omitempty"` // vertices that only inherit it
	Evidence []Evidence  `json:"evidence"`
	Fix      Fix         `json:"fix"`
	Try      []string    `json:"what_if,omitempty"` // settings by which whatif tries the fix on this job
	SinceMs  *int64      `json:"since_ms"`          // event or wall clock age of the fault in ms, null = unknown
	Latent   bool        `json:"latent"`            // present, but not yet what holds the watermark
	Issue    string      `json:"issue,omitempty"`   // FLINK-nnnnn of a known bug
	Page     string      `json:"page,omitempty"`    // address of what explains the check, where the build knows one
	Notes    []string    `json:"notes,omitempty"`   // what else fits the same evidence: known bugs of this version

	BeganMs  int64          `json:"-"` // wall clock when the fault began, epoch ms; 0 = unknown, or since_ms is event time
	Subject  Subject        `json:"-"` // of a SQL script's finding: a table or a query
	Location model.Location `json:"-"` // likewise, the place in the file
}

// Subject is what is judged, and the place within it; "" where a part does not apply.
type Subject struct {
	Kind     string     `json:"kind"`               // job, table, query, replay, policy
	Name     string     `json:"name"`               // job name, table name, INSERT target, script, rule
	ShortID  string     `json:"short_id,omitempty"` // beginning of the job's id, where another job has the name
	Vertex   *model.Ref `json:"vertex,omitempty"`
	Operator string     `json:"operator,omitempty"`
	Subtasks []int      `json:"subtasks,omitempty"`
	Split    string     `json:"split,omitempty"`
}

// At is the subject with a place within it.
func (s Subject) At(p model.Place) Subject {
	s.Vertex, s.Operator, s.Subtasks, s.Split = p.Vertex, p.Operator, p.Subtasks, p.Split
	return s
}

// Evidence is one reading that a finding rests on. At is the time of the metric fetch, JobManager
// clock, RFC 3339; "" where unknown.
type Evidence struct {
	Subject string `json:"subject"`
	Metric  string `json:"metric"`
	Value   string `json:"value"`
	At      string `json:"at"`
}

// Fix is what to do, as prose, DataStream code and SQL.
type Fix struct {
	Text       string `json:"text"`
	DataStream string `json:"datastream,omitempty"`
	SQL        string `json:"sql,omitempty"`
	Try        string `json:"-"` // the same as a setting that whatif takes, NAME.SETTING=VALUE, "" = it is none
	Beam       bool   `json:"-"` // DataStream is code for Beam's own API
	After      string `json:"-"` // the finding that has to be fixed first, "" = none
}

// Acceptance is why a finding, or the failed result of a policy, does not count for a while.
type Acceptance struct {
	Reason   string         `json:"reason"`
	Until    string         `json:"until"`    // date, 2006-01-02: the last day on which it holds (UTC)
	Location model.Location `json:"location"` // the line of the policy
}

// NotChecked is something that could not be judged, and why. Code is the check it concerns.
type NotChecked struct {
	Code   string       `json:"code"`
	Place  *model.Point `json:"place,omitempty"` // what it is about, where that is one place
	Reason string       `json:"reason"`
	Untold string       `json:"-"` // what could not be told for it, as a sentence, where the reason lists readings
	Why    string       `json:"-"` // the reason without the place that it begins with; "" where it begins with none
}

// NotCheckedAt is something of a vertex that could not be judged, of an operator of it where one is named.
func NotCheckedAt(v *model.Vertex, operator, code, why string) NotChecked {
	at := model.Point{Vertex: v.Ref(), Operator: operator}
	return NotChecked{Code: code, Place: &at, Reason: at.Subject() + ": " + why, Why: why}
}
