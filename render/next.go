package render

import (
	"regexp"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
)

// The findings for which the topic has to be measured, and those for which the job is compared with it.
var (
	toMeasure = []string{"TM301", "TM306", "TM401", "TM402", "TM403"}
	toCompare = []string{"TM107", "TM109", "TM110", "TM301", "TM906"}
)

// toFix is the worst finding, or the one to fix before it.
func toFix(j *analyze.JobReport) *catalog.Finding {
	worst := &j.Findings[0]
	for i := range j.Findings {
		if f := &j.Findings[i]; worst.Fix.After != "" && f.Code == worst.Fix.After {
			return f
		}
	}
	return worst
}

// next is what to run after a finding, with the names of its job.
func next(j *analyze.JobReport, r *analyze.Report, f *catalog.Finding) []doc.Block {
	if f.Severity == catalog.Info || f.Vertex == nil && f.Code != "TM906" {
		return nil
	}
	job := shellWord(j.Name)
	switch {
	case j.ShortID != "":
		job = shellWord(safe.Clean(j.ShortID))
	case j.Name == "":
		job = shellWord(safe.Head(safe.Clean(j.ID), 8))
	}
	from := fromWords(j, r)
	topic := topicOf(j, f)
	var lines []string
	if len(f.Try) > 0 {
		command := "tidemark whatif " + job + " " + from + " --brokers HOST:9092 --field PATH"
		for _, set := range f.Try {
			command += " --set " + shellWord(set)
		}
		lines = append(lines, command)
	}
	if slices.Contains(toMeasure, f.Code) && topic != "" {
		lines = append(lines, "tidemark recommend "+shellWord(topic)+" --brokers HOST:9092")
	}
	if slices.Contains(toCompare, f.Code) {
		lines = append(lines, "tidemark crosscheck "+job+" "+from+" --brokers HOST:9092")
	}
	lines = append(lines, "tidemark explain "+safe.Short(f.Code, 12))
	return []doc.Block{doc.Code{Title: "Next", Text: strings.Join(lines, "\n")}}
}

// fromWords repeats the flags that say where the job was read.
func fromWords(j *analyze.JobReport, r *analyze.Report) string {
	switch past := r.Readings; {
	case j.Context != "":
		return "--context " + shellWord(j.Context)
	case past != nil && strings.Contains(past.Graph, "://"): // the cluster is Prometheus, which holds no job graph
		return "--flink " + shellWord(past.Graph)
	case past != nil && past.Graph != "":
		return "--from " + shellWord(past.Graph)
	case past != nil:
		return "--flink URL"
	case r.Cluster.URL != "":
		return "--flink " + shellWord(r.Cluster.URL)
	case len(r.From) == 0 || slices.Contains(r.From, "-"): // standard input has no name
		return "--from RECORDING"
	}
	var words []string
	for _, path := range r.From {
		words = append(words, "--from "+shellWord(path))
	}
	return strings.Join(words, " ")
}

// partitionOf is the topic in the name of a split.
var partitionOf = regexp.MustCompile(`^([A-Za-z0-9._-]+)-\d+$`)

// topicOf is the topic of the finding's split, or the only one that the sources read, "" = not known.
func topicOf(j *analyze.JobReport, f *catalog.Finding) string {
	if m := partitionOf.FindStringSubmatch(f.Split); m != nil {
		return m[1]
	}
	topic := ""
	for _, v := range j.Vertices {
		for _, s := range v.Subtasks {
			for _, sp := range s.Splits {
				m := partitionOf.FindStringSubmatch(sp.ID)
				if m == nil || topic != "" && topic != m[1] {
					return ""
				}
				topic = m[1]
			}
		}
	}
	return topic
}

// shellWord quotes a foreign name for a POSIX shell.
func shellWord(s string) string { return units.Shell(safe.Clean(s)) }
