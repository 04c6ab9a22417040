package render

import (
	"fmt"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/timeline"
	"tidemark/render/words"
)

// mostOpen is how many jobs of a page are open when it is loaded.
const mostOpen = 3

// triagePage is the page of a report. Each job has what is wrong and where, its graph, what to do, and the evidence,
// folded.
func triagePage(r *analyze.Report) *doc.Document {
	d := newTriage(r)
	jobs := byVerdict(r)
	if len(jobs) == 1 {
		short := shortener(jobs[0])
		h := jobHeading(jobs[0], jobs[0].Label(), 1, short)
		h.Facts = append(readFacts(r), h.Facts...)
		d.Add(h)
		d.Add(jobPage(jobs[0], r, short)...)
	}
	if len(jobs) > 1 {
		d.Add(jobTable(jobs), doc.Heading{Level: 2, Text: "Job by job"})
		open := 0
		for i, j := range jobs {
			if !needsPart(j) {
				continue
			}
			short := shortener(j)
			h := jobHeading(j, j.Label(), 3, short)
			f := doc.Folded{Title: h.Text, Note: h.Lead, Label: h.Label, Open: open < mostOpen && j.Verdict != analyze.VerdictInfo}
			open++
			f.Blocks = append([]doc.Block{doc.Paragraph{Text: strings.Join(h.Facts, ", "), Dim: true, ID: jobID(i)}}, jobPage(j, r, short)...)
			d.Add(f)
		}
	}
	notChecked(d, 2, "Not checked of the cluster", r.NotChecked)
	return d
}

// jobPage is a job below its headline.
func jobPage(j *analyze.JobReport, r *analyze.Report, short func(string) string) []doc.Block {
	var out []doc.Block
	now := r.CapturedMs
	first := len(j.Findings) > 0 && j.Findings[0].Title == j.Headline
	if first {
		out = append(out, doc.Paragraph{Text: what(&j.Findings[0], now, short), More: j.Findings[0].Page})
	}
	if j.Verdict == analyze.VerdictIncomplete {
		if p := notCheckedPairs(j.NotChecked); len(p) > 0 {
			out = append(out, doc.Heading{Level: 2, Text: "Not checked"}, p)
		}
	}
	if len(j.Vertices) > 0 {
		out = append(out, jobGraph(j, now))
	}
	var went doc.Document
	timeline.Add(&went, 3, timelineID(j), j.Timeline)
	usual(&went, j.Usual)
	out = append(out, went.Blocks...)
	shown := map[catalog.Fix]bool{}
	if first {
		cards := fixCards(&j.Findings[0], j.SQL, short)
		for _, b := range next(j, r, toFix(j)) {
			cards = append(cards, doc.Card{Title: "Then, in a terminal", Blocks: []doc.Block{doc.Code{Text: b.(doc.Code).Text}}})
		}
		if len(cards) > 0 {
			out = append(out, doc.Heading{Level: 2, Text: "What to do"}, cards)
		}
		shown[j.Findings[0].Fix] = true
	}
	others := j.Findings
	if first {
		others = others[1:]
	}
	if len(others) > 0 {
		title := "Also found"
		if !first {
			title = "Found"
		}
		out = append(out, doc.Heading{Level: 2, Text: title})
	}
	for i := range others {
		f := &others[i]
		out = append(out, findingHeading(f, short), doc.Paragraph{Text: what(f, now, short), More: f.Page})
		if shown[f.Fix] {
			continue
		}
		if f.Severity == catalog.Info { // nothing has to be done: one line, and the code folded
			if f.Fix.Text != "" {
				out = append(out, doc.Paragraph{Text: "What to do: " + words.Sentences([]string{f.Fix.Text}, short)})
			}
			if own, other := codeOf(f.Fix, j.SQL); len(own) > 0 {
				out = append(out, doc.Folded{Title: "Code", Blocks: append(own, other...)})
			}
		} else if cards := fixCards(f, j.SQL, short); len(cards) > 0 {
			out = append(out, cards)
		}
		shown[f.Fix] = true
	}
	out = append(out, acknowledged(j, now, short)...)
	return append(out, forTheRecord(j, now, short)...)
}

