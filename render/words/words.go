// Package words writes the facts of a report for people, in the same words in every format.
package words

import (
	"fmt"
	"strconv"
	"strings"

	"tidemark/analyze/catalog"

	"tidemark/internal/units"
	"tidemark/render/safe"
)

// Plural is a count with its noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return units.Count(n) + " " + many
}

// Sentences ends each part with a full stop and joins them; short cleans a part.
func Sentences(parts []string, short func(string) string) string {
	for i, p := range parts {
		p = short(strings.TrimSpace(p))
		if !strings.ContainsAny(p[max(0, len(p)-1):], ".!?") {
			p += "."
		}
		parts[i] = p
	}
	return strings.Join(parts, " ")
}

// Clock writes a time, epoch ms with 0 for unknown.
func Clock(ms int64) string {
	if ms == 0 {
		return "at an unknown time"
	}
	return units.DayClock(ms) + " UTC"
}

// Evidence writes one reading: of what, which gauge, its value.
func Evidence(e catalog.Evidence, short func(string) string) string {
	s := ""
	if e.Subject != "" {
		s = safe.Clip(short(e.Subject), 120) + ": "
	}
	return s + safe.Short(e.Metric, 60) + " = " + Value(e)
}

// Value is the value of a reading, in words.
func Value(e catalog.Evidence) string { return gaugeText(e.Metric, e.Value) }

// gaugeText is valueText, with the unit or meaning of a number of this gauge.
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

// valueText puts the sentinels of a gauge into words and says when two samples are equal; the value is foreign text.
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
	return safe.Clip(safe.Clean(v), 200)
}
