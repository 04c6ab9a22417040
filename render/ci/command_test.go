package ci

import (
	"strings"
	"testing"

	"tidemark/render/safe"
)

// buildCommand is what a build would run.
type buildCommand struct {
	name       string
	properties map[string]string
	data       string
}

// buildCommands reads a log as GitHub's runner does: a line that starts with :: after blanks, else ##[ anywhere. Any name
// counts as a registered command. Azure's ##vso[ is found too.
func buildCommands(log string) []buildCommand {
	var out []buildCommand
	for _, line := range strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if c, ok := commandOfLine(line); ok {
			out = append(out, c)
		}
	}
	return out
}

func commandOfLine(line string) (buildCommand, bool) {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::"); ok {
		if head, data, ok := strings.Cut(rest, "::"); ok {
			name, properties, _ := strings.Cut(head, " ")
			c := buildCommand{name, map[string]string{}, unescape(data)}
			for _, p := range strings.Split(properties, ",") {
				if key, value, ok := strings.Cut(p, "="); ok {
					c.properties[key] = strings.NewReplacer("%3A", ":", "%2C", ",").Replace(unescape(value))
				}
			}
			return c, true
		}
	}
	for _, mark := range []string{"##[", "##vso["} {
		if _, rest, ok := strings.Cut(line, mark); ok && strings.Contains(rest, "]") {
			name, data, _ := strings.Cut(rest, "]")
			return buildCommand{mark + name, nil, data}, true
		}
	}
	return buildCommand{}, false
}

func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(s)
}

func TestDefuse(t *testing.T) {
	for in, want := range map[string]string{
		"plain: a::b":                     "plain: a::b",
		"::error::x":                      `\x3a:error::x`,
		"  \t::error::x":                  "  \t" + `\x3a:error::x`,
		"\x1b[2m::error::x\x1b[0m":        "\x1b[2m" + `\x3a:error::x` + "\x1b[0m",
		"a\n::b::c\nd":                    "a\n" + `\x3a:b::c` + "\nd",
		"see ##[error]x":                  `see \x23#[error]x`,
		"####[x]":                         `##\x23#[x]`,
		"##vso[task.x]":                   `\x23#vso[task.x]`,
		"## heading [x] and C# and ##vso": "## heading [x] and C# and ##vso",
	} {
		got := string(safe.Defuse([]byte(in)))
		if got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
		if len(buildCommands(got)) > 0 {
			t.Errorf("%q is still a command", got)
		}
		if again := string(safe.Defuse([]byte(got))); again != got {
			t.Errorf("twice makes %q of %q", again, got)
		}
	}
}

func TestCleanTextStartsNoCommandWhereverItIsBroken(t *testing.T) {
	for in, want := range map[string]string{
		"::error::x":            `\x3a:error::x`,
		"a ::b::c d":            `a \x3a:b::c d`,
		"Foo::bar and a::b":     "Foo::bar and a::b",
		"x ##[error]y ##vso[z]": `x \x23#[error]y \x23#vso[z]`,
	} {
		got := safe.Clean(in)
		if got != want || safe.Clean(got) != got {
			t.Errorf("%q becomes %q, then %q; want %q", in, got, safe.Clean(got), want)
		}
		for _, l := range append(strings.Fields(got), got) {
			if c := buildCommands(l); len(c) > 0 {
				t.Errorf("%q is a command", l)
			}
		}
	}
}

// TestDataIsNoCommand covers the writers of JSON and YAML, which every report shares.
func TestDataIsNoCommand(t *testing.T) {
	for _, name := range []string{"::error::x", "\n::error::x", "a ##[error]x", "##vso[task.x]y"} {
		for _, format := range []string{JSON, YAML} {
			if got := buildCommands(string(checked(t, format, hostileRun(name), Options{}))); len(got) > 0 {
				t.Errorf("%s of %q: a build would run %q", format, name, got)
			}
		}
	}
}
