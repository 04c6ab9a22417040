package analyze

import (
	"strings"
	"testing"

	"tidemark/flinkapi"
)

// A parallelism that Flink cannot have must not cost one object for each subtask of it.
func TestAbsurdParallelismIsBounded(t *testing.T) {
	for _, file := range filesIn(t, recordingsDir+"/*/lab-idle-partition.jsonl.gz") {
		for _, p := range []int{1 << 30, -1, 0} {
			c := captureFile(t, file)
			for _, s := range c.Jobs[0].Samples {
				for i := range s.Job.Vertices {
					s.Job.Vertices[i].Parallelism = p
				}
			}
			for _, v := range Triage(c, Options{}).Jobs[0].Vertices {
				if len(v.Subtasks) > maxParallelism {
					t.Errorf("parallelism %d: %d subtasks", p, len(v.Subtasks))
				}
			}
		}
	}
}

// Without a counter of restarts a sentence does without its number.
func TestNoNumberIsSaidThatWasNotRead(t *testing.T) {
	seen := 0
	for _, file := range filesIn(t, checksDir+"/restart-loop/fires.*.jsonl.gz") {
		c := captureFile(t, file)
		for _, s := range c.Jobs[0].Samples {
			s.JobMetrics = map[string]string{"numRestarts": "NaN"}
			s.Job.State = "RESTARTING"
			for _, v := range s.Vertices {
				v.Aggregates = map[string]flinkapi.Aggregate{}
			}
		}
		for _, f := range Triage(c, Options{}).Jobs[0].Findings {
			if f.Code == "TM701" {
				seen++
			}
			if strings.Contains(f.Summary, "NaN") {
				t.Errorf("%s: %s", file, f.Summary)
			}
		}
	}
	if seen == 0 {
		t.Error("no restart loop was found without the counter")
	}
}
