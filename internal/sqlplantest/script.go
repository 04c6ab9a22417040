// Package sqlplantest has the scripts that the SQL checks are tested with, and recorded
// conversations with real gateways about them.
package sqlplantest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"tidemark/analyze/sqlplan"
)

// Script is one file of testdata/sql. Its first comment lines state what must be found:
//
//	-- want: TM601 critical at 27:1            on every version
//	-- want 1.18.1: TM606 critical at 14:17    on this one
//	-- ddl: TM607 info at 5:17                 without a gateway
//
// Nothing else may be found, down to the severity and the place.
type Script struct {
	Name, Text string
	want       []line
}

type line struct {
	versions []string // nil: all; "ddl" for without a gateway
	finding  string
}

var header = regexp.MustCompile(`(?m)^-- (want|ddl)((?: \d+\.\d+\.\d+)*): (TM\d+ \w+ at \d+:\d+)$`)

// Scripts reads the scripts of a directory by name.
func Scripts(t testing.TB, dir string) []Script {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	var out []Script
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := Script{Name: filepath.Base(f), Text: string(text)}
		for _, m := range header.FindAllStringSubmatch(s.Text, -1) {
			l := line{finding: m[3], versions: strings.Fields(m[2])}
			if m[1] == "ddl" {
				l.versions = []string{"ddl"}
			}
			s.want = append(s.want, l)
		}
		out = append(out, s)
	}
	return out
}

// Want lists what a reading with this version of Flink must find; version "ddl" means without a
// gateway.
func (s Script) Want(version string) []string {
	out := []string{}
	for _, l := range s.want {
		if len(l.versions) == 0 && version != "ddl" {
			out = append(out, l.finding)
		}
		for _, v := range l.versions {
			if v == version || v != "ddl" && line2(v) == line2(version) {
				out = append(out, l.finding)
			}
		}
	}
	sort.Strings(out)
	return out
}

// line2 shortens 1.20.3 to 1.20: patch releases plan alike.
func line2(version string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// Found writes findings as Want does.
func Found(a sqlplan.Answer) []string {
	out := []string{}
	for _, f := range a.Findings {
		out = append(out, fmt.Sprintf("%s %s at %d:%d", f.Code, f.Severity, f.Location.Line, f.Location.Column))
	}
	sort.Strings(out)
	return out
}
