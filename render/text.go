package render

import (
	"fmt"
	"io"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// text is the state of one text rendering.
type text struct {
	w     io.Writer
	t     theme
	width int
	now   int64                // captured_at of the report, epoch ms, 0 = unknown
	fixes map[catalog.Fix]bool // written for this job already
}

func writeText(w io.Writer, t theme, r *analyze.Report, width int) error {
	x := &text{w: w, t: t, width: width, now: epoch(r.CapturedAt)}
	switch len(r.Jobs) {
	case 0:
		x.line(x.t.label("incomplete") + " no job was read")
		x.line(x.t.dim.Render(readLine(r)))
	case 1:
		x.job(r, &r.Jobs[0], true)
	default:
		x.manyJobs(r)
	}
	x.notChecked("Not checked of the cluster", r.NotChecked)
	return nil
}

func (x *text) line(s string)                 { fmt.Fprintln(x.w, s) }
func (x *text) linef(format string, a ...any) { fmt.Fprintf(x.w, format+"\n", a...) }

// labelled writes a coloured word and clean text beside it, wrapped with a hanging indent.
func (x *text) labelled(verdict, body string) {
	word := strings.ToUpper(verdict)
	for i, l := range wrapAfter(body, x.width-len(word)-1, x.width-2) {
		if i == 0 {
			x.line(x.t.label(verdict) + " " + l)
		} else {
			x.line("  " + l)
		}
	}
}

// job writes one job; alone says that the report has no other.
func (x *text) job(r *analyze.Report, j *analyze.JobReport, alone bool) {
	short := shortener(j)
	x.fixes = map[catalog.Fix]bool{}
	x.labelled(string(j.Verdict), Short(j.Name, 48)+": "+short(headline(j)))
	if alone {
		x.dimmed(readLine(r) + ", " + sampleText(j))
	} else {
		x.dimmed(sampleText(j))
	}
	for i := range j.Findings {
		x.line("")
		x.finding(&j.Findings[i], short)
	}
	if len(j.Vertices) > 0 {
		x.line("")
		x.graph(j)
	}
	x.notChecked("Not checked", j.NotChecked)
}

func (x *text) dimmed(s string) {
	for _, l := range wrap(s, x.width) {
		x.line(x.t.dim.Render(l))
	}
}

func (x *text) notChecked(title string, list []catalog.NotChecked) {
	if len(list) == 0 {
		return
	}
	x.line("")
	x.line(x.t.strong.Render(title))
	for _, n := range list {
		lines := wrap(clip(Clean(n.Reason), 400), x.width-10)
		fmt.Fprint(x.w, indent("  "+pad(Short(n.Code, 6), 6)+"  ", lines))
	}
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
	s := "Flink " + orUnknown(Short(r.Cluster.FlinkVersion, 20))
	if r.Cluster.URL != "" {
		s += " at " + Short(r.Cluster.URL, 60)
	}
	return s + ", read " + clock(r.CapturedAt)
}

func orUnknown(s string) string {
	if s == "" {
		return "(version unknown)"
	}
	return s
}

func sampleText(j *analyze.JobReport) string {
	s := "state " + orNone(Short(j.State, 20)) + ", " + plural(j.Samples, "sample", "samples")
	if j.Samples > 1 && j.SampleGapMs > 0 {
		s += " over " + Duration(j.SampleGapMs)
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// shortener cleans prose and shortens the long names of the job in it, which SQL plans make
// hundreds of characters long.
func shortener(j *analyze.JobReport) func(string) string {
	const longest = 44
	var pairs []string
	add := func(name string) {
		if short := vertexName(name, longest); short != name {
			pairs = append(pairs, Clean(name), short)
		}
	}
	add(j.Name)
	for _, v := range j.Vertices {
		add(v.Name)
		for _, s := range v.Subtasks {
			for _, sp := range s.Splits {
				add(sp.ID)
			}
		}
	}
	for _, f := range j.Findings {
		add(f.Operator)
		add(f.Split)
		if f.Vertex != nil {
			add(f.Vertex.Name)
		}
	}
	replace := strings.NewReplacer(append(pairs, defaultPath, "")...)
	return func(s string) string { return clip(replace.Replace(Clean(s)), 900) }
}

// clip bounds clean prose to max cells.
func clip(s string, max int) string {
	if width(s) <= max {
		return s
	}
	return Short(s, max)
}
