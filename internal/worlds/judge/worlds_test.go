package judge

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"tidemark/internal/worlds/random"
)

// few worlds are judged by every test run; TIDEMARK_WORLDS=10000 judges more, and with UPDATE_PROOF=1
// the page and the seeds are written again, unless they would get worse.
const few = 100

const (
	page      = "../../../docs/proof.md"
	seedsFile = "testdata/seeds.txt"
)

func update() bool { return os.Getenv("UPDATE_PROOF") != "" }

// many is how many worlds were asked for.
func many(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("TIDEMARK_WORLDS")
	if text == "" {
		return few
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < few {
		t.Fatalf("TIDEMARK_WORLDS is %q: want a number of at least %d", text, few)
	}
	return n
}

// The published tables must not be better than the product. Where the product is better, the log asks to renew the page.
func TestWorlds(t *testing.T) {
	n := many(t)
	small, large, failures := Table{}, Table{}, map[string][]uint64{}
	err := Run(n, func(r Result) {
		large.Add(r)
		if r.World.Seed < few {
			small.Add(r)
		}
		if r.Failure != "" {
			k := r.World.Truth.Fault + ": " + r.Failure
			failures[k] = append(failures[k], r.World.Seed)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d worlds:\n%s\n%s", n, large.Markdown(), kindsOf(failures))
	holds := holdTable(t, few, small)
	if n > few {
		holds = holdTable(t, n, large) && holds
	}
	if update() && holds {
		writeSection(t, few, small.Markdown())
		if n > few {
			writeSection(t, n, large.Markdown())
			writeSeeds(t, failures)
		}
	}
}

// holdTable compares a table with the one that the page shows for as many worlds.
func holdTable(t *testing.T, n uint64, got Table) bool {
	t.Helper()
	text, ok := readSection(t, n)
	if !ok {
		if !update() {
			t.Errorf("%s has no table of %d worlds", page, n)
		}
		return true
	}
	published, err := ReadTable(text)
	if err != nil {
		t.Fatal(err)
	}
	holds := true
	for _, k := range random.Kinds() {
		now, was := got[k], published[k]
		switch {
		case now.Worlds() != was.Worlds():
			t.Logf("%s: %d worlds of %q, published %d: the worlds have changed", page, now.Worlds(), k, was.Worlds())
			if !update() {
				t.Errorf("renew %s: UPDATE_PROOF=1 TIDEMARK_WORLDS=10000 go test ./internal/worlds/judge", page)
			}
			return true
		case now.WorseThan(was):
			t.Errorf("%q: right, incomplete, wrong are %v; published are %v", k, now, was)
			holds = false
		case now != was:
			t.Logf("%q: right, incomplete, wrong are %v; published are %v: renew the page", k, now, was)
		}
	}
	return holds
}

func kindsOf(failures map[string][]uint64) string {
	var names []string
	for k := range failures {
		slices.Sort(failures[k])
		names = append(names, k)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, k := range names {
		seeds := failures[k]
		fmt.Fprintf(&b, "%5d %s %v\n", len(seeds), k, seeds[:min(len(seeds), 4)])
	}
	return b.String()
}

func marks(n uint64) (begin, end string) {
	return fmt.Sprintf("<!-- worlds %d -->\n", n), fmt.Sprintf("<!-- end of worlds %d -->\n", n)
}

func readSection(t *testing.T, n uint64) (string, bool) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := marks(n)
	_, rest, ok := strings.Cut(string(text), begin)
	if !ok {
		return "", false
	}
	section, _, ok := strings.Cut(rest, end)
	return section, ok && strings.TrimSpace(section) != ""
}

func writeSection(t *testing.T, n uint64, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := marks(n)
	before, rest, ok := strings.Cut(string(text), begin)
	if !ok {
		t.Fatalf("%s has no place for a table of %d worlds: %s", page, n, begin)
	}
	_, after, _ := strings.Cut(rest, end)
	if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A seed that was once judged wrongly stays a fixture: it must not be judged worse than when it was last noted.
func TestSeedsOfFailures(t *testing.T) {
	for _, s := range readSeeds(t) {
		r, err := judged(random.Of(s.fault, s.seed))
		if err != nil {
			t.Error(err)
			continue
		}
		if r.Outcome > s.outcome {
			t.Errorf("seed %d (%s) was %s and is now %s: %s", s.seed, s.fault, words[s.outcome], words[r.Outcome], r.Failure)
		}
	}
}

var words = []string{"right", "incomplete", "wrong"}

type noted struct {
	seed    uint64
	outcome Outcome
	fault   string
}

// readSeeds reads lines "seed outcome kind".
func readSeeds(t *testing.T) []noted {
	t.Helper()
	text, err := os.ReadFile(seedsFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []noted
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.SplitN(line, " ", 3)
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		seed, err := strconv.ParseUint(f[0], 10, 64)
		if err != nil || len(f) != 3 || !slices.Contains(words, f[1]) {
			t.Fatalf("%s:%d: want seed, outcome and kind: %s", seedsFile, i+1, line)
		}
		all = append(all, noted{seed, Outcome(slices.Index(words, f[1])), f[2]})
	}
	return all
}

// writeSeeds keeps every noted world with its present outcome, and adds two of each new kind of failure. A world is
// identified by kind and seed, so that it stays the same when kinds are added.
func writeSeeds(t *testing.T, failures map[string][]uint64) {
	t.Helper()
	all := readSeeds(t)
	for failure, seeds := range failures {
		slices.Sort(seeds)
		for _, s := range seeds[:min(len(seeds), 2)] {
			kind, _, _ := strings.Cut(failure, ": ")
			if !slices.ContainsFunc(all, func(n noted) bool { return n.seed == s && n.fault == kind }) {
				all = append(all, noted{seed: s, fault: kind})
			}
		}
	}
	slices.SortFunc(all, func(a, b noted) int { return cmp.Or(cmp.Compare(a.seed, b.seed), cmp.Compare(a.fault, b.fault)) })
	out := "# Worlds that once came out wrong: seed, how it comes out now, kind. Written by UPDATE_PROOF=1.\n"
	for _, n := range all {
		r, err := judged(random.Of(n.fault, n.seed))
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintf("%d %s %s\n", n.seed, words[r.Outcome], n.fault)
	}
	if err := os.WriteFile(seedsFile, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}
