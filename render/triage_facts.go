package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// readFacts say where and when a report was made.
func readFacts(r *analyze.Report) []string {
	if len(r.Contexts) > 0 {
		return []string{"contexts " + contextsText(r.Contexts), "read " + words.Clock(r.CapturedMs)}
	}
	s := "Flink " + or(safe.Short(r.Cluster.FlinkVersion, 20), "(version unknown)")
	if o := r.Readings; o != nil {
		s += ", from Prometheus " + safe.Short(o.Prometheus, 60) + " (a sample each " + units.Duration(o.ResolutionMs) + ")"
		if o.Graph == "" {
			s += ", without a graph"
		} else {
			s += ", graph from " + safe.Short(o.Graph, 60)
		}
		return []string{s, "as of " + words.Clock(r.CapturedMs)}
	}
	if r.Cluster.URL != "" {
		s += " at " + safe.Short(r.Cluster.URL, 60)
	}
	return []string{s, "read " + words.Clock(r.CapturedMs)}
}

// contextsText is "dev (Flink 2.3.0), prod (not read)".
func contextsText(all []analyze.Context) string {
	var parts []string
	for _, c := range all {
		state := "Flink " + or(safe.Short(c.FlinkVersion, 20), "(version unknown)")
		switch {
		case c.Error != "":
			state = "not read"
		case c.FlinkVersion == "":
			state = "no such job"
		}
		parts = append(parts, safe.Short(c.Name, 40)+" ("+state+")")
	}
	return strings.Join(parts, ", ")
}

// jobFacts say how a job was read.
func jobFacts(j *analyze.JobReport) []string {
	state := "state " + or(safe.Short(j.State, 20), "unknown")
	if j.UptimeMs > 0 {
		state = "running for " + units.Duration(j.UptimeMs)
	}
	samples := words.Plural(j.Samples, "sample", "samples")
	if j.Samples > 1 && j.SampleGapMs > 0 {
		samples += " over " + units.Duration(j.SampleGapMs)
	}
	facts := []string{state, samples}
	switch {
	case j.AgeAtLeast:
		facts = append(facts, "metrics at least "+units.Duration(j.AgeMs)+" old (this reading made the JobManager fetch new ones)")
	case j.AgeMs > 0:
		facts = append(facts, "metrics "+units.Duration(j.AgeMs)+" old")
	}
	return facts
}

func readLine(r *analyze.Report) string { return strings.Join(readFacts(r), ", ") }

func sampleText(j *analyze.JobReport) string { return strings.Join(jobFacts(j), ", ") }

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// countsText is "26 jobs: 1 critical, 25 healthy".
func countsText(r *analyze.Report) string {
	var parts []string
	for _, v := range verdictOrder {
		n := 0
		for _, j := range r.Jobs {
			if j.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return words.Plural(len(r.Jobs), "job", "jobs") + ": " + strings.Join(parts, ", ")
}

// codesText lists the findings of a job, each code once.
func codesText(j *analyze.JobReport) string {
	var parts []string
	for _, f := range j.Findings {
		if part := safe.Short(f.Code, 12) + " " + safe.Short(f.Cause, 40); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if n := len(j.Acknowledged); n > 0 && len(parts) == 0 {
		return words.Plural(n, "finding", "findings") + " acknowledged"
	}
	if n := len(j.NotChecked); n > 0 && len(parts) == 0 {
		return fmt.Sprintf("%d not checked", n)
	}
	if n := len(parts) - 2; n > 0 {
		return strings.Join(parts[:2], ", ") + fmt.Sprintf(" +%d", n)
	}
	return strings.Join(parts, ", ")
}
