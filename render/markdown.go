package render

import (
	"bytes"
	"fmt"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// markdownEscape makes foreign text plain in GitHub's Markdown, tables and mentions included.
var markdownEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`, "|", `\|`, "~", `\~`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;",
)

func md(s string) string { return markdownEscape.Replace(Clean(s)) }

// mdShort is md of a name cut in the middle.
func mdShort(s string) string { return markdownEscape.Replace(Short(s, 80)) }

func writeMarkdown(b *bytes.Buffer, r *analyze.Report) error {
	fmt.Fprintf(b, "# Event time: %s\n\n%s.\n", strings.ToUpper(string(worst(r))), md(readLine(r)))
	if len(r.Jobs) != 1 {
		fmt.Fprintf(b, "\n%s.\n\n| verdict | job | findings |\n|---|---|---|\n", countsText(r))
		for _, j := range byVerdict(r) {
			fmt.Fprintf(b, "| %s | %s | %s |\n", md(string(j.Verdict)), mdShort(j.Name), md(codesText(j)))
		}
	}
	for _, j := range byVerdict(r) {
		mdJob(b, j)
	}
	mdNotChecked(b, "## Not checked of the cluster", r.NotChecked)
	return nil
}

func mdJob(b *bytes.Buffer, j *analyze.JobReport) {
	short := shortener(j)
	esc := func(s string) string { return markdownEscape.Replace(short(s)) }
	fmt.Fprintf(b, "\n## %s: %s\n\n%s (%s).\n", mdShort(j.Name), strings.ToUpper(md(string(j.Verdict))), esc(headline(j)), md(sampleText(j)))
	for i := range j.Findings {
		mdFinding(b, &j.Findings[i], short, esc)
	}
	if len(j.Vertices) > 0 {
		b.WriteString("\n| # | vertex | event time (UTC) | lag | moves | reads | held by | lag is made of |\n|---|---|---|---|---|---|---|---|\n")
		for _, n := range ordered(j) {
			held := n.HeldBy
			if held == "" {
				held = strings.Join(n.codes, ", ")
			}
			from := strings.Trim(strings.ReplaceAll(fmt.Sprint(n.from), " ", ", "), "[]")
			fmt.Fprintf(b, "| %d | %s x%d | %s | %s | %s | %s | %s | %s |\n", n.number, mdShort(n.Name), n.Parallelism,
				watermarkText(n.Min, 0), lagText(n.LagMs), movingText(n.Moving), from, esc(held), md(n.budgetText()))
		}
	}
	mdNotChecked(b, "### Not checked", j.NotChecked)
}

func mdFinding(b *bytes.Buffer, f *catalog.Finding, short, esc func(string) string) {
	fmt.Fprintf(b, "\n### %s %s: %s\n\n%s\n\n", strings.ToUpper(md(string(f.Severity))), md(f.Code), esc(f.Title),
		markdownEscape.Replace(sentence(f, short)))
	fmt.Fprintf(b, "- cause: %s\n", md(strings.Join(traits(f), ", ")))
	if names := heldBack(f, 80); names != "" {
		fmt.Fprintf(b, "- holds back: %s\n", md(names))
	}
	for _, e := range f.Evidence {
		fmt.Fprintf(b, "- evidence: %s\n", md(evidenceText(e, short)))
	}
	mdCode(b, "DataStream", "java", f.Fix.DataStream)
	mdCode(b, "SQL", "sql", f.Fix.SQL)
}

func mdNotChecked(b *bytes.Buffer, title string, list []catalog.NotChecked) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", title)
	for _, n := range list {
		fmt.Fprintf(b, "- %s: %s\n", md(n.Code), md(clip(Clean(n.Reason), 400)))
	}
}

// mdCode fences code with more backticks than it holds in a row.
func mdCode(b *bytes.Buffer, title, language, code string) {
	if strings.TrimSpace(code) == "" {
		return
	}
	body := strings.Join(cleanLines(code), "\n")
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	fmt.Fprintf(b, "\n%s:\n\n%s%s\n%s\n%s\n", title, fence, language, body, fence)
}
