package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

//go:embed report.html.tmpl
var htmlSource string

// htmlJob is a job with its vertices in drawing order.
type htmlJob struct {
	*analyze.JobReport
	Nodes []htmlNode
	short func(string) string
}

type htmlNode struct {
	Number                       int
	Name, Time, Lag, Moves, Held string
	Parallelism                  int
	Known                        bool
}

// writeHTML writes one page that needs nothing from elsewhere. The template is parsed only here, as
// most runs never need it.
func writeHTML(b *bytes.Buffer, r *analyze.Report) error {
	tmpl, err := template.New("report").Funcs(template.FuncMap{
		"clean": Clean, "upper": strings.ToUpper,
		"name":   func(s string) string { return Short(s, 120) },
		"str":    func(v any) string { return Clean(fmt.Sprint(v)) },
		"code":   func(s string) string { return strings.Join(cleanLines(s), "\n") },
		"value":  valueText,
		"traits": func(f catalog.Finding) string { return strings.Join(traits(&f), ", ") },
		"held":   func(f catalog.Finding) string { return heldBack(&f, 80) },
		"head":   func(j htmlJob) string { return j.short(headline(j.JobReport)) },
		"sample": func(j htmlJob) string { return sampleText(j.JobReport) },
		"sentence": func(f catalog.Finding, j htmlJob) string {
			return sentence(&f, j.short)
		},
		"codes": func(j htmlJob) string { return codesText(j.JobReport) },
	}).Parse(htmlSource)
	if err != nil {
		return err
	}
	page := struct {
		*analyze.Report
		Worst, Read, Counts string
		Pages               []htmlJob
	}{Report: r, Worst: string(worst(r)), Read: readLine(r), Counts: countsText(r)}
	for _, j := range byVerdict(r) {
		page.Pages = append(page.Pages, htmlJob{j, htmlNodes(j), shortener(j)})
	}
	return tmpl.Execute(b, page)
}

func htmlNodes(j *analyze.JobReport) []htmlNode {
	var out []htmlNode
	for _, n := range ordered(j) {
		out = append(out, htmlNode{
			Number: n.number, Name: Short(n.Name, 120), Parallelism: n.Parallelism,
			Time: watermarkText(n.Min, 0), Lag: lagText(n.LagMs), Moves: movingText(n.Moving),
			Held: strings.Join(n.notes(), "; "), Known: n.Min.IsKnown(),
		})
	}
	return out
}
