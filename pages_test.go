package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tidemark/analyze/catalog"
	"tidemark/cmd"
	"tidemark/internal/golden"
)

// pages are the files for readers.
func pages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("docs/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%v: %v", files, err)
	}
	return append(files, "README.md", "CONTRIBUTING.md")
}

// made are the blocks of a page that are never written by hand, <!-- KIND: NAME --> … <!-- /KIND -->.
var made = regexp.MustCompile(`(?s)<!-- (tidemark|policy|file|checks|help|licences): ([^\n]*) -->\n.*?<!-- /(\w+) -->`)

// TestPages runs every example, and makes every table and every listing, of README.md and docs/, and compares them with
// what stands there.
func TestPages(t *testing.T) {
	makers := map[string]func(t *testing.T, name string) string{
		"tidemark": run,
		"policy":   func(_ *testing.T, name string) string { return policyTables[name]() },
		"file":     listing,
		"checks":   func(t *testing.T, _ string) string { return checksPage(t) },
		"help":     func(t *testing.T, _ string) string { return helpPage(t, cmd.Root(), "") },
		"licences": func(t *testing.T, _ string) string { return licenceTable(t) },
	}
	seen := map[string]bool{}
	for _, page := range pages(t) {
		before, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		after := made.ReplaceAllFunc(before, func(block []byte) []byte {
			m := made.FindSubmatch(block)
			kind, name := string(m[1]), string(m[2])
			if string(m[3]) != kind {
				t.Fatalf("%s: a block of %s ends as one of %s", page, kind, m[3])
			}
			seen[kind+": "+name] = true
			return fmt.Appendf(nil, "<!-- %s: %s -->\n%s<!-- /%s -->", kind, name, makers[kind](t, name), kind)
		})
		golden.File(t, page, after)
	}
	for _, want := range []string{"policy: checklist", "policy: keys", "checks: all", "help: all", "licences: linked", "file: testdata/ci/tidemark.yaml",
		"file: testdata/ci/github.yml", "file: testdata/ci/.gitlab-ci.yml", "file: testdata/ci/Jenkinsfile"} {
		if !seen[want] {
			t.Errorf("no page holds %s", want)
		}
	}
}

// run is what an example prints: Markdown as it is, everything else as a terminal shows it.
func run(t *testing.T, line string) string {
	t.Helper()
	var out, errs bytes.Buffer
	e := cmd.OS()
	e.In, e.Out, e.Err, e.Getenv = strings.NewReader(""), &out, &errs, func(string) string { return "" }
	args := strings.Fields(line)
	if code := cmd.Main(args, e); code > 1 || errs.Len() > 0 {
		t.Fatalf("tidemark %s: exit code %d, %s", line, code, errs.String())
	}
	if slices.Contains(args, "markdown") {
		return out.String()
	}
	return "```\n$ tidemark " + line + "\n" + out.String() + "```\n"
}

// languages name the language of a listed file by the end of its name.
var languages = map[string]string{".yml": "yaml", ".yaml": "yaml", "Jenkinsfile": "groovy"}

// listing is a file that is tested elsewhere, so that what a reader copies is what has run.
func listing(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	language := languages[filepath.Ext(name)]
	if language == "" {
		language = languages[filepath.Base(name)]
	}
	return fmt.Sprintf("```%s\n%s```\n", language, text)
}

// checksPage explains every check, with an anchor each.
func checksPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, c := range catalog.Checks() {
		text := run(t, "explain "+c.Code+" -o markdown")
		fmt.Fprintf(&b, "<a id=%q></a>\n\n#%s\n", strings.ToLower(c.Code), heading.ReplaceAllString(strings.TrimSpace(text), "\n\n**$1.**"))
	}
	return b.String()
}

var heading = regexp.MustCompile(`\n\n## ([^\n]*)`)

// link is a Markdown link to a file of this repository.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#([^)\s]*))?\)`)

func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			}
		}
	}
}

// TestREADMEIsShort: it is read by someone who decides within a minute.
func TestREADMEIsShort(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 250 {
		t.Errorf("README.md has %d lines", n)
	}
}

// TestPagesNameEveryCommand keeps the prose in step with the program; docs/commands.md does so by itself.
func TestPagesNameEveryCommand(t *testing.T) {
	var text []byte
	for _, page := range pages(t) {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if page != filepath.Join("docs", "commands.md") {
			text = append(text, b...)
		}
	}
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() && !bytes.Contains(text, []byte("`"+c.Name())) {
			t.Errorf("no page mentions the command %s", c.Name())
		}
	}
}

// TestOutputFitsATerminal looks at real findings, whose texts are longer than those of any fixture.
func TestOutputFitsATerminal(t *testing.T) {
	for _, args := range []string{"demo", "checks", "explain idle-split"} {
		for l := range strings.SplitSeq(run(t, args), "\n") {
			if n := utf8.RuneCountInString(l); n > 80 {
				t.Errorf("%s: %d characters: %s", args, n, l)
			}
		}
	}
}

// helpPage is what `--help` prints of c and of the commands below it.
func helpPage(t *testing.T, c *cobra.Command, path string) string {
	t.Helper()
	var b strings.Builder
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "completion" {
			continue
		}
		full := strings.TrimSpace(path + " " + sub.Name())
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s```\n", full, strings.SplitAfterN(run(t, full+" --help"), "\n", 3)[2])
		b.WriteString(helpPage(t, sub, full))
	}
	return b.String()
}
