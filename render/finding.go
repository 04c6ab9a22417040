package render

import (
	"strconv"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// findingHeading names a finding where no headline does.
func findingHeading(f *catalog.Finding, short func(string) string) doc.Heading {
	return doc.Heading{Level: 3, Label: words.Label(string(f.Severity)), Text: short(f.Title)}
}

// findingBlocks write a finding: what is wrong, what to do, and folded the evidence. now is the clock of the report,
// epoch ms; shown are the fixes that were written already.
func findingBlocks(f *catalog.Finding, now int64, sql bool, short func(string) string, shown map[catalog.Fix]bool) []doc.Block {
	out := []doc.Block{doc.Paragraph{Text: what(f, now, short), More: f.Page}}
	own, other := codeOf(f.Fix, sql)
	switch todo := strings.TrimSpace(f.Fix.Text); {
	case todo == "" && len(own)+len(other) == 0:
	case shown[f.Fix]:
		out = append(out, doc.Paragraph{Text: "What to do: the same as above."})
		other = nil
	default:
		if todo != "" {
			out = append(out, doc.Paragraph{Text: "What to do: " + words.Sentences([]string{todo}, short)})
		}
		out = append(out, own...)
	}
	shown[f.Fix] = true
	out = append(out, doc.Folded{Title: "evidence", Blocks: evidenceBlocks(f, short)})
	if len(other) > 0 {
		title := "the same in SQL"
		if sql {
			title = "the same in DataStream"
		}
		out = append(out, doc.Folded{Title: title, Blocks: other})
	}
	return out
}

// what is the finding in a paragraph, with its code, and with the time of day when it began: by that one looks for
// what else happened then.
func what(f *catalog.Finding, now int64, short func(string) string) string {
	parts := []string{f.Summary}
	if strings.TrimSpace(f.Summary) == "" {
		parts[0] = f.Title
	}
	if f.BeganMs > 0 {
		about := ""
		if f.Confidence != catalog.Certain {
			about = "about "
		}
		parts = append(parts, "Since "+about+units.ClockSeenFrom(f.BeganMs, now)+" UTC")
	}
	return words.Sentences(append(parts, f.Notes...), short) + " " + codeTag(f)
}

// codeOf is the code of a fix in the dialect of the job, and in the other one. A fix in one dialect only counts as the
// own.
func codeOf(f catalog.Fix, sql bool) (own, other []doc.Block) {
	all := words.Code(f)
	if len(all) < 2 {
		return all, nil
	}
	if sql {
		return all[1:], all[:1]
	}
	return all[:1], all[1:]
}

func evidenceBlocks(f *catalog.Finding, short func(string) string) []doc.Block {
	p := doc.Pairs{{Name: "cause", Values: []string{strings.Join(traits(f), ", ")}}}
	if len(f.HeldBack) > 0 {
		p = append(p, doc.Pair{Name: "holds back", Values: []string{heldBack(f)}})
	}
	var lines []string
	for _, e := range f.Evidence {
		lines = append(lines, words.Evidence(e, short))
	}
	if len(lines) > 0 {
		p = append(p, doc.Pair{Name: "evidence", Values: lines})
	}
	return []doc.Block{p}
}

// traits are the small facts about a finding.
func traits(f *catalog.Finding) []string {
	t := []string{safe.Short(f.Cause, 40), string(f.Confidence)}
	if f.SinceMs != nil {
		t = append(t, "for "+units.Duration(*f.SinceMs))
	}
	if f.Latent {
		t = append(t, "latent: it does not hold the watermark yet")
	}
	if f.Issue != "" {
		t = append(t, safe.Short(f.Issue, 16))
	}
	return t
}

// heldBack names the vertices whose watermark the fault holds.
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

// shortener cleans prose and shortens the names of the job in it: in SQL plans they have hundreds of characters.
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
	replace := strings.NewReplacer(append(pairs, model.DefaultPath, "")...)
	return func(s string) string { return safe.Clip(replace.Replace(safe.Clean(s)), 900) }
}

// codeTag is the code of a finding, and how sure it is where it is not certain.
func codeTag(f *catalog.Finding) string {
	tag := safe.Short(f.Code, 12)
	if f.Confidence != "" && f.Confidence != catalog.Certain {
		tag += ", " + safe.Short(string(f.Confidence), 12)
	}
	return "[" + tag + "]"
}
