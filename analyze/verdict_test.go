package analyze

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// judgeFile triages a recording as `triage --from` does. The same content in several folders is judged once.
func judgeFile(t testing.TB, path string) *Report {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key := sha256.Sum256(content)
	judged.Lock()
	defer judged.Unlock()
	if r := judged.reports[key]; r != nil {
		return r
	}
	c := captureFile(t, path)
	r := Triage(c, Options{})
	judged.reports[key], judged.unfit[r] = r, unfitFixes(c, r)
	return r
}

var judged = struct {
	sync.Mutex
	reports map[[sha256.Size]byte]*Report
	unfit   map[*Report][]string // what is wrong with the fixes of a report
}{reports: map[[sha256.Size]byte]*Report{}, unfit: map[*Report][]string{}}

func captureFile(t testing.TB, path string) *flinkapi.Capture {
	t.Helper()
	c, err := flinktest.Open(t, path).Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// onlyJob is the job of a recording of one job.
func onlyJob(t testing.TB, path string) JobReport {
	t.Helper()
	r := judgeFile(t, path)
	if len(r.Jobs) != 1 {
		t.Fatalf("%s: %d jobs, want 1", path, len(r.Jobs))
	}
	return r.Jobs[0]
}

// placeOf is a finding on one line: cause, severity, vertex label, subtasks, split.
func placeOf(f catalog.Finding) string {
	s := f.Cause + " " + string(f.Severity)
	if f.Vertex != nil {
		s += " @" + shortVertex(f.Vertex.Name)
	}
	if len(f.Subtasks) > 0 {
		s += " #" + strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Subtasks), " ", ","), "[]")
	}
	if f.Split != "" {
		s += " split " + f.Split
	}
	if f.Latent {
		s += " latent"
	}
	if f.Issue != "" {
		s += " " + f.Issue
	}
	return s
}

func shortVertex(name string) string {
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "Source: "), " -> ")
	return strings.TrimPrefix(name, "KafkaSource-default_catalog.default_database.")
}

func placesOf(fs []catalog.Finding) []string {
	out := make([]string, 0, len(fs))
	for _, f := range fs {
		out = append(out, placeOf(f))
	}
	sort.Strings(out)
	return out
}

func hasCause(fs []catalog.Finding, cause string) bool {
	for _, f := range fs {
		if f.Cause == cause {
			return true
		}
	}
	return false
}

func filesIn(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file matches %s (%v)", pattern, err)
	}
	return files
}

const recordingsDir = "../testdata/recordings"

// readVerdicts reads lines "file verdict", each followed by its expected findings, indented; # starts a comment.
func readVerdicts(t *testing.T, path string) map[string]owed {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]owed{}
	last := ""
	for n, line := range strings.Split(string(text), "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case !strings.HasPrefix(line, " "):
			name, verdict, ok := strings.Cut(trimmed, " ")
			if !ok {
				t.Fatalf("%s:%d: no verdict", path, n+1)
			}
			if _, twice := all[name]; twice {
				t.Fatalf("%s:%d: %s is there twice", path, n+1, name)
			}
			last = name
			all[name] = owed{verdict: Verdict(verdict), findings: []string{}}
		case strings.HasPrefix(trimmed, "? "):
			o := all[last]
			o.notChecked = append(o.notChecked, strings.TrimPrefix(trimmed, "? "))
			all[last] = o
		default:
			o := all[last]
			o.findings = append(o.findings, trimmed)
			all[last] = o
		}
	}
	return all
}

// owed is the expected judgement of a recording: all findings of any severity, and no others.
type owed struct {
	verdict    Verdict
	findings   []string
	notChecked []string // codes, each with a word of its reason
}
