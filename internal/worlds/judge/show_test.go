package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/worlds/random"
	"tidemark/internal/worlds/rest"
)

// TIDEMARK_WORLD="17 264" with -v shows worlds, their truth and their verdict;
// TIDEMARK_WORLD_DIR=DIR also writes what their clusters answer, for `tidemark triage --from`.
func TestShowWorld(t *testing.T) {
	for _, text := range strings.Fields(os.Getenv("TIDEMARK_WORLD")) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("TIDEMARK_WORLD: %v", err)
		}
		r, err := World(seed)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(describe(r))
		if dir := os.Getenv("TIDEMARK_WORLD_DIR"); dir != "" {
			write(t, r.World, filepath.Join(dir, "world-"+text+".jsonl"))
		}
	}
}

func describe(r Result) string {
	w, v := r.World, r.Verdict
	var b strings.Builder
	fmt.Fprintf(&b, "world %d, Flink %s, up for %d s: %s\n", w.Seed, w.Job.Flink, (w.Moments[0]-w.Job.StartsMs[0])/1000, w.Truth.Fault)
	for i, op := range w.Job.Operators {
		fmt.Fprintf(&b, "  %d %s, parallelism %d", i, op.Name, op.Parallelism)
		for _, in := range op.Inputs {
			fmt.Fprintf(&b, ", %s from %v", in.Ship, in.From)
		}
		if s := op.Source; s != nil {
			fmt.Fprintf(&b, ", %d splits, bound %d ms, idle timeout %d ms", len(s.Splits), s.Strategy.BoundMs, s.Strategy.IdleMs)
		}
		if op.CostMs > 0 {
			fmt.Fprintf(&b, ", %.0f ms a record", op.CostMs)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "  owed: %v %s at operator %d %v %s\n", w.Truth.Causes, w.Truth.Severity, w.Truth.Operator, w.Truth.Subtasks, w.Truth.Split)
	fmt.Fprintf(&b, "  got: %s, exit %d: %s\n", v.Word, v.Exit, v.Headline)
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "    %s @%s: %s\n", line(f), f.Point(), f.Summary)
	}
	for _, n := range v.NotChecked {
		fmt.Fprintf(&b, "    not checked: %s\n", n)
	}
	fmt.Fprintf(&b, "  %s %s", words[r.Outcome], r.Failure)
	return b.String()
}

func write(t *testing.T, w random.World, path string) {
	t.Helper()
	rec, err := rest.Recording(w.Job, w.Read()...)
	if err != nil {
		t.Fatal(err)
	}
	if w.Lacks != "" {
		rest.Without(rec, w.Lacks)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, e := range rec.Entries {
		if err := flinkapi.WriteEntry(f, e); err != nil {
			t.Fatal(err)
		}
	}
}
