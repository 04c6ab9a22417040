package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/analyze"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/timeline"
	"tidemark/render/words"
)

// Triage is a report of the diagnosis of jobs.
func Triage(r *analyze.Report) Result {
	return Result{Data: filled(r), Document: func() *doc.Document { return triage(r) }, Page: func() *doc.Document { return triagePage(r) },
		Own: map[string]func(io.Writer) error{Name: nameLines(r), Wide: wideLines(r)}}
}

func triage(r *analyze.Report) *doc.Document {
	d := newTriage(r)
	jobs := byVerdict(r)
	switch len(jobs) {
	case 0:
	case 1:
		job(d, jobs[0], r, jobs[0].Label(), 1)
	default:
		d.Add(jobTable(jobs))
		for i, j := range jobs {
			if needsPart(j) {
				at := len(d.Blocks)
				job(d, j, r, j.Label(), 2)
				h := d.Blocks[at].(doc.Heading)
				h.ID = jobID(i)
				d.Blocks[at] = h
			}
		}
	}
	notChecked(d, 2, "Not checked of the cluster", r.NotChecked)
	return d
}

// newTriage is a document with the heading of a report that is not about one job.
func newTriage(r *analyze.Report) *doc.Document {
	d := &doc.Document{Title: "tidemark triage", Made: strings.TrimSpace(r.Tool.Name + " " + r.Tool.Version)}
	switch len(r.Jobs) {
	case 0:
		d.Add(doc.Heading{Level: 1, Label: words.Label("incomplete"), Text: "no job was read", Facts: readFacts(r)})
	case 1:
	default:
		d.Add(doc.Heading{Level: 1, Label: words.Label(string(worst(r))), Text: countsText(r), Facts: readFacts(r)})
	}
	return d
}

// needsPart reports whether a job needs more than its line in the table.
func needsPart(j *analyze.JobReport) bool {
	return j.Verdict != analyze.VerdictHealthy || len(j.Findings)+len(j.Acknowledged) > 0
}

func jobTable(jobs []*analyze.JobReport) doc.Table {
	t := doc.Table{Columns: []doc.Column{{Name: "verdict"}, {Name: "job", Cut: true}, {Name: "findings"}}}
	for i, j := range jobs {
		v := words.Label(string(j.Verdict))
		name := doc.Cell{Text: j.Label()}
		if needsPart(j) {
			name.Link = jobID(i)
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Text: strings.ToUpper(v.Word), Tone: v.Tone}, name, {Text: codesText(j)}}})
	}
	return t
}

func jobID(i int) string { return fmt.Sprintf("job%d", i) }

// job adds one job: its verdict, its findings, its vertices, what was not checked.
func job(d *doc.Document, j *analyze.JobReport, r *analyze.Report, label string, level int) {
	short := shortener(j)
	h := jobHeading(j, label, level, short)
	if level == 1 {
		h.Facts = append(readFacts(r), h.Facts...)
	}
	d.Add(h)
	shown := map[catalog.Fix]bool{}
	for i := range j.Findings {
		f := &j.Findings[i]
		if i > 0 || f.Title != j.Headline {
			d.Add(findingHeading(f, short))
		}
		d.Add(findingBlocks(f, r.CapturedMs, j.SQL, short, shown)...)
	}
	if len(j.Findings) > 0 {
		d.Add(next(j, r, toFix(j))...)
	}
	d.Add(acknowledged(j, r.CapturedMs, short)...)
	timeline.Add(d, 3, timelineID(j), j.Timeline)
	usual(d, j.Usual)
	vertices(d, j, r.CapturedMs)
	unread(d, j)
}

func timelineID(j *analyze.JobReport) string { return "timeline-" + safe.Short(j.ID, 40) }

// jobHeading is the verdict of a job with its sentence.
func jobHeading(j *analyze.JobReport, label string, level int, short func(string) string) doc.Heading {
	h := doc.Heading{Level: level, Label: words.Label(string(j.Verdict)), Text: label, Lead: short(headline(j)), Facts: jobFacts(j)}
	if len(j.Findings) > 0 && j.Findings[0].Title == j.Headline {
		h.Mark = short(place(&j.Findings[0]))
	}
	return h
}

// place is the narrowest place that a finding names: a split, or a vertex.
func place(f *catalog.Finding) string {
	switch {
	case f.Split != "":
		return f.Split
	case f.Vertex != nil:
		return strings.TrimPrefix(f.Vertex.Name, "Source: ")
	}
	return ""
}

// unread says what was not checked of a job; it is folded unless the verdict depends on it.
func unread(d *doc.Document, j *analyze.JobReport) {
	if j.Verdict == analyze.VerdictIncomplete {
		notChecked(d, 3, "Not checked", j.NotChecked)
		return
	}
	if p := notCheckedPairs(j.NotChecked); len(p) > 0 {
		d.Add(doc.Folded{Title: "what was not checked", Blocks: []doc.Block{p}})
	}
}

func notChecked(d *doc.Document, level int, title string, list []catalog.NotChecked) {
	if p := notCheckedPairs(list); len(p) > 0 {
		d.Add(doc.Heading{Level: level, Text: title}, p)
	}
}

func notCheckedPairs(list []catalog.NotChecked) doc.Pairs {
	var p doc.Pairs
	for _, n := range list {
		p = append(p, doc.Pair{Name: safe.Short(n.Code, 12), Values: []string{safe.Clip(safe.Clean(n.Reason), 400)}})
	}
	return p
}

// headline is the verdict of a job in a sentence.
func headline(j *analyze.JobReport) string {
	if j.Headline != "" {
		return j.Headline
	}
	return string(j.Verdict)
}

// verdictOrder is the order in which jobs are reported: what needs a person first.
var verdictOrder = []analyze.Verdict{
	analyze.VerdictCritical, analyze.VerdictWarning, analyze.VerdictIncomplete, analyze.VerdictAcknowledged, analyze.VerdictInfo, analyze.VerdictHealthy,
}

// byVerdict sorts the jobs by verdictOrder.
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

// worst is the verdict of the report as a whole; incomplete outranks info.
func worst(r *analyze.Report) analyze.Verdict {
	if jobs := byVerdict(r); len(jobs) > 0 && slices.Contains(verdictOrder, jobs[0].Verdict) {
		return jobs[0].Verdict
	}
	return analyze.VerdictIncomplete
}
