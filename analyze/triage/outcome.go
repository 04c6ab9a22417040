package triage

import (
	"errors"
	"fmt"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
)

// ErrFindings says that a report has findings at or above the severity of --fail-on.
var ErrFindings = errors.New("findings at or above --fail-on")

// Err is the Outcome of the result.
func (r Result) Err() error { return Outcome(r.Report.Jobs, r.failOn, r.Damage) }

// Outcome is ErrFindings where a job has findings at or above failOn ("none" = never), an error where anything could not
// be judged, else nil.
func Outcome(jobs []analyze.JobReport, failOn catalog.Severity, damage []error) error {
	var unsure []string
	for _, j := range jobs {
		// The verdict includes findings that MinSeverity left out of the report.
		rank := catalog.Severity(j.Verdict).Rank()
		for _, f := range j.Findings {
			rank = max(rank, f.Severity.Rank())
		}
		if failOn != "none" && rank >= failOn.Rank() {
			return ErrFindings
		}
		if j.Verdict == analyze.VerdictIncomplete || j.Incomplete {
			unsure = append(unsure, j.Name)
		}
	}
	switch {
	case len(damage) > 0:
		return fmt.Errorf("only what could be read was judged: %w", damage[0])
	case len(jobs) == 0:
		return errors.New("nothing could be judged: no job was read")
	case len(unsure) == 1:
		return fmt.Errorf("job %.60s could not be judged completely", unsure[0])
	case len(unsure) > 1:
		return fmt.Errorf("%d of %d jobs could not be judged completely", len(unsure), len(jobs))
	}
	return nil
}

// LeftOut counts the jobs whose verdict comes from findings that MinSeverity left out of the report.
func (r Request) LeftOut(report *analyze.Report) int {
	n := 0
	for _, j := range report.Jobs {
		rank := catalog.Severity(j.Verdict).Rank()
		if rank >= catalog.Info.Rank() && rank < catalog.Severity(r.MinSeverity).Rank() {
			n++
		}
	}
	return n
}

// Unread is an error that names the listed jobs that could not be read, nil where there are none; all says that no job
// could be read.
func Unread(jobs []analyze.JobReport) (err error, all bool) {
	n, first := 0, analyze.JobReport{}
	for _, j := range jobs {
		if !j.Unread {
			continue
		}
		if n++; n == 1 {
			first = j
		}
	}
	switch n {
	case 0:
		return nil, false
	case 1:
		err = fmt.Errorf("job %.60s: %s", first.Name, first.Headline)
	default:
		err = fmt.Errorf("%d of %d jobs could not be read; of %.60s: %s", n, len(jobs), first.Name, first.Headline)
	}
	return err, n == len(jobs)
}
