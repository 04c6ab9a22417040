// Package screen is the live view of watch: a full-screen program on a terminal, and lines elsewhere. It reads nothing
// itself: its caller provides the readings and executes the actions of keys.
package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Reading is one refresh: what was read, the reading before it, and the report. A failed reading has only the error.
type Reading struct {
	At      time.Time // wall clock when it was complete, or failed
	Capture *flinkapi.Capture
	Report  *analyze.Report
	Err     error
	Renewed string // the program of a connection that had ended and was restarted; "" = none
}

// Change is a verdict or a cause that differs from the reading before.
type Change struct {
	At      time.Time       `json:"at"`
	Job     string          `json:"job"`
	ID      string          `json:"id,omitempty"`
	Was     analyze.Verdict `json:"was"` // "" = first seen
	Verdict analyze.Verdict `json:"verdict"`
	Where   string          `json:"where,omitempty"`
	Says    string          `json:"says"`

	label string // of the job
}

// String is the change on one line, without its time.
func (c Change) String() string {
	was := strings.ToUpper(string(c.Was)) + " -> "
	if c.Was == "" {
		was = ""
	}
	verdict := strings.ToUpper(string(c.Verdict))
	if c.Verdict == "" {
		verdict = "GONE"
	}
	return safe.Short(cmp.Or(c.label, c.Job), 60) + "  " + was + verdict + "  " + safe.Clean(c.Says)
}

// mostChanges is how many changes the view keeps.
const mostChanges = 200

// State is the newest reading, and what changed.
type State struct {
	Report  *analyze.Report // nil before the first reading
	ReadAt  time.Time
	Failed  error     // why the newest reading failed; nil: it did not
	Since   time.Time // of the last answer before a failure
	Changes []Change  // oldest first
	Renewed string    // what was reconnected last, and when; "" = nothing was

	before  map[string]brief // by job id, as it was when it was last compared
	listed  map[string]bool  // jobs of the newest report
	changed map[string]bool  // jobs, and jobs and vertices with a blank between, that differ from the reading before
}

// brief is the part of a job that is compared from reading to reading.
type brief struct {
	name    string
	label   string
	verdict analyze.Verdict
	codes   string
	moves   map[string]string
}

// Take adds a reading and returns what it changed.
func (s *State) Take(r Reading) []Change {
	if r.Renewed != "" {
		s.Renewed = fmt.Sprintf("%s had ended, restarted at %s UTC", safe.Short(r.Renewed, 30), units.Clock(r.At.UnixMilli()))
	}
	if r.Err != nil {
		if s.Failed == nil {
			s.Since = s.ReadAt
		}
		s.Failed = r.Err
		return nil
	}
	first := s.Report == nil
	s.Report, s.ReadAt, s.Failed = r.Report, r.At, nil
	now, listed, changes := map[string]brief{}, map[string]bool{}, []Change(nil)
	s.changed = map[string]bool{}
	for i := range r.Report.Jobs {
		j := &r.Report.Jobs[i]
		listed[j.ID] = true
		was, known := s.before[j.ID]
		if j.Samples < 2 && j.State == "RUNNING" { // no verdict yet: nothing has been compared
			if known {
				now[j.ID] = was
			}
			continue
		}
		b := briefOf(j)
		now[j.ID] = b
		if !known || was.verdict != b.verdict || was.codes != b.codes {
			s.changed[j.ID] = known || !s.listed[j.ID] && !first
			c := Change{At: r.At, Job: j.Name, ID: j.ID, label: j.Label(), Was: was.verdict, Verdict: j.Verdict, Where: Where(j), Says: j.Headline}
			if changes = append(changes, c); s.changed[j.ID] {
				s.Changes = append(s.Changes, c)
			}
		}
		for id, moves := range b.moves {
			s.changed[j.ID+" "+id] = known && was.moves[id] != moves
		}
	}
	for id, was := range s.before {
		if !listed[id] {
			c := Change{At: r.At, Job: was.name, ID: id, label: was.label, Was: was.verdict, Says: "no longer listed"}
			changes, s.Changes = append(changes, c), append(s.Changes, c)
		}
	}
	s.before, s.listed = now, listed
	if n := len(s.Changes); n > mostChanges {
		s.Changes = append([]Change(nil), s.Changes[n-mostChanges:]...)
	}
	return changes
}

func briefOf(j *analyze.JobReport) brief {
	b := brief{name: j.Name, label: j.Label(), verdict: j.Verdict, moves: map[string]string{}}
	var codes []string
	for _, f := range j.Findings {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	b.codes = strings.Join(slices.Compact(codes), " ")
	for _, v := range j.Vertices {
		b.moves[v.ID] = fmt.Sprint(v.Min.State(), v.Moving != nil && *v.Moving, v.HeldBy)
	}
	return b
}

// Silent is since when there is no answer, because a reading failed or takes too long.
func (s *State) Silent(now time.Time, every time.Duration) (since time.Time, silent bool) {
	switch {
	case s.Failed != nil:
		return s.Since, true
	case s.Report != nil && now.Sub(s.ReadAt) > 2*every+5*time.Second:
		return s.ReadAt, true
	}
	return time.Time{}, false
}

// Where is the place that the first finding of a job names, "" where nothing is wrong.
func Where(j *analyze.JobReport) string {
	if len(j.Findings) == 0 || j.Verdict == analyze.VerdictHealthy {
		return ""
	}
	f := &j.Findings[0]
	switch {
	case f.Split != "":
		name := catalog.SplitName(f.Split)
		return strings.ToLower(name[:1]) + name[1:]
	case f.Vertex == nil:
		return f.Title
	}
	place := strings.TrimPrefix(f.Vertex.Name, "Source: ")
	if len(f.Subtasks) == 1 {
		place += fmt.Sprintf(" subtask %d", f.Subtasks[0])
	}
	return place
}

// lagOf is the largest lag of a job, "none" where a vertex has no watermark and should.
func lagOf(j *analyze.JobReport) string {
	for _, v := range j.Vertices {
		if v.Holder != nil && v.Min.Readable() && !v.Min.IsKnown() {
			return "none"
		}
	}
	latest := j.Latest()
	if latest == nil {
		return "-"
	}
	return render.LagText(latest.LagMs)
}

// verdictTone colours a verdict; nothing is green while the cluster does not answer.
func verdictTone(v analyze.Verdict, silent bool) doc.Tone {
	if silent {
		return ""
	}
	return words.Label(string(v)).Tone
}
