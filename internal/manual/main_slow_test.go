//go:build slow

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPagesAndCompletions(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, " 1.2.3", "1700000000"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "man", "tidemark-recommend.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"tidemark-recommend", "Nov 2023", "tidemark 1.2.3", "target-late", "EXAMPLE"} {
		if !strings.Contains(strings.ReplaceAll(string(page), `\-`, "-"), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	if strings.Contains(string(page), "Auto generated") {
		t.Error("the page is dated by the day of its build")
	}
	for _, name := range []string{"tidemark.bash", "tidemark.fish", "_tidemark"} {
		if text, err := os.ReadFile(filepath.Join(dir, "completions", name)); err != nil || !strings.Contains(string(text), "tidemark") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "THIRD_PARTY.txt")); err != nil || !strings.Contains(string(text), "github.com/spf13/cobra v") || !strings.Contains(string(text), "Copyright 2009 The Go Authors") {
		t.Errorf("THIRD_PARTY.txt: %v, %d bytes", err, len(text))
	}
	if err := write(dir, "", "yesterday"); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("a date that is none: %v", err)
	}
}
