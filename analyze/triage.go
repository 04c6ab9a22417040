package analyze

import (
	"slices"
	"sort"

	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/checks"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/redact"
	"tidemark/internal/units"
)

// Options of a triage.
type Options struct {
	Tool        Tool
	MinSeverity catalog.Severity // findings below are left out of the report, not of the verdict
	Acknowledge func(*JobReport) // moves accepted findings to Acknowledged, and may add findings; nil = none are accepted
}

// Triage judges every job of a capture at the time of the capture.
func Triage(c *flinkapi.Capture, o Options) *Report {
	r := &Report{Schema: SchemaReport, Tool: o.Tool, CapturedAt: units.Time(c.ReadAt), CapturedMs: c.ReadAt, Jobs: []JobReport{}, NotChecked: []catalog.NotChecked{},
		Cluster: Cluster{URL: c.URL, FlinkVersion: c.FlinkVersion()}, Readings: c.Origin}
	for _, f := range c.Missing {
		reason := gapReason(f)
		if f.Path != "" {
			reason = f.Path + ": " + reason
		}
		r.NotChecked = append(r.NotChecked, catalog.NotChecked{Code: "TM901", Reason: reason})
	}
	r.NotChecked = append(append(r.NotChecked, lostNotice(c)...), versionNotice(c)...)
	for _, jc := range c.Jobs {
		job := model.BuildJob(c, jc)
		jr := Judge(job)
		if o.Acknowledge != nil {
			acknowledge(job, &jr, o.Acknowledge)
		}
		jr.Findings = atLeast(jr.Findings, o.MinSeverity)
		r.Jobs = append(r.Jobs, jr)
	}
	redact.All(r)
	return r
}

func atLeast(fs []catalog.Finding, min catalog.Severity) []catalog.Finding {
	out := []catalog.Finding{}
	for _, f := range fs {
		if f.Severity.Rank() >= min.Rank() {
			out = append(out, f)
		}
	}
	return out
}

// Judge runs every check that applies to the state of the job and gives the verdict.
func Judge(j *model.Job) JobReport {
	if j.Now == nil {
		return notRead(j)
	}
	r := JobReport{ID: j.ID, Name: j.Name, ShortID: j.ShortID, State: j.State, SampleGapMs: j.GapMs, Findings: []catalog.Finding{}, Vertices: []VertexReport{}, NotChecked: []catalog.NotChecked{}}
	if j.Running() {
		r.UptimeMs = j.UptimeMs
	}
	r.SQL = slices.ContainsFunc(j.Sources(), (*model.Vertex).IsSQLScan)
	r.Samples = 1
	if j.Compared() {
		r.Samples = 2
	} else {
		r.AgeMs, r.AgeAtLeast = age(j)
	}
	findings := Settle(j, checks.Run(j))
	acc := account.Of(j, findings)
	if j.EdgesGuess {
		findings, acc.Findings = edgeless(j, findings), nil
	}
	checks.NoteKnownBugs(j, findings)
	r.Findings = Order(j, append(findings, acc.Findings...))
	fix.Complete(j, r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Title, f.Page = f.Headline(), catalog.Page(f.Code)
		if f.Fix.Try != "" {
			f.Try = []string{f.Fix.Try}
		}
	}
	list, essential := notChecked(j, acc)
	r.NotChecked, r.Incomplete = append(r.NotChecked, list...), essential
	r.Vertices = vertexReports(j, r.Findings, acc)
	r.Verdict = VerdictOf(r.Findings, essential)
	r.Headline = headline(j, r)
	return r
}

// edgeless keeps the findings that hold whichever way the vertices are connected: about the whole job, about a source
// and its splits, and about counters of lost records.
func edgeless(j *model.Job, all []catalog.Finding) []catalog.Finding {
	return slices.DeleteFunc(all, func(f catalog.Finding) bool {
		v := j.Vertex(vertexID(f))
		c, _ := catalog.FindCheck(f.Code)
		counter := slices.ContainsFunc(c.Explains, func(e catalog.Explains) bool { return e.Claim == catalog.Loss })
		return v != nil && !counter && (!v.IsSource() || len(j.Sources()) > 1 && f.Split == "" && len(f.Subtasks) == 0)
	})
}

// age is how old the metrics of one sample were when they were read, ms. Where the reading itself triggered a metric
// fetch, they are from the one before, at least an update interval ago.
func age(j *model.Job) (ms int64, atLeast bool) {
	if !j.Running() {
		return 0, false
	}
	for _, v := range j.Vertices {
		if v.FetchedMs > 0 {
			ms = max(ms, j.NowMs-v.FetchedMs)
		}
	}
	if j.Now.Refetched && ms < j.IntervalMs {
		return j.IntervalMs, true
	}
	return ms, false
}

// Settle drops findings that another one explains, lowers those that no operator depends on to info, and sorts.
func Settle(j *model.Job, all []catalog.Finding) []catalog.Finding {
	hidden := map[string]bool{}
	named := map[string]bool{}
	for _, f := range all {
		if f.Code != "TM650" && f.Issue != "" {
			named[f.Issue] = true
		}
		c, _ := catalog.FindCheck(f.Code)
		for _, code := range c.Hides {
			hidden[code+vertexID(f)] = true
		}
	}
	out := []catalog.Finding{}
	for _, f := range all {
		c, _ := catalog.FindCheck(f.Code)
		if hidden[f.Code+vertexID(f)] || f.Code == "TM650" && named[f.Issue] || j.Running() && j.WarmingUp() && c.Settled {
			continue
		}
		if f.Severity == catalog.Critical && j.Running() && j.UptimeMs < model.QuietMs && c.Settled && f.Code != "TM101" {
			f.Severity, f.Confidence = catalog.Warning, catalog.Likely
			f.Summary += ". The job started less than a minute ago: an idle timeout of 1 min, which REST may not show, would still release it"
		}
		if v := j.Vertex(vertexID(f)); v != nil && c.EventTime && v.EventTimeUse() == model.UseNo {
			f.Severity = catalog.Info
			f.Summary += ". No operator here or downstream uses event time, so no result depends on it"
		}
		out = append(out, f)
	}
	return Order(j, out)
}

// Order sorts findings: by severity, then by code, then upstream first.
func Order(j *model.Job, out []catalog.Finding) []catalog.Finding {
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

func vertexID(f catalog.Finding) string {
	if f.Vertex == nil {
		return ""
	}
	return f.Vertex.ID
}

// VerdictOf is the severity of the worst finding. Where something essential could not be read, anything less than
// critical is incomplete.
func VerdictOf(fs []catalog.Finding, essential bool) Verdict {
	worst := 0
	for _, f := range fs {
		worst = max(worst, f.Severity.Rank())
	}
	switch {
	case worst == catalog.Critical.Rank():
		return VerdictCritical
	case essential:
		return VerdictIncomplete
	case worst == catalog.Warning.Rank():
		return VerdictWarning
	case worst == catalog.Info.Rank():
		return VerdictInfo
	}
	return VerdictHealthy
}
