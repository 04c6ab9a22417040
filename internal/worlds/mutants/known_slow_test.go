//go:build slow

package mutants_test

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

// hold compares failures with those known.
func hold(t *testing.T, section string, failures map[string][]failure) {
	t.Helper()
	known := readKnown(t)
	kinds := map[string]bool{}
	for k := range failures {
		kinds[k] = true
	}
	for k := range known[section] {
		kinds[k] = true
	}
	worse := false
	for _, k := range sorted(kinds) {
		now, was := failures[k], known[section][k]
		switch {
		case len(now) > was:
			worse = true
			t.Errorf("%s: %d mutants break the promise, %d are known; such as %s, %s: %s", k, len(now), was, now[0].file, now[0].where, now[0].what)
		case len(now) < was:
			t.Logf("%s: %d mutants break the promise, %d were known: renew %s", k, len(now), was, knownFile)
		}
		if len(now) > 0 && testing.Verbose() {
			for _, f := range now[:min(len(now), 3)] {
				t.Logf("  %s: %s, %s: %s", k, f.file, f.where, f.what)
			}
		}
	}
	if update() && (!worse || len(known[section]) == 0) {
		known[section] = map[string]int{}
		for k, f := range failures {
			known[section][k] = len(f)
		}
		writeKnown(t, known)
	}
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// readKnown reads sections "[name]" of lines "count kind".
func readKnown(t *testing.T) map[string]map[string]int {
	t.Helper()
	text, err := os.ReadFile(knownFile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]int{}
	section := ""
	for i, line := range strings.Split(string(text), "\n") {
		var n int
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			all[section] = map[string]int{}
		default:
			count, kind, _ := strings.Cut(line, " ")
			if _, err := fmt.Sscan(count, &n); err != nil || section == "" {
				t.Fatalf("%s:%d: want a count and a kind: %s", knownFile, i+1, line)
			}
			all[section][kind] = n
		}
	}
	return all
}

func writeKnown(t *testing.T, known map[string]map[string]int) {
	t.Helper()
	out := "# Mutants that break a promise, by kind. May only get fewer; written by the slow tests with UPDATE_PROOF=1.\n"
	for _, section := range sorted(known) {
		out += "[" + section + "]\n"
		for _, k := range sorted(known[section]) {
			out += fmt.Sprintf("%d %s\n", known[section][k], k)
		}
	}
	if err := os.WriteFile(knownFile, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
