package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tidemark/cmd"
	"tidemark/internal/golden"
)

var example = regexp.MustCompile(`(?s)<!-- tidemark: ([^\n]*) -->\n.*?<!-- /tidemark -->`)

// TestREADME runs every example of README.md and compares it with what stands there.
func TestREADME(t *testing.T) {
	before, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	after := example.ReplaceAllFunc(before, func(block []byte) []byte {
		count++
		return []byte(run(t, string(example.FindSubmatch(block)[1])))
	})
	if count == 0 {
		t.Fatal("README.md has no examples")
	}
	golden.File(t, "README.md", after)
}

// run is the block of an example: Markdown as it is, everything else as a terminal shows it.
func run(t *testing.T, line string) string {
	t.Helper()
	var out, errs bytes.Buffer
	e := cmd.OS()
	e.In, e.Out, e.Err, e.Getenv = strings.NewReader(""), &out, &errs, func(string) string { return "" }
	args := strings.Fields(line)
	if code := cmd.Main(args, e); code > 1 || errs.Len() > 0 {
		t.Fatalf("tidemark %s: exit code %d, %s", line, code, errs.String())
	}
	body := out.String()
	if !slices.Contains(args, "markdown") {
		body = "```\n$ tidemark " + line + "\n" + body + "```\n"
	}
	return "<!-- tidemark: " + line + " -->\n" + body + "<!-- /tidemark -->"
}

// TestREADMENamesEveryCommandAndFlag keeps the prose in step with the program.
func TestREADMENamesEveryCommandAndFlag(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	help := run(t, "--help")
	for _, section := range [][2]string{{"Available Commands:\n", "\n\n"}, {"Flags:\n", "\n\n"}} {
		_, rest, _ := strings.Cut(help, section[0])
		rest, _, _ = strings.Cut(rest, section[1])
		for _, l := range strings.Split(rest, "\n") {
			word := regexp.MustCompile(`--[a-z-]+|[a-z]+`).FindString(strings.TrimPrefix(strings.TrimSpace(l), "-h, "))
			if slices.Contains([]string{"help", "--help", "version", "--version", "--quiet", "--verbose", "q", "v"}, word) || word == "" {
				continue
			}
			if !bytes.Contains(text, []byte("`"+word)) && !bytes.Contains(text, []byte(word+" ")) && !bytes.Contains(text, []byte(word+"`")) {
				t.Errorf("README.md does not mention %q", word)
			}
		}
	}
}

// TestOutputFitsATerminal looks at real findings, whose texts are longer than those of any fixture.
func TestOutputFitsATerminal(t *testing.T) {
	for _, args := range []string{"demo", "checks", "explain idle-split"} {
		for _, l := range strings.Split(run(t, args), "\n") {
			if n := utf8.RuneCountInString(l); n > 80 {
				t.Errorf("%s: %d characters: %s", args, n, l)
			}
		}
	}
}
