package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/policy"
)

// summaryLimit is what the Markdown of a run may measure in bytes: GitHub drops a step summary above
// 1 MiB whole, and other steps of the job may write to theirs.
const summaryLimit = 1_000_000

// writeCheckMarkdown writes a table a subject, failures first, and what to do below it. What does
// not fit into a step summary is counted, never cut in the middle.
func writeCheckMarkdown(b *bytes.Buffer, run *policy.Run, o Options) {
	fmt.Fprintf(b, "# tidemark check: %s\n\n%s: %s.\n\n%s.\n", strings.ToUpper(md(Short(string(run.Outcome), 20))),
		mdShort(policyName(run, o)), md(outcomeLine(run)), md(sourcesText(run)))
	if reasons := incompleteReasons(run); len(reasons) > 0 {
		b.WriteString("\n## Incomplete\n\n")
		for _, reason := range reasons {
			fmt.Fprintf(b, "- %s\n", md(clip(Clean(reason), 400)))
		}
	}
	end := "\n" + md(countsLine(run)) + ".\n"
	room := summaryLimit - b.Len() - len(end) - 200 // for the line about what is left out
	left, shown := 0, map[string]bool{}
	for _, g := range checkGroups(run) {
		section, dropped := mdCheckGroup(run, g, o, room, shown)
		b.WriteString(section)
		room -= len(section)
		left += dropped
	}
	if left > 0 {
		fmt.Fprintf(b, "\n%s left out to stay below the size of a step summary; the other formats have them.\n", plural(left, "result is", "results are"))
	}
	b.WriteString(end)
}

// mdCheckGroup is the section of a subject in at most room bytes, and how many results it has no
// room for. shown is the code that stands in the document already.
func mdCheckGroup(run *policy.Run, g *checkGroup, o Options, room int, shown map[string]bool) (string, int) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", markdownEscape.Replace(g.title(80)))
	var passed []string
	rows, dropped := 0, 0
	for _, r := range slices.Concat(g.failed(), g.with(policy.Suppressed), g.with(policy.Skipped)) {
		row := mdCheckRow(run, r, o)
		if rows == 0 {
			row = "\n| result | severity | check | where | what |\n|---|---|---|---|---|\n" + row
		}
		if b.Len()+len(row) > room {
			dropped++
			continue
		}
		b.WriteString(row)
		rows++
	}
	for _, r := range g.with(policy.Passed) {
		passed = append(passed, md(checkName(r)))
	}
	if len(passed) > 0 {
		line := fmt.Sprintf("\n%d passed: %s.\n", len(passed), strings.Join(passed, ", "))
		if b.Len()+len(line) > room {
			line = fmt.Sprintf("\n%d passed.\n", len(passed))
		}
		b.WriteString(line)
	}
	for _, code := range mdCheckFixes(g, shown) {
		if b.Len()+len(code) <= room {
			b.WriteString(code)
		}
	}
	if b.Len() > room {
		return "", len(g.results)
	}
	return b.String(), dropped
}

func mdCheckRow(run *policy.Run, r *policy.Result, o Options) string {
	result, severity := md(string(r.Status)), md(Short(string(r.Severity), 20))
	what := md(checkSentence(r, false))
	if part := subjectPart(r.Subject, longestName); part != "" {
		what = md(part) + ": " + what
	}
	switch r.Status {
	case policy.Failed:
		result = "**FAILED**"
		if !counts(run, r) {
			result = "failed, below --fail-on"
		}
	case policy.Suppressed:
		what = md(strings.TrimSuffix(suppressedText(r), ".")) + ". Hides: " + what
	case policy.Skipped:
		what, severity = md(skippedText(r)), ""
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", result, severity, md(checkName(r)), md(placeText(located(run, r.Location, o))), what)
}

// mdCheckFixes are the pieces of code that mend what failed, each once in a document.
func mdCheckFixes(g *checkGroup, shown map[string]bool) []string {
	var out []string
	for _, r := range g.failed() {
		var b bytes.Buffer
		mdCode(&b, "DataStream", "java", r.Fix.DataStream)
		mdCode(&b, "SQL", "sql", r.Fix.SQL)
		if b.Len() == 0 || shown[b.String()] {
			continue
		}
		shown[b.String()] = true
		out = append(out, fmt.Sprintf("\nTo mend %s:\n%s", md(checkName(r)), b.String()))
	}
	return out
}
