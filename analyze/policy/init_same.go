package policy

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/facts"
)

// part is what is drafted of one job for one key. Of limits (ms above 0) the largest holds for all jobs.
type part struct {
	lines []line
	ms    int64
}

func one(l line) part { return part{lines: []line{l}} }

func (p part) text() string {
	var texts []string
	for _, l := range p.lines {
		texts = append(texts, l.text)
	}
	return strings.Join(texts, " ")
}

func (p part) gap() bool { return p.lines[0].gap }

// merged drafts a key so that it holds for each of the parts: what all say, the largest of limits, or a comment
// that says how they differ.
func merged[T any](all []T, draft func(T) part) []line {
	var parts []part
	for _, one := range all {
		parts = append(parts, draft(one))
	}
	first := parts[0]
	limits := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return p.ms == 0 })
	switch alike := func(p part) bool { return p.text() == first.text() && p.gap() == first.gap() }; {
	case !slices.ContainsFunc(parts, func(p part) bool { return !alike(p) }):
		return first.lines
	case len(limits) > 0:
		most := slices.MaxFunc(limits, func(a, b part) int { return int(max(-1, min(1, a.ms-b.ms))) })
		most.lines = slices.Clone(most.lines)
		if most.lines[0].note += fmt.Sprintf("; the largest of %d jobs of this name", len(parts)); len(limits) < len(parts) {
			left := parts[slices.IndexFunc(parts, func(p part) bool { return p.ms == 0 })]
			most.lines[0].note += fmt.Sprintf(", %d left out: %s", len(parts)-len(limits), left.lines[0].note)
		}
		return most.lines
	}
	if i := slices.IndexFunc(parts, part.gap); i >= 0 {
		return parts[i].lines
	}
	var texts []string
	for _, p := range parts {
		if text := p.text(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return []line{comment(first.lines[0].text, "jobs of this name differ: "+strings.Join(texts, "; "))}
}

// byName groups jobs that share a name, in the order of the first of each.
func byName(jobs []Job) [][]*Job {
	var out [][]*Job
	at := map[string]int{}
	for i := range jobs {
		name := jobs[i].Report.Name
		k, known := at[name]
		if !known {
			k = len(out)
			at[name], out = k, append(out, nil)
		}
		out[k] = append(out[k], &jobs[i])
	}
	return out
}

// verdicts is what triage says of the jobs of a name.
func verdicts(same []*Job) string {
	if len(same) == 1 {
		return "verdict of triage: " + string(same[0].Report.Verdict)
	}
	var each []string
	for _, j := range same {
		text := string(j.Report.Verdict)
		if unreadableJob(j) != "" {
			text += ", not judged here"
		}
		each = append(each, text+" ("+j.Report.ID[:min(8, len(j.Report.ID))]+")")
	}
	return fmt.Sprintf("%d jobs of this name; verdicts of triage: ", len(same)) + strings.Join(each, ", ")
}

// sourceAt is a source in one of the jobs of a name, sourcesAt the same one in each of them.
type (
	sourceAt struct {
		facts.SourceFacts
		job *Job
	}
	sourcesAt []sourceAt
)

// sourcesOf gathers the sources that event time depends on by their names.
func sourcesOf(jobs []*Job) (out []sourcesAt) {
	at := map[string]int{}
	for _, j := range jobs {
		for _, s := range usedSources(j.Facts.Sources) {
			k, known := at[s.Name]
			if !known {
				k = len(out)
				at[s.Name], out = k, append(out, nil)
			}
			out[k] = append(out[k], sourceAt{s, j})
		}
	}
	return out
}

// jobs is how many jobs have the source.
func (s sourcesAt) jobs() int {
	seen := map[*Job]bool{}
	for _, one := range s {
		seen[one.job] = true
	}
	return len(seen)
}
