package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidemark/internal/licences"
)

// licenceTable lists what a release links. Versions stand in go.mod, so that an update does not change the page.
func licenceTable(t *testing.T) string {
	t.Helper()
	all, err := licences.Linked(".")
	if err != nil {
		t.Fatal(err)
	}
	std, err := licences.Go()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| module | licence |\n|---|---|\n")
	for _, m := range append(all, std) {
		fmt.Fprintf(&b, "| %s | %s |\n", m.Path, strings.Join(m.SPDX, ", "))
	}
	return b.String()
}

var (
	required  = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
	explained = regexp.MustCompile("(?m)^\\| `(\\S+\\.\\S+/\\S+)` \\|")
)

// TestEveryDependencyIsExplained: a module of go.mod that is not there for the sake of another one has its row, and no
// row is of a module that has gone.
func TestEveryDependencyIsExplained(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	names := func(re *regexp.Regexp, text []byte) (list []string) {
		for _, m := range re.FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	want, got := names(required, mod), names(explained, page)
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("docs/dependencies.md explains\n%s\ngo.mod requires\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
