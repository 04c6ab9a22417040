package ci

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tidemark/internal/cases"
	"tidemark/render/doc"
)

// checkHostileNames are the hostile names of every format, and those that are harmful in the log of a build or in XML.
var checkHostileNames = append([]string{
	"]]>", "<![CDATA[x]]>", "--> <!-- &amp; &#0;", "\x00\x01\ufffe\uffff", "[text](javascript:alert(1))", "a, b: c=d", "100%0A::error::x",
	"::error::injected", "  ::add-mask::a", "\n::stop-commands::t\n::error::x", "x ##[error]y ###[add-path]/tmp", "##vso[task.setvariable variable=a]b",
	strings.Repeat("word ", 30) + "::error::wrapped " + strings.Repeat("::warning::again ", 30), "../../etc/passwd", "/abs/olute", `C:\dir\file`, "a:b?c#d %41",
}, hostileNames...)

func TestForeignNamesAreHarmlessInEveryCheckFormat(t *testing.T) {
	for i, name := range checkHostileNames {
		hostile := hostileRun(name)
		k := i % len(checkFormats)
		for _, format := range cases.Some(slices.Concat(checkFormats[k:], checkFormats[:k]), 1) {
			t.Run(fmt.Sprintf("%d %s", i, format), func(t *testing.T) {
				out := string(checked(t, format, hostile, Options{}))
				if bad := acted(out); len(bad) > 0 {
					t.Errorf("characters %q pass through", bad)
				}
				if !utf8.ValidString(out) {
					t.Error("not UTF-8")
				}
				if format == Text {
					narrow(t, out, 80)
				}
				if format == Markdown {
					for _, raw := range []string{"<script", "<img", "[link](", "[text](", "@everyone", "| `tick`", "<!--"} {
						if inProse(out, func(l string) bool { return strings.Contains(l, raw) }) {
							t.Errorf("%q passes through", raw)
						}
					}
				}
				for _, c := range buildCommands(out) {
					if format != GitHub || c.name != "error" && c.name != "warning" && c.name != "notice" {
						t.Errorf("a build would run %q", c)
					}
				}
			})
		}
	}
}

// TestForeignNamesAddNoAnnotation counts commands: with hostile names as many as with plain ones.
func TestForeignNamesAddNoAnnotation(t *testing.T) {
	want := len(buildCommands(string(checked(t, GitHub, hostileRun("plain"), Options{}))))
	for _, name := range checkHostileNames {
		got := buildCommands(string(checked(t, GitHub, hostileRun(name), Options{})))
		if len(got) != want {
			t.Errorf("%.40q: %d commands, want %d", name, len(got), want)
		}
	}
}

func TestForeignNamesKeepCheckReportsSmall(t *testing.T) {
	run := hostileRun(strings.Repeat("long", 2500))
	for _, format := range []string{Text, Markdown, JUnit, GitHub, GitLab} {
		if n := len(checked(t, format, run, Options{})); n > 120_000 {
			t.Errorf("%s has %d bytes", format, n)
		}
	}
}

func TestCheckTextFitsItsWidth(t *testing.T) {
	for _, width := range []int{60, 72, 80, 120} {
		narrow(t, string(checked(t, Text, sampleRun(), Options{}, doc.Look{Width: width})), width)
		narrow(t, string(checked(t, Text, sampleRun(), Options{}, doc.Look{Width: width, Color: true})), width)
	}
}

func TestColourOnlyRepeatsTheWordsOfACheck(t *testing.T) {
	ansi := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, name := range []string{"plain", "::error::x", "##[error]x"} {
		run := hostileRun(name)
		plain, colored := string(checked(t, Text, run, Options{})), string(checked(t, Text, run, Options{}, doc.Look{Color: true}))
		if !strings.Contains(colored, "\x1b[") || strings.Contains(plain, "\x1b[") {
			t.Error("colour where none was asked for, or none where it was")
		}
		if ansi.ReplaceAllString(colored, "") != plain {
			t.Errorf("%q: the text differs with colour", name)
		}
	}
}