// fixCards are what to do about a finding, with code to copy.
func fixCards(f *catalog.Finding, sql bool, short func(string) string) doc.Cards {
	own, other := codeOf(f.Fix, sql)
	todo := strings.TrimSpace(f.Fix.Text)
	if todo == "" && len(own) == 0 {
		return nil
	}
	first := doc.Card{Title: "Do this"}
	if todo != "" {
		first.Blocks = append(first.Blocks, doc.Paragraph{Text: words.Sentences([]string{todo}, short)})
	}
	cards := doc.Cards{first}
	for i, c := range append(own, other...) {
		code := c.(doc.Code)
		card := doc.Card{Title: "In " + code.Title, Blocks: []doc.Block{doc.Code{Language: code.Language, Text: code.Text}}}
		if i > 0 {
			cards[len(cards)-1].Blocks = append(cards[len(cards)-1].Blocks, doc.Folded{Title: card.Title, Blocks: card.Blocks})
			continue
		}
		cards = append(cards, card)
	}
	return cards
}

// forTheRecord is the evidence, folded.
func forTheRecord(j *analyze.JobReport, now int64, short func(string) string) []doc.Block {
	var out []doc.Block
	readings := doc.Table{Columns: []doc.Column{{Name: "what", Cut: true}, {Name: "reading"}, {Name: "value"}, {Name: "at (UTC)"}}}
	var how doc.Pairs
	told := map[string]bool{}
	for i := range j.Findings {
		f := &j.Findings[i]
		for _, e := range f.Evidence {
			readings.Rows = append(readings.Rows, doc.Row{Cells: doc.Cells(short(e.Subject), safe.Short(e.Metric, 60), words.Value(e), clockPart(e.At))})
		}
		if c, ok := catalog.FindCheck(f.Code); ok && !told[f.Code] {
			told[f.Code] = true
			how = append(how, doc.Pair{Name: c.Code + " " + c.Cause, Values: []string{strings.Join(traits(f)[1:], ", ") + ". " + c.Why}})
		}
	}
	if n := len(readings.Rows); n > 0 {
		out = append(out, doc.Folded{Title: "Evidence", Note: words.Plural(n, "reading", "readings"), Blocks: []doc.Block{readings}})
	}
	if len(how) > 0 {
		out = append(out, doc.Folded{Title: "How it is distinguished", Blocks: []doc.Block{how}})
	}
	if nodes := ordered(j); len(nodes) > 0 {
		blocks := []doc.Block{vertexTable(nodes, now)}
		if p := sums(nodes); len(p) > 0 {
			blocks = append(blocks, doc.Heading{Level: 3, Text: "What each lag is made of"}, p)
		}
		out = append(out, doc.Folded{Title: "Vertices", Note: fmt.Sprintf("%d, with watermark and lag", len(nodes)), Blocks: blocks})
	}
	if j.Verdict != analyze.VerdictIncomplete {
		if p := notCheckedPairs(j.NotChecked); len(p) > 0 {
			out = append(out, doc.Folded{Title: "Not checked", Note: fmt.Sprint(len(p)), Blocks: []doc.Block{p}})
		} else {
			out = append(out, doc.Folded{Title: "Not checked", Note: "nothing", Blocks: []doc.Block{doc.Paragraph{Text: "Every answer that a verdict needs was received."}}})
		}
	}
	if len(out) > 0 {
		out = append([]doc.Block{doc.Heading{Level: 2, Text: "For the record"}}, out...)
	}
	return out
}

// clockPart is the time of day of an RFC 3339 time, without a zone.
func clockPart(at string) string {
	if _, clock, ok := strings.Cut(at, "T"); ok {
		return safe.Short(strings.TrimSuffix(clock, "Z"), 20)
	}
	return safe.Short(at, 30)
}
