package render

import (
	"fmt"
	"strconv"
	"strings"

	"tidemark/analyze/catalog"
)

// finding writes one finding: the sentence, what it rests on, what to do.
func (x *text) finding(f *catalog.Finding, short func(string) string) {
	x.labelled(string(f.Severity), sentence(f, short))
	x.field("cause", strings.Join(traits(f), ", "))
	if names := heldBack(f, 40); names != "" {
		x.field("holds back", names)
	}
	for i, e := range f.Evidence {
		label := ""
		if i == 0 {
			label = "evidence"
		}
		x.field(label, evidenceText(e, short))
	}
	if x.fixes[f.Fix] && f.Fix.DataStream+f.Fix.SQL != "" {
		x.field("code", "the same as above")
		return
	}
	x.fixes[f.Fix] = true
	x.code("DataStream", f.Fix.DataStream)
	x.code("SQL", f.Fix.SQL)
}

// sentence is the finding by the message grammar: subject, what, who holds it, since when, next
// step, code.
func sentence(f *catalog.Finding, short func(string) string) string {
	parts := []string{short(strings.TrimSpace(f.Summary))}
	if next := strings.TrimSpace(f.Fix.Text); next != "" && !strings.Contains(f.Summary, next) {
		parts = append(parts, short(next))
	}
	for i, p := range parts {
		if !strings.ContainsAny(p[max(0, len(p)-1):], ".!?") {
			parts[i] = p + "."
		}
	}
	return strings.Join(parts, " ") + " [" + Short(f.Code, 12) + "]"
}

// traits are the small facts about a finding.
func traits(f *catalog.Finding) []string {
	t := []string{Short(f.Cause, 40), Clean(string(f.Confidence))}
	if f.SinceMs != nil {
		t = append(t, "for "+Duration(*f.SinceMs))
	}
	if f.Latent {
		t = append(t, "latent: not yet what holds event time")
	}
	if f.Issue != "" {
		t = append(t, Short(f.Issue, 16))
	}
	return t
}

// heldBack names the vertices that only inherit the fault, at most six.
func heldBack(f *catalog.Finding, max int) string {
	const most = 6
	var names []string
	for i, v := range f.HeldBack {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(f.HeldBack)-most))
			break
		}
		names = append(names, vertexName(v.Name, max))
	}
	return strings.Join(names, "; ")
}

func evidenceText(e catalog.Evidence, short func(string) string) string {
	s := ""
	if e.Subject != "" {
		s = clip(short(e.Subject), 120) + ": "
	}
	return s + Short(e.Metric, 60) + " = " + gaugeText(e.Metric, e.Value)
}

// gaugeText is valueText with what a bare number of this gauge means.
func gaugeText(metric, value string) string {
	text := valueText(value)
	last := value[strings.LastIndex(value, " ")+1:]
	if _, err := strconv.ParseInt(last, 10, 64); err != nil {
		return text
	}
	switch {
	case metric == "currentOffset" && last == "-1":
		return text + " (no record read)"
	case strings.HasSuffix(metric, "Lag"), strings.HasSuffix(metric, "IdleTime"), strings.HasSuffix(metric, "Drift"):
		return strings.TrimSuffix(text, ", unchanged") + " ms" + strings.Repeat(", unchanged", strings.Count(text, ", unchanged"))
	}
	return text
}

// valueText puts the sentinels of a gauge into words and says when two samples are alike; a value is
// foreign text like any other.
func valueText(v string) string {
	if before, after, two := strings.Cut(v, " -> "); two && before == after {
		return valueText(after) + ", unchanged"
	}
	switch v {
	case "-9223372036854775808":
		return "none (never emitted)"
	case "9223372036854775807":
		return "end of input"
	case "":
		return "nothing"
	}
	return clip(Clean(v), 200)
}

const fieldWidth = 12

// field writes a label and clean text beside it.
func (x *text) field(label, value string) {
	if value == "" {
		return
	}
	prefix := "  " + pad(label, fieldWidth)
	lines := wrap(value, x.width-len(prefix))
	lines[0] = strings.TrimRight(lines[0], " ")
	fmt.Fprint(x.w, indent(prefix, lines))
}

// code writes a fix so that it can be copied.
func (x *text) code(label, source string) {
	if strings.TrimSpace(source) == "" {
		return
	}
	x.line("  " + label)
	for _, l := range cleanLines(source) {
		for _, part := range wrapCode(l, x.width-4) {
			x.line(strings.TrimRight("    "+part, " "))
		}
	}
}
