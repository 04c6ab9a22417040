package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Change is how a fault, failed or suppressed, stands against the baseline.
type Change string

// The changes. A suppressed fault is still there: hiding it does not fix it.
const (
	New       Change = "new"       // the baseline judged it, or never saw its subject, and does not have the fault
	Unchanged Change = "unchanged" // the baseline has it too
	Unclear   Change = "unclear"   // the baseline skipped the check there, or left out results as mild as this one
)

// Baseline is how a run stands against an earlier one. Its numbers are of all results, shown or left out.
type Baseline struct {
	File      string `json:"file"`
	At        string `json:"at"`    // RFC 3339: when the baseline was judged
	AtMs      int64  `json:"at_ms"` // the same, epoch ms; 0 = unknown
	New       int    `json:"new"`
	Unchanged int    `json:"unchanged"`
	Unclear   int    `json:"unclear"`
	// Fixed are faults of the baseline whose check was judged again at the same subject and no longer finds them.
	Fixed []Result `json:"fixed"`
	// NotJudged are faults of the baseline whose check was skipped, or whose subject was not read, this time.
	NotJudged []Result `json:"not_judged"`
}

// ReadBaseline reads what an earlier run wrote with -o json.
func ReadBaseline(data []byte) (*Run, error) {
	var head struct {
		Schema  string            `json:"schema"`
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, errors.New("the file is empty")
		}
		return nil, fmt.Errorf("not JSON of one report: %w", err)
	}
	if head.Schema != SchemaCheck {
		return nil, fmt.Errorf("its schema is %q, not %q", head.Schema, SchemaCheck)
	}
	if head.Results == nil {
		return nil, errors.New("it has no results")
	}
	var run Run
	if err := json.Unmarshal(data, &run); err != nil {
		return nil, err
	}
	for i, r := range run.Results {
		if r.Fingerprint == "" || r.Status == "" {
			return nil, fmt.Errorf("result %d of %d has no fingerprint or no status", i+1, len(run.Results))
		}
	}
	return &run, nil
}

// point is where a check is judged: what is fixed inside of a subject leaves a pass of the whole subject.
type point struct{ code, key, kind, name string }

func (r *Result) point() point { return point{r.Code, r.Key, r.Subject.Kind, r.Subject.Name} }

func (r *Result) faulty() bool { return r.Status == Failed || r.Status == Suppressed }

// standing is what a run says by fingerprint and by point.
type standing struct {
	faults          map[string]bool
	judged, skipped map[point]bool
}

func standingOf(results []Result) standing {
	s := standing{faults: map[string]bool{}, judged: map[point]bool{}, skipped: map[point]bool{}}
	for i := range results {
		r := &results[i]
		if r.faulty() {
			s.faults[r.Fingerprint] = true
		}
		if r.Status == Skipped {
			s.skipped[r.point()] = true
		} else {
			s.judged[r.point()] = true
		}
	}
	return s
}

// compare marks the faults of a run, all of them, and tells what became of those of the baseline.
func compare(results []Result, old *Run, file string) *Baseline {
	b := &Baseline{File: file, At: old.At, AtMs: old.AtMs, Fixed: []Result{}, NotJudged: []Result{}}
	before, now := standingOf(old.Results), standingOf(results)
	for i := range results {
		r := &results[i]
		switch {
		case !r.faulty():
		case before.faults[r.Fingerprint]:
			r.Change = Unchanged
			b.Unchanged++
		case before.skipped[r.point()] || old.LeftOutOf[r.Severity] > 0:
			r.Change = Unclear
			b.Unclear++
		default:
			r.Change = New
			b.New++
		}
	}
	for _, r := range old.Results {
		if !r.faulty() || now.faults[r.Fingerprint] {
			continue
		}
		r.Change = ""
		if now.judged[r.point()] && !now.skipped[r.point()] {
			b.Fixed = append(b.Fixed, r)
		} else {
			b.NotJudged = append(b.NotJudged, r)
		}
	}
	return b
}
