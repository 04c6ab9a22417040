package mutants_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/worlds/mutants"
)

// files are the recordings, each content once, by their path below testdata.
func files(t *testing.T) []string {
	t.Helper()
	seen := map[[32]byte]bool{}
	var all []string
	for _, pattern := range []string{"recordings/*/*.jsonl.gz", "checks/*/*.jsonl.gz"} {
		found, err := filepath.Glob(filepath.Join(recordings, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no recording matches %s: %v", pattern, err)
		}
		for _, f := range found {
			content, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(content); !seen[sum] {
				seen[sum] = true
				all = append(all, f)
			}
		}
	}
	return all
}

// taken is a recording taken apart, once.
func taken(t *testing.T, file string) *mutants.Recording {
	t.Helper()
	if apart[file] == nil {
		apart[file] = mutants.New(file, open(t, file))
	}
	return apart[file]
}

var apart = map[string]*mutants.Recording{}

func open(t *testing.T, file string) []flinkapi.Entry {
	t.Helper()
	rec, err := flinkapi.OpenRecording(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Entries
}

func truthOf(t *testing.T, file string) string {
	t.Helper()
	name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
	for _, rule := range truths(t) {
		for _, pattern := range rule[1:] {
			if ok, err := filepath.Match(pattern, name); err != nil {
				t.Fatalf("%s: %q: %v", truthFile, pattern, err)
			} else if ok {
				return rule[0]
			}
		}
	}
	t.Fatalf("%s says nothing of %s", truthFile, name)
	return ""
}

var truths = func() func(t *testing.T) [][]string {
	var rules [][]string
	return func(t *testing.T) [][]string {
		if rules != nil {
			return rules
		}
		text, err := os.ReadFile(truthFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if line != "" && !strings.HasPrefix(line, "#") {
				rules = append(rules, strings.Fields(line))
			}
		}
		return rules
	}
}()

// Every rule of the list of truths fits a recording, so that a recording that was renamed is missed.
func TestTruthsAreOfRecordings(t *testing.T) {
	names := files(t)
	for _, rule := range truths(t) {
		for _, pattern := range rule[1:] {
			if !slices.ContainsFunc(names, func(f string) bool {
				ok, _ := filepath.Match(pattern, filepath.Base(filepath.Dir(f))+"/"+filepath.Base(f))
				return ok
			}) {
				t.Errorf("%s: %s %s fits no recording", truthFile, rule[0], pattern)
			}
		}
	}
}
