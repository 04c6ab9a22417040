package analyze

import (
	"strings"
	"testing"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
)

// A parallelism that Flink cannot have must not cost one object for each subtask of it.
func TestAbsurdParallelismIsBounded(t *testing.T) {
	for _, file := range cases.Some(filesIn(t, recordingsDir+"/*/lab-idle-partition.jsonl.gz"), 1) {
		for _, p := range []int{1 << 30, -1, 0} {
			c := captureFile(t, file)
			for _, s := range c.Jobs[0].Samples {
				for i := range s.Job.Vertices {
					s.Job.Vertices[i].Parallelism = p
				}
			}
			for _, v := range Triage(c, Options{}).Jobs[0].Vertices {
				if len(v.Subtasks) > model.MaxParallelism {
					t.Errorf("parallelism %d: %d subtasks", p, len(v.Subtasks))
				}
			}
		}
	}
}

// Without a restart counter the summary names no number.
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

// Without a plan the operators are unknown, and it is not said that none uses event time.
func TestAJobWithoutAPlanIsNotCalledFreeOfEventTime(t *testing.T) {
	for _, file := range filesIn(t, recordingsDir+"/*/lab-idle-partition.jsonl.gz") {
		c := captureFile(t, file)
		for _, s := range c.Jobs[0].Samples {
			s.Plan, s.Job.Plan = flinkapi.Plan{}, flinkapi.Plan{}
		}
		j := Triage(c, Options{}).Jobs[0]
		if hasCause(j.Findings, "no-event-time") || j.Verdict == VerdictHealthy || j.Verdict == VerdictInfo {
			t.Errorf("%s: verdict %s, %s", file, j.Verdict, j.Headline)
		}
	}
}

// A vertex that is listed twice is judged once, with the verdict of the recording it was made from.
func TestVerticesListedTwiceAreJudgedOnce(t *testing.T) {
	for _, file := range filesIn(t, recordingsDir+"/*/lab-idle-partition.jsonl.gz") {
		once, c := onlyJob(t, file), captureFile(t, file)
		for _, s := range c.Jobs[0].Samples {
			s.Job.Vertices = append(s.Job.Vertices, s.Job.Vertices...)
			s.Plan.Nodes = append(s.Plan.Nodes, s.Plan.Nodes...)
		}
		j := Triage(c, Options{}).Jobs[0]
		if j.Verdict != once.Verdict || len(j.Vertices) != len(once.Vertices) || !hasCause(j.Findings, "idle-split") {
			t.Errorf("%s: verdict %s over %d vertices, want %s over %d", file, j.Verdict, len(j.Vertices), once.Verdict, len(once.Vertices))
		}
	}
}
