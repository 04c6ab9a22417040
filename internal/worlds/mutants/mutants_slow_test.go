//go:build slow

package mutants_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
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
	// takingStride is how many mutants are passed over for one that is judged; TIDEMARK_MUTANTS=all judges every one.
	takingStride = 101
)

func update() bool { return os.Getenv("UPDATE_PROOF") != "" }

// Whatever is taken away: a stall or a loss never ends in exit 0, a healthy job never in exit 1 or a
// warning. Mutants that break this are counted in known.txt, and the counts may only decrease.
func TestTakingAway(t *testing.T) {
	step, section := takingStride, "taking"
	if os.Getenv("TIDEMARK_MUTANTS") == "all" {
		step, section = 1, "taking all"
	}
	hold(t, section, run(t, step, func(r *mutants.Recording, truth string, offer func(check)) {
		if truth == "other" {
			return
		}
		r.Taking(func(m mutants.Mutant) {
			offer(check{m, func(v judge.Verdict, ok bool) string { return broken(truth, v, ok) }})
		})
	}))
}

// A change that must not matter changes neither causes nor severities nor places.
func TestChangingWhatDoesNotMatter(t *testing.T) {
	hold(t, "changing", run(t, 1, func(r *mutants.Recording, _ string, offer func(check)) {
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
	}))
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
			if judge.Loud(f) {
				return f.Cause + " " + string(f.Severity)
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
		name := ""
		if f.Vertex != nil {
			name = f.Vertex.Name
		}
		vertex, _ := back(name, 0)
		var subtasks []int
		for _, s := range f.Subtasks {
			_, s = back(name, s)
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

// hashOf decides whether a mutant is in the sample, independent of the other recordings.
func hashOf(file string, m mutants.Mutant) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, filepath.Base(file), m.Kind, m.Where)
	return h.Sum32()
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
