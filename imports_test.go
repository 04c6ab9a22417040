package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rooms are the first column of the table in docs/architecture.md, in its order.
func rooms(t *testing.T, text string) []string {
	var list []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	if len(list) < 10 {
		t.Fatalf("%d rooms in docs/architecture.md", len(list))
	}
	return list
}

// roomOf is the place of a package in the table: that of the longest room that holds it, -1 where none does.
func roomOf(rooms []string, pkg string) int {
	best := -1
	for i, r := range rooms {
		if (pkg == r || strings.HasPrefix(pkg, r+"/")) && (best < 0 || len(r) > len(rooms[best])) {
			best = i
		}
	}
	return best
}

// Imports point one way: to rooms that stand above in the table of docs/architecture.md.
func TestImportsPointOneWay(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	table, used := rooms(t, string(text)), map[int]bool{}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == ".":
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		own := roomOf(table, pkg)
		if own < 0 {
			t.Errorf("%s is in no room of docs/architecture.md", pkg)
			return nil
		}
		used[own] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name, mine := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "tidemark/")
			if !mine {
				continue
			}
			if to := roomOf(table, name); to < 0 || to > own {
				t.Errorf("%s imports %s, which is no room above %s", path, name, table[own])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range table {
		if !used[i] {
			t.Errorf("docs/architecture.md has the room %s, which holds no package", r)
		}
	}
}

// What the documents for contributors point to is there.
func TestDocumentsNameFilesThatExist(t *testing.T) {
	path := regexp.MustCompile("`([A-Za-z0-9_./-]*/[A-Za-z0-9_./-]+|[a-z_]+\\.go)`")
	for _, doc := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		found := path.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s names no file", doc)
		}
		for _, m := range found {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s: %v", doc, m[1], err)
			}
		}
	}
}
