package doc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/render/safe"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want []string
	}{
		{"", 10, nil},
		{"one two three", 8, []string{"one two", "three"}},
		{"  spaces   vanish ", 20, []string{"spaces vanish"}},
		{"averyveryverylongword x", 10, []string{"averyv…ord", "x"}},
	} {
		if d := cmp.Diff(c.want, wrap(c.in, c.max)); d != "" {
			t.Errorf("wrap(%q, %d): %s", c.in, c.max, d)
		}
	}
}

func TestWrapKeepsCodeWhole(t *testing.T) {
	squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	property.Check(t, func(t *rapid.T) {
		s := safe.Clean(rapid.StringMatching(`( {0,12})([a-zA-Z.(),'=長]{1,90} ?){0,6}`).Draw(t, "code"))
		max := rapid.IntRange(30, 80).Draw(t, "max")
		lines := wrapCode(s, max)
		for _, l := range lines {
			if safe.Width(l) > max {
				t.Fatalf("%q is %d cells, more than %d", l, safe.Width(l), max)
			}
		}
		if squeeze(strings.Join(lines, "")) != squeeze(s) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}

func TestWrapCode(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"short", []string{"short"}},
		{"  SET 'table.exec.source.idle-timeout' = '60 s';", []string{"  SET 'table.exec.source.idle-timeout' =", "      '60 s';"}},
		{"intervalJoined.sideOutputLeftLateData(a).sideOutputRightLateData(b);", []string{"intervalJoined.sideOutputLeftLateData(a)", "    .sideOutputRightLateData(b);"}},
		{"  s.monotonous().within(Duration.ofSeconds(10)),", []string{"  s.monotonous().within(", "      Duration.ofSeconds(10)),"}},
		{"s.withIdleness(Duration.ofMinutes(1))   // not .assignTimestampsAndWatermarks(s) later", []string{"s.withIdleness(Duration.ofMinutes(1))", "// not .assignTimestampsAndWatermarks(s)", "// later"}},
		{"  -- a comment that is longer than one line of it", []string{"  -- a comment that is longer than one", "  -- line of it"}},
		{"WITH ('scan.watermark.idle-timeout' = '1 min 30 s', …)", []string{"WITH ('scan.watermark.idle-timeout' =", "    '1 min 30 s', …)"}},
		{strings.Repeat("x", 50), []string{strings.Repeat("x", 40), "    " + strings.Repeat("x", 10)}},
	} {
		if d := cmp.Diff(c.want, wrapCode(c.in, 40)); d != "" {
			t.Errorf("%q: %s", c.in, d)
		}
	}
}

func TestIndent(t *testing.T) {
	if got := indent("- ", []string{"a", "b"}); got != "- a\n  b\n" {
		t.Errorf("got %q", got)
	}
	if got := indent("- ", nil); got != "" {
		t.Errorf("got %q", got)
	}
}
