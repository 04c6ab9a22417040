package render

import (
	"strconv"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// finding adds one finding: the sentence, what it rests on, what to do. shown is the code that stands
// above already.
func finding(d *doc.Document, job string, f *catalog.Finding, short func(string) string, shown map[catalog.Fix]bool) {
	d.Add(doc.Heading{Level: 3, Label: words.Label(string(f.Severity)), Text: safe.Short(f.Code, 12) + ": " + short(f.Title), Lead: sentence(f, short)})
	p := doc.Pairs{{Name: "cause", Values: []string{strings.Join(traits(f), ", ")}}}
	if len(f.HeldBack) > 0 {
		p = append(p, doc.Pair{Name: "holds back", Values: []string{heldBack(f)}})
	}
	if len(f.Try) > 0 {
		p = append(p, doc.Pair{Name: "try it", Values: []string{tryCommand(job, f.Try)}})
	}
	d.Add(words.Facts(p, f.Evidence, f.Fix, short, shown)...)
}

// sentence is the finding by the message grammar: subject, what, who holds it, since when, next
// step, code.
func sentence(f *catalog.Finding, short func(string) string) string {
	parts := []string{f.Summary}
	if next := strings.TrimSpace(f.Fix.Text); !strings.Contains(f.Summary, next) {
		parts = append(parts, next)
	}
	return words.Sentences(parts, short) + " [" + safe.Short(f.Code, 12) + "]"
}

// traits are the small facts about a finding.
func traits(f *catalog.Finding) []string {
	t := []string{safe.Short(f.Cause, 40), string(f.Confidence)}
	if f.SinceMs != nil {
		t = append(t, "for "+units.Duration(*f.SinceMs))
	}
	if f.Latent {
		t = append(t, "latent: not yet what holds event time")
	}
	if f.Issue != "" {
		t = append(t, safe.Short(f.Issue, 16))
	}
	return t
}

// heldBack names the vertices that only inherit the fault.
func heldBack(f *catalog.Finding) string {
	var names []string
	for _, v := range f.HeldBack {
		names = append(names, safe.Name(v.Name, 40))
	}
	const most = 6
	if n := len(names) - most; n > 0 {
		names = append(names[:most], "and "+strconv.Itoa(n)+" more")
	}
	return strings.Join(names, "; ")
}

// shortener cleans prose and shortens the long names of the job in it, which SQL plans make
// hundreds of characters long.
func shortener(j *analyze.JobReport) func(string) string {
	const longest = 44
	var pairs []string
	add := func(name string) {
		if short := safe.Name(name, longest); short != name {
			pairs = append(pairs, safe.Clean(name), short)
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
	replace := strings.NewReplacer(append(pairs, safe.DefaultPath, "")...)
	return func(s string) string { return safe.Clip(replace.Replace(safe.Clean(s)), 900) }
}
