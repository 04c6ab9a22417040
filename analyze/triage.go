package analyze

import (
	"sort"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// Options of a triage.
type Options struct {
	Tool        Tool
	MinSeverity Severity // findings below are left out of the report, not of the verdict
}

// Triage judges every job of a capture at the time of the capture.
func Triage(c *flinkapi.Capture, o Options) *Report {
	r := &Report{Schema: SchemaReport, Tool: o.Tool, CapturedAt: units.Time(c.ReadAt), Jobs: []JobReport{}, NotChecked: []NotChecked{},
		Cluster: Cluster{URL: c.URL, FlinkVersion: c.FlinkVersion()}}
	for _, f := range c.Failures {
		r.NotChecked = append(r.NotChecked, NotChecked{"TM901", f.Path + ": " + reasonOf(f)})
	}
	for _, jc := range c.Jobs {
		jr := Judge(BuildJob(c, jc))
		jr.Findings = atLeast(jr.Findings, o.MinSeverity)
		r.Jobs = append(r.Jobs, jr)
	}
	return r
}

func atLeast(fs []Finding, min Severity) []Finding {
	out := []Finding{}
	for _, f := range fs {
		if f.Severity.Rank() >= min.Rank() {
			out = append(out, f)
		}
	}
	return out
}

// Judge runs every check that applies to the job's state and says the verdict.
func Judge(j *Job) JobReport {
	r := JobReport{ID: j.ID, Name: j.Name, State: j.State, SampleGapMs: j.GapMs, Findings: []Finding{}, Vertices: []VertexReport{}, NotChecked: []NotChecked{}}
	if j.Now == nil {
		r.NotChecked = append(r.NotChecked, NotChecked{"TM901", "the job could not be read"})
		r.Verdict, r.Headline = VerdictIncomplete, "the job could not be read"
		return r
	}
	r.Samples = 1
	if j.Compared() {
		r.Samples = 2
	}
	r.Findings = j.settle(j.run())
	list, essential := j.notChecked(r.Findings)
	r.NotChecked = append(r.NotChecked, list...)
	r.Vertices = j.vertexReports(r.Findings)
	r.Verdict = verdictOf(r.Findings, essential)
	r.Headline = j.headline(r)
	return r
}

// run calls the checks that the job's state allows: without live tasks only the state is judged,
// since the metrics are those of the past.
func (j *Job) run() []Finding {
	out := []Finding{}
	for _, c := range Checks() {
		if c.Run == nil || !j.applies(c.Code) {
			continue
		}
		out = append(out, c.Run(j)...)
	}
	return out
}

func (j *Job) applies(code string) bool {
	switch {
	case j.Batch:
		return code == "TM701" || code == "TM703" || code == "TM704"
	case j.Running():
		return true
	}
	return code == "TM101" || code == "TM650" || code == "TM701" || code == "TM703" // these read the exceptions
}

// startCodes are what a job shows in its first minute without any fault.
var startCodes = map[string]bool{"TM101": true, "TM102": true, "TM103": true, "TM104": true, "TM105": true, "TM106": true, "TM109": true}

// settle drops what another finding explains, softens what nobody depends on, and sorts.
func (j *Job) settle(all []Finding) []Finding {
	hidden := map[string]bool{}
	named := map[string]bool{}
	for _, f := range all {
		if f.Code != "TM650" && f.Issue != "" {
			named[f.Issue] = true
		}
		c, _ := FindCheck(f.Code)
		for _, code := range c.Hides {
			hidden[code+vertexID(f)] = true
		}
	}
	out := []Finding{}
	for _, f := range all {
		if hidden[f.Code+vertexID(f)] || f.Code == "TM650" && named[f.Issue] || j.Running() && j.WarmingUp() && startCodes[f.Code] {
			continue
		}
		if f.Severity == Critical && j.Running() && j.UptimeMs < quietMs && startCodes[f.Code] && f.Code != "TM101" {
			f.Severity, f.Confidence = Warning, Likely
			f.Summary += ". The job is young: an idle timeout of a minute, which REST may not show, would still release it"
		}
		if v := j.Vertex(vertexID(f)); v != nil && softens(f.Code) && v.eventTimeUse() == UseNo {
			f.Severity = Info
			f.Summary += ". No operator of its path uses event time, so no result depends on it"
		}
		out = append(out, f)
	}
	order := map[string]int{}
	for i, v := range j.Vertices {
		order[v.ID] = i
	}
	sort.SliceStable(out, func(i, k int) bool {
		a, b := out[i], out[k]
		if a.Severity != b.Severity {
			return a.Severity.Rank() > b.Severity.Rank()
		}
		if a.Code != b.Code {
			return a.Code < b.Code
		}
		return order[vertexID(a)] < order[vertexID(b)]
	})
	return out
}

// softens reports the codes that only matter where event time is used: sources and lag.
func softens(code string) bool { return code >= "TM101" && code < "TM400" }

func vertexID(f Finding) string {
	if f.Vertex == nil {
		return ""
	}
	return f.Vertex.ID
}

func verdictOf(fs []Finding, essential bool) Verdict {
	worst := 0
	for _, f := range fs {
		worst = max(worst, f.Severity.Rank())
	}
	switch {
	case worst == Critical.Rank():
		return VerdictCritical
	case worst == Warning.Rank():
		return VerdictWarning
	case essential:
		return VerdictIncomplete
	case worst == Info.Rank():
		return VerdictInfo
	}
	return VerdictHealthy
}
