package render

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tidemark/internal/cases"
)

// tags are all tags the HTML template may write.
var tags = regexp.MustCompile(`</?(html|head|meta|link|title|style|body|h1|h2|h3|p|br|span|table|thead|tbody|tr|th|td|a|dl|dt|dd|div|details|summary|section|pre|ul|li|footer|!doctype)\b[^<>]*>`)

func TestForeignNamesAreHarmlessInEveryFormat(t *testing.T) {
	for i, name := range hostileNames {
		k := i % len(Formats)
		for _, format := range cases.Some(slices.Concat(Formats[k:], Formats[:k]), 1) {
			t.Run(fmt.Sprintf("%d %s", i, format), func(t *testing.T) {
				out := string(rendered(t, format, hostileReport(name), Options{}))
				if bad := acted(out); len(bad) > 0 {
					t.Errorf("characters %q pass through", bad)
				}
				if !utf8.ValidString(out) {
					t.Error("not UTF-8")
				}
				switch format {
				case Table:
					narrow(t, out, 80)
				case HTML:
					if rest := tags.ReplaceAllString(out, ""); strings.Contains(rest, "<img") || strings.Contains(rest, "<script") {
						t.Error("markup of a name passes through")
					}
				case Markdown:
					for _, raw := range []string{"<script", "<img", "[link](", "@everyone", "| `tick`"} {
						if inProse(out, func(l string) bool { return strings.Contains(l, raw) }) {
							t.Errorf("%q passes through", raw)
						}
					}
				}
			})
		}
	}
}

func TestTextFitsItsWidth(t *testing.T) {
	for _, width := range []int{60, 72, 80, 120} {
		narrow(t, string(rendered(t, Table, richReport(), Options{Width: width})), width)
		narrow(t, string(rendered(t, Table, richReport(), Options{Width: width, Color: true})), width)
	}
}

func TestForeignNamesKeepReportsSmall(t *testing.T) {
	r := hostileReport(strings.Repeat("long", 2500))
	if n := len(rendered(t, Table, r, Options{})); n > 80_000 {
		t.Errorf("text has %d bytes", n)
	}
}

func TestColourOnlyRepeatsTheWords(t *testing.T) {
	plain := rendered(t, Table, richReport(), Options{})
	colored := rendered(t, Table, richReport(), Options{Color: true})
	if bytes.Equal(plain, colored) {
		t.Error("no colour")
	}
	stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(colored), "")
	if stripped != string(plain) {
		t.Error("the text differs with colour")
	}
}

func TestWatermarksAreHarmless(t *testing.T) {
	for i, name := range hostileNames {
		k := i % len(Formats)
		for _, format := range cases.Some(slices.Concat(Formats[k:], Formats[:k]), 2) {
			var b bytes.Buffer
			if err := Watermarks(hostileReport(name)).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			if bad := acted(b.String()); len(bad) > 0 {
				t.Errorf("%s of %.30q: characters %q pass through", format, name, bad)
			}
			if format == Table {
				narrow(t, b.String(), 80)
			}
		}
	}
}
