package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
	"tidemark/internal/worlds/random"
	"tidemark/internal/worlds/rest"
)

// Outcome is how a verdict compares with the truth.
type Outcome uint8

// The outcomes, best first.
const (
	Right      Outcome = iota
	Incomplete         // left open, and reported as such
	Wrong
)

// Result is one world judged.
type Result struct {
	World   random.World
	Verdict Verdict
	Outcome Outcome
	Failure string // for a wrong one: cleared, false alarm, misplaced, beside, mild
}

// World simulates a world, judges the answers and compares the verdict with the truth.
func World(seed uint64) (Result, error) { return judged(random.New(seed)) }

func judged(w random.World) (Result, error) {
	seed := w.Seed
	rec, err := rest.Recording(w.Job, w.Read()...)
	if err != nil {
		return Result{}, fmt.Errorf("world %d (%s): %w", seed, w.Truth.Fault, err)
	}
	if w.Lacks != "" {
		rest.Without(rec, w.Lacks)
	}
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		return Result{}, fmt.Errorf("world %d (%s): %w", seed, w.Truth.Fault, err)
	}
	v, ok := Judge(c)
	if !ok {
		return Result{}, fmt.Errorf("world %d (%s): the report names no job", seed, w.Truth.Fault)
	}
	r := Result{World: w, Verdict: v}
	r.Outcome, r.Failure = compare(w, v)
	return r, nil
}

// unexplained is the cause of a finding that reports a fault without its cause.
const unexplained = "unexplained"

func compare(w random.World, v Verdict) (Outcome, string) {
	if w.Truth.Second == nil {
		return compareOne(w, w.Truth, nil, v)
	}
	first, second := w.Truth, *w.Truth.Second
	a, whyA := compareOne(w, first, &second, v)
	b, whyB := compareOne(w, second, &first, v)
	if rank(second.Severity) > rank(first.Severity) {
		a, b, whyA, whyB = b, a, whyB, whyA
	}
	if b == Right && a == Wrong && strings.HasPrefix(whyA, "cleared") && (first.Hidden || second.Hidden) {
		return Incomplete, ""
	}
	if a != Right {
		return a, whyA
	}
	if a == Right && b == Wrong && strings.HasPrefix(whyB, "cleared") {
		return Incomplete, "" // the worse one is named
	}
	return b, whyB
}

// compareOne compares with one fault; findings of the other are not mistakes.
func compareOne(w random.World, t random.Truth, other *random.Truth, v Verdict) (Outcome, string) {
	named, placed, strong, unknown := false, false, false, false
	var weakest catalog.Finding
	of := func(t *random.Truth, f catalog.Finding) bool {
		return t != nil && (slices.Contains(t.Causes, f.Cause) && at(w, *t, f) || slices.Contains(t.Also, f.Cause))
	}
	for _, f := range v.Findings {
		switch {
		case slices.Contains(t.Causes, f.Cause) && at(w, t, f):
			named, placed = true, true
			strong = strong || f.Severity.Rank() >= rank(t.Severity)
			weakest = f
		case of(other, f):
		case slices.Contains(t.Mild, f.Cause) && f.Severity != catalog.Critical:
		case slices.Contains(t.Causes, f.Cause):
			named = true
			if Loud(f) && !slices.Contains(t.Also, f.Cause) {
				return Wrong, "misplaced: " + line(f)
			}
		case Loud(f) && t.Severity == "":
			return Wrong, "false alarm: " + line(f)
		case f.Cause == unexplained:
			unknown = unknown || Loud(f)
		case Loud(f) && !slices.Contains(t.Also, f.Cause):
			return Wrong, "beside: " + line(f)
		}
	}
	if unknown && named && other == nil {
		return Wrong, "named, and called unexplained"
	}
	open := v.Word == "incomplete" || unknown
	switch {
	case open && t.Once:
		return Right, "" // one fetch may not show it
	case t.Severity == "":
		if open && !t.Young {
			return Incomplete, ""
		}
		return Right, ""
	case placed && strong, placed && t.Unknown, placed && other != nil && weakest.Severity.Rank() >= catalog.Warning.Rank():
		return Right, ""
	case open:
		return Incomplete, ""
	case placed && t.Hidden:
		return Right, ""
	case t.Harmless && v.Exit == 0:
		return Right, ""
	case placed:
		return Wrong, "mild: " + line(weakest)
	case named:
		return Wrong, "misplaced"
	}
	return Wrong, "cleared: " + v.Word
}

func rank(severity string) int { return catalog.Severity(severity).Rank() }

// at reports whether a finding is at the place of the fault.
func at(w random.World, t random.Truth, f catalog.Finding) bool {
	if t.Operator >= 0 && (f.Vertex == nil || f.Vertex.Name != rest.VertexName(w.Job, t.Operator)) {
		return false
	}
	if t.Split != "" && f.Split != "" && f.Split != strings.NewReplacer(" ", "_", ".", "_", ":", "_", ",", "_").Replace(t.Split) {
		return false
	}
	for _, s := range t.Subtasks {
		if len(f.Subtasks) > 0 && !slices.Contains(f.Subtasks, s) {
			return false
		}
	}
	return true
}

func line(f catalog.Finding) string {
	s := f.Cause + " " + string(f.Severity)
	if f.Latent {
		s += " latent"
	}
	return s
}
