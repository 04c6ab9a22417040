//go:build slow

package mutants_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
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

// taken is a recording parsed, once.
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
	return flinktest.Open(t, file).Entries
}

// truthOf is the class of a recording, "other" where the list says nothing of it.
func truthOf(t *testing.T, file string) string {
	t.Helper()
	if class := truths(t)[keyOf(file)]; class != "" {
		return class
	}
	return "other"
}

// keyOf is how the list of truths names a recording.
func keyOf(file string) string {
	dir, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
	if strings.HasPrefix(dir, "flink-") {
		return dir + "/" + name
	}
	if _, scenario, ok := strings.Cut(name, "."); ok && !strings.HasPrefix(scenario, "edit-") {
		return scenario
	}
	return name
}

// truths reads sections "[class]" of one recording a line.
func truths(t *testing.T) map[string]string {
	t.Helper()
	if classes != nil {
		return classes
	}
	text, err := os.ReadFile(truthFile)
	if err != nil {
		t.Fatal(err)
	}
	classes = map[string]string{}
	class := ""
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			class = strings.Trim(line, "[]")
		case class == "" || classes[line] != "":
			t.Fatalf("%s:%d: %s is outside of a class, or there twice", truthFile, i+1, line)
		default:
			classes[line] = class
		}
	}
	return classes
}

var classes map[string]string

// Every line of the list of truths is a recording: a renamed one is found.
func TestTruthsAreOfRecordings(t *testing.T) {
	names := files(t)
	for name, class := range truths(t) {
		if !slices.ContainsFunc(names, func(f string) bool { return keyOf(f) == name }) {
			t.Errorf("%s: [%s] %s is no recording", truthFile, class, name)
		}
	}
}
