package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze"
)

// verdictOrder is the order in which jobs are told: what needs a person first.
var verdictOrder = []analyze.Verdict{
	analyze.VerdictCritical, analyze.VerdictWarning, analyze.VerdictIncomplete, analyze.VerdictInfo, analyze.VerdictHealthy,
}

// manyJobs writes a summary, then every job that has something to say.
func (x *text) manyJobs(r *analyze.Report) {
	x.labelled(string(worst(r)), countsText(r))
	x.dimmed(readLine(r))
	x.line("")
	name := x.width - 12 - 36
	x.line(x.t.strong.Render(pad("verdict", 12) + pad("job", name) + "findings"))
	for _, v := range verdictOrder {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Verdict == v {
				row := pad(x.t.label(string(v)), 12) + pad(Short(j.Name, name-2), name) + codesCell(j, 36)
				x.line(strings.TrimRight(row, " "))
			}
		}
	}
	for _, v := range verdictOrder {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			if j.Verdict != v || v == analyze.VerdictHealthy && len(j.Findings) == 0 {
				continue
			}
			x.line("")
			x.line(strings.Repeat("─", x.width))
			x.job(r, j, false)
		}
	}
}

// worst is the verdict of the report as a whole; incomplete outranks what only explains.
func worst(r *analyze.Report) analyze.Verdict {
	for _, v := range verdictOrder {
		for _, j := range r.Jobs {
			if j.Verdict == v {
				return v
			}
		}
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
	return plural(len(r.Jobs), "job", "jobs") + ": " + strings.Join(parts, ", ")
}

// codesCell is codesText in at most max cells: codes alone where they do not fit with their causes.
func codesCell(j *analyze.JobReport, max int) string {
	full := codesText(j)
	if n := len(j.NotChecked); n > 0 && full == "" {
		full = fmt.Sprintf("%d not checked", n)
	}
	if width(full) <= max {
		return full
	}
	var codes []string
	for _, f := range j.Findings {
		if !slices.Contains(codes, f.Code) {
			codes = append(codes, f.Code)
		}
	}
	return Short(strings.Join(codes, ", "), max)
}

// codesText lists the findings of a job, each code once.
func codesText(j *analyze.JobReport) string {
	var parts []string
	seen := map[string]bool{}
	for _, f := range j.Findings {
		if !seen[f.Code] {
			seen[f.Code] = true
			parts = append(parts, Clean(f.Code)+" "+Clean(f.Cause))
		}
	}
	if len(parts) > 2 {
		return strings.Join(parts[:2], ", ") + fmt.Sprintf(" +%d", len(parts)-2)
	}
	return strings.Join(parts, ", ")
}
