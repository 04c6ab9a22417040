package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// Triage is a report of the diagnosis of jobs.
func Triage(r *analyze.Report) Result {
	return Result{Data: filled(r), Document: func() *doc.Document { return triage(r) }}
}

func triage(r *analyze.Report) *doc.Document {
	d := &doc.Document{Title: "Event time", Made: strings.TrimSpace(r.Tool.Name + " " + r.Tool.Version)}
	jobs := byVerdict(r)
	switch len(jobs) {
	case 0:
		d.Add(doc.Heading{Level: 1, Label: words.Label("incomplete"), Text: "no job was read"}, doc.Paragraph{Text: readLine(r), Dim: true})
	case 1:
		job(d, jobs[0], r.CapturedMs, 1, readLine(r)+", "+sampleText(jobs[0]))
	default:
		d.Add(doc.Heading{Level: 1, Label: words.Label(string(worst(r))), Text: countsText(r)}, doc.Paragraph{Text: readLine(r), Dim: true})
		t := doc.Table{Columns: []doc.Column{{Name: "verdict"}, {Name: "job", Cut: true}, {Name: "findings"}}}
		for i, j := range jobs {
			v := words.Label(string(j.Verdict))
			t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: strings.ToUpper(v.Word), Tone: v.Tone}, {Text: j.Name, Link: jobID(i)}, {Text: codesText(j)}}})
		}
		d.Add(t)
		for i, j := range jobs {
			if j.Verdict != analyze.VerdictHealthy || len(j.Findings) > 0 {
				at := len(d.Blocks)
				job(d, j, r.CapturedMs, 2, sampleText(j))
				h := d.Blocks[at].(doc.Heading)
				h.ID = jobID(i)
				d.Blocks[at] = h
			}
		}
	}
	notChecked(d, 2, "Not checked of the cluster", r.NotChecked)
	return d
}

func jobID(i int) string { return fmt.Sprintf("job%d", i) }

// job adds one job: its verdict, its findings, its vertices, what was not checked.
func job(d *doc.Document, j *analyze.JobReport, now int64, level int, read string) {
	short := shortener(j)
	d.Add(doc.Heading{Level: level, Label: words.Label(string(j.Verdict)), Text: j.Name, Lead: short(headline(j))}, doc.Paragraph{Text: read, Dim: true})
	shown := map[catalog.Fix]bool{}
	for i := range j.Findings {
		finding(d, j.Name, &j.Findings[i], short, shown)
	}
	timeline(d, "timeline-"+safe.Short(j.ID, 40), j.Timeline)
	vertices(d, j, now)
	notChecked(d, 3, "Not checked", j.NotChecked)
}

func notChecked(d *doc.Document, level int, title string, list []catalog.NotChecked) {
	if len(list) == 0 {
		return
	}
	var p doc.Pairs
	for _, n := range list {
		p = append(p, doc.Pair{Name: safe.Short(n.Code, 12), Values: []string{safe.Clip(safe.Clean(n.Reason), 400)}})
	}
	d.Add(doc.Heading{Level: level, Text: title}, p)
}

// headline is the verdict of a job in a sentence.
func headline(j *analyze.JobReport) string {
	if j.Headline != "" {
		return j.Headline
	}
	return string(j.Verdict)
}

// readLine says where and when a report was made.
func readLine(r *analyze.Report) string {
	s := "Flink " + or(safe.Short(r.Cluster.FlinkVersion, 20), "(version unknown)")
	if o := r.Readings; o != nil {
		s += ", from Prometheus " + safe.Short(o.Prometheus, 60) + " (a sample each " + units.Duration(o.ResolutionMs) + ")"
		if o.Graph == "" {
			s += ", without a graph"
		} else {
			s += ", graph from " + safe.Short(o.Graph, 60)
		}
		return s + ", as of " + words.Clock(r.CapturedMs)
	}
	if r.Cluster.URL != "" {
		s += " at " + safe.Short(r.Cluster.URL, 60)
	}
	return s + ", read " + words.Clock(r.CapturedMs)
}

func sampleText(j *analyze.JobReport) string {
	s := "state " + or(safe.Short(j.State, 20), "unknown") + ", " + words.Plural(j.Samples, "sample", "samples")
	if j.Samples > 1 && j.SampleGapMs > 0 {
		s += " over " + units.Duration(j.SampleGapMs)
	}
	switch {
	case j.AgeAtLeast:
		s += ", metrics at least " + units.Duration(j.AgeMs) + " old (this reading made the JobManager fetch new ones)"
	case j.AgeMs > 0:
		s += ", metrics " + units.Duration(j.AgeMs) + " old"
	}
	return s
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// verdictOrder is the order in which jobs are told: what needs a person first.
var verdictOrder = []analyze.Verdict{
	analyze.VerdictCritical, analyze.VerdictWarning, analyze.VerdictIncomplete, analyze.VerdictInfo, analyze.VerdictHealthy,
}

// byVerdict lists the jobs in the order in which they are told.
func byVerdict(r *analyze.Report) []*analyze.JobReport {
	jobs := make([]*analyze.JobReport, len(r.Jobs))
	for i := range r.Jobs {
		jobs[i] = &r.Jobs[i]
	}
	rank := func(j *analyze.JobReport) int {
		if at := slices.Index(verdictOrder, j.Verdict); at >= 0 {
			return at
		}
		return len(verdictOrder)
	}
	slices.SortStableFunc(jobs, func(a, b *analyze.JobReport) int { return rank(a) - rank(b) })
	return jobs
}

// worst is the verdict of the report as a whole; incomplete outranks what only explains.
func worst(r *analyze.Report) analyze.Verdict {
	if jobs := byVerdict(r); len(jobs) > 0 && slices.Contains(verdictOrder, jobs[0].Verdict) {
		return jobs[0].Verdict
	}
	return analyze.VerdictIncomplete
}

// countsText is "26 jobs: 1 critical, 25 healthy".
func countsText(r *analyze.Report) string {
	var parts []string
	for _, v := range verdictOrder {
		n := 0
		for _, j := range r.Jobs {
			if j.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Plural(len(r.Jobs), "job", "jobs") + ": " + strings.Join(parts, ", ")
}

// codesText lists the findings of a job, each code once.
func codesText(j *analyze.JobReport) string {
	var parts []string
	for _, f := range j.Findings {
		if part := safe.Short(f.Code, 12) + " " + safe.Short(f.Cause, 40); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if n := len(j.NotChecked); n > 0 && len(parts) == 0 {
		return fmt.Sprintf("%d not checked", n)
	}
	if n := len(parts) - 2; n > 0 {
		return strings.Join(parts[:2], ", ") + fmt.Sprintf(" +%d", n)
	}
	return strings.Join(parts, ", ")
}
