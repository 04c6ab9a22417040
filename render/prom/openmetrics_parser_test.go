package prom

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// parsedSeries is one line of an exposition: the labels in the order written, and the value.
type parsedSeries struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	metaLine   = regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)`)
)

// parseExposition reads an exposition as specified and refuses everything else: samples without a type before them,
// families in pieces, series or labels twice, unknown escapes, invalid numbers.
func parseExposition(text string, open bool) ([]parsedSeries, error) {
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) {
		return nil, fmt.Errorf("no line feed at the end, or no UTF-8")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if open {
		if lines[len(lines)-1] != "# EOF" {
			return nil, fmt.Errorf("no # EOF")
		}
		lines = lines[:len(lines)-1]
	}
	var out []parsedSeries
	types, seen, current := map[string]string{}, map[string]bool{}, ""
	for i, line := range lines {
		if m := metaLine.FindStringSubmatch(line); m != nil {
			if _, again := types[m[2]]; m[1] == "TYPE" && again || m[1] == "HELP" && m[2] == current {
				return nil, fmt.Errorf("line %d: family %s is there twice", i+1, m[2])
			}
			if current = m[2]; m[1] == "TYPE" {
				types[current] = m[3]
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d: %q", i+1, line)
		}
		wanted := current
		if open && types[current] == "counter" {
			wanted += "_total"
		}
		if m[1] != wanted || types[current] == "" {
			return nil, fmt.Errorf("line %d: %s does not belong to family %s", i+1, m[1], current)
		}
		if seen[m[1]+m[2]] {
			return nil, fmt.Errorf("line %d: series is there twice: %s", i+1, line)
		}
		seen[m[1]+m[2]] = true
		labels, err := parseLabels(m[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, parsedSeries{m[1], labels, value})
	}
	return out, nil
}

func parseLabels(text string) (map[string]string, error) {
	labels := map[string]string{}
	for rest := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"); rest != ""; {
		m := labelPair.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("labels %q", rest)
		}
		if _, again := labels[m[1]]; again {
			return nil, fmt.Errorf("label %s is there twice", m[1])
		}
		labels[m[1]] = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(m[2])
		rest = rest[len(m[0]):]
	}
	return labels, nil
}

func TestTheParserOfTheseTestsRefuses(t *testing.T) {
	for _, bad := range []string{
		"a 1\n", "# TYPE a gauge\nb 1\n", "# TYPE a gauge\na 1\na 1\n", "# TYPE a gauge\na{x=\"1\",x=\"2\"} 1\n",
		"# TYPE a gauge\na{x=\"\\q\"} 1\n", "# TYPE a gauge\na{x=\"\"\"} 1\n", "# TYPE a gauge\na one\n", "# TYPE a gauge\na 1", "# TYPE a gauge\n# TYPE a gauge\n",
	} {
		if _, err := parseExposition(bad, false); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
	if _, err := parseExposition("# TYPE a counter\na 1\n# EOF\n", true); err == nil {
		t.Error("a counter without _total passes")
	}
}
