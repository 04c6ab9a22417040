package mutants_test

import (
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/worlds/judge"
	"tidemark/internal/worlds/mutants"
)

const (
	recordings = "../../../testdata"
	truthFile  = "testdata/truth.txt"
	knownFile  = "testdata/known.txt"
	// stride is how many mutants a test run passes over for one that it judges; TIDEMARK_MUTANTS=all
	// judges every one.
	stride = 101
)

func all() bool    { return os.Getenv("TIDEMARK_MUTANTS") == "all" }
func update() bool { return os.Getenv("UPDATE_PROOF") != "" }

// Whatever is taken away: a stall or a loss never ends in exit 0, a healthy job never in exit 1 or a
// warning. Where that is not so yet, it is counted in known.txt, and may only get better.
func TestTakingAway(t *testing.T) {
	step := stride
	if all() {
		step = 1
	}
	failures := run(t, step, func(r *mutants.Recording, truth string, offer func(check)) {
		if truth == "other" {
			return
		}
		r.Taking(func(m mutants.Mutant) {
			offer(check{m, func(v judge.Verdict, ok bool) string { return broken(truth, v, ok) }})
		})
	})
	hold(t, "taking", failures)
}

// What does not matter changes nothing: causes, severities and places stay.
func TestChangingWhatDoesNotMatter(t *testing.T) {
	failures := run(t, 1, func(r *mutants.Recording, _ string, offer func(check)) {
		same := func(vertex string, subtask int) (string, int) { return vertex, subtask }
		was := places(verdict(r.Entries), same)
		r.Changing(func(m mutants.Mutant, back mutants.Back) {
			offer(check{m, func(v judge.Verdict, _ bool) string {
				if got := places(v, back); !slices.Equal(got, was) {
					return fmt.Sprintf("%v, was %v", got, was)
				}
				return ""
			}})
		})
	})
	hold(t, "changing", failures)
}

// The recordings are judged alike with and without the metrics that are left out to be quick.
func TestNoiseIsNoise(t *testing.T) {
	for _, f := range files(t) {
		same := func(vertex string, subtask int) (string, int) { return vertex, subtask }
		whole, slim := places(verdict(open(t, f)), same), places(verdict(taken(t, f).Entries), same)
		if !reflect.DeepEqual(whole, slim) {
			t.Errorf("%s: %v without noise, %v with it", f, slim, whole)
		}
	}
}

// broken says how a verdict breaks the promise of a class, "" if it does not.
func broken(truth string, v judge.Verdict, ok bool) string {
	switch truth {
	case "stall", "loss":
		if ok && v.Exit == 0 {
			return "exit 0: " + v.Word
		}
	case "healthy":
		if v.Exit == 1 {
			return "exit 1"
		}
		for _, f := range v.Findings {
			if f.Loud() {
				return f.Cause + " " + f.Severity
			}
		}
	}
	return ""
}

func verdict(entries []flinkapi.Entry) judge.Verdict {
	v, _ := judge.Judge(flinkapi.Assemble(entries))
	return v
}

func places(v judge.Verdict, back mutants.Back) []string {
	out := []string{v.Word}
	for _, f := range v.Findings {
		vertex, _ := back(f.Vertex, 0)
		var subtasks []int
		for _, s := range f.Subtasks {
			_, s = back(f.Vertex, s)
			subtasks = append(subtasks, s)
		}
		slices.Sort(subtasks)
		out = append(out, fmt.Sprintf("%s %s @%s %v %s", f.Cause, f.Severity, vertex, subtasks, f.Split))
	}
	sort.Strings(out)
	return out
}

type check struct {
	mutants.Mutant
	judge func(v judge.Verdict, ok bool) string
}

type failure struct{ file, where, what string }

// run judges every step-th mutant that offer gets, on every core; the failures are by kind.
func run(t *testing.T, step int, mutate func(r *mutants.Recording, truth string, offer func(check))) map[string][]failure {
	t.Helper()
	var mu sync.Mutex
	failures := map[string][]failure{}
	judged, n := 0, 0
	work := make(chan func(), 64)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for f := range work {
				f()
			}
		}()
	}
	for _, f := range files(t) {
		truth := truthOf(t, f)
		mutate(taken(t, f), truth, func(c check) {
			if n++; step > 1 && hashOf(f, c.Mutant)%uint32(step) != 0 {
				return
			}
			judged++
			work <- func() {
				v, ok := judge.Judge(flinkapi.Assemble(c.Make()))
				what := c.judge(v, ok)
				if what == "" {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				kind := truth + ": " + c.Kind
				failures[kind] = append(failures[kind], failure{f, c.Where, what})
			}
		})
	}
	close(work)
	wg.Wait()
	t.Logf("%d of %d mutants judged, %d kinds of failures", judged, n, len(failures))
	return failures
}

// hashOf decides whether a mutant is in the sample, whatever other recordings there are.
func hashOf(file string, m mutants.Mutant) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, filepath.Base(file), m.Kind, m.Where)
	return h.Sum32()
}

// hold compares failures with those known.
func hold(t *testing.T, section string, failures map[string][]failure) {
	t.Helper()
	if all() {
		section += " all"
	}
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
	out := "# Mutants that break a promise, by kind. May only get fewer; written by UPDATE_PROOF=1.\n"
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
