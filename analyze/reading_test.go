package analyze

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/flinktest"
)

// spoiled judges a recording with changed answers; change returns false to remove one.
func spoiled(t *testing.T, name string, change func(sample int, e *flinkapi.Entry) bool) (*model.Job, JobReport) {
	t.Helper()
	rec := flinktest.Open(t, "../testdata/recordings/"+name+".jsonl.gz")
	var kept []flinkapi.Entry
	sample := -1
	for _, e := range rec.Entries {
		if strings.HasPrefix(e.Path, "/jobs/") && strings.Count(e.Path, "/") == 2 && e.Path != "/jobs/overview" {
			sample++
		}
		if change(sample, &e) {
			kept = append(kept, e)
		}
	}
	c := flinkapi.Assemble(kept)
	j := model.BuildJob(c, c.Jobs[0])
	return j, Judge(j)
}

func refuse(status int, body string) func(*flinkapi.Entry) {
	return func(e *flinkapi.Entry) { e.Status, e.Body = status, json.RawMessage(body) }
}

// ways are the ways in which a recorded answer can be unusable.
var ways = map[string]func(*flinkapi.Entry){
	"403": refuse(403, `{"errors":["forbidden"]}`), "404": refuse(404, `{"errors":["not found"]}`), "500": refuse(500, `{"errors":["x"]}`),
	"html": refuse(200, `"<!DOCTYPE html><html></html>"`), "null": refuse(200, `null`), "object": refuse(200, `{}`),
	"errors": refuse(200, `{"errors":["internal"]}`), "cut": refuse(200, `"[{\"id\":\"0."`), "no answer": refuse(0, `"EOF"`),
}

// Without an answer that a claim depends on, a healthy job is neither healthy nor faulty, but incomplete.
func TestAClaimWithoutItsAnswerIsIncomplete(t *testing.T) {
	claims := map[string]func(e flinkapi.Entry) bool{
		"values": func(e flinkapi.Entry) bool {
			return strings.Contains(e.Path, "/metrics?get=") && strings.Contains(e.Path, "/vertices/")
		},
		"list": func(e flinkapi.Entry) bool {
			return strings.HasSuffix(e.Path, "/metrics") && strings.Contains(e.Path, "/vertices/") && !strings.Contains(e.Path, "/subtasks/")
		},
		"the job": func(e flinkapi.Entry) bool {
			return strings.HasPrefix(e.Path, "/jobs/") && strings.Count(e.Path, "/") == 2 && e.Path != "/jobs/overview"
		},
	}
	for what, is := range claims {
		for way, change := range ways {
			for _, samples := range [][]int{{0}, {1}, {0, 1}} {
				j, r := spoiled(t, "flink-2.3.0/lab-healthy", func(k int, e *flinkapi.Entry) bool {
					if is(*e) && slices.Contains(samples, k) {
						change(e)
					}
					return true
				})
				if r.Verdict != VerdictIncomplete || len(r.Findings) > 0 && r.Findings[0].Severity.Rank() > 1 || len(j.Gaps) == 0 || len(r.NotChecked) == 0 {
					t.Errorf("%s %s in %v: %s, %v, %d gaps", what, way, samples, r.Verdict, placesOf(r.Findings), len(j.Gaps))
				}
			}
		}
	}
}

// A missing answer that no claim depends on is reported and leaves the verdict as it is.
func TestOtherAnswersAreSaidOnly(t *testing.T) {
	for _, path := range []string{"/exceptions", "/checkpoints", "/backpressure", "/watermarks", "/jobmanager/config"} {
		_, r := spoiled(t, "flink-2.3.0/lab-healthy", func(_ int, e *flinkapi.Entry) bool {
			if strings.Contains(e.Path, path) {
				ways["403"](e)
			}
			return true
		})
		if r.Verdict != VerdictInfo || path != "/jobmanager/config" && (len(r.NotChecked) == 0 || !strings.Contains(r.NotChecked[0].Reason, "403")) {
			t.Errorf("%s: %s, %v", path, r.Verdict, r.NotChecked)
		}
	}
}

// A job that is in no sample is reported with the answer that failed and its state in the list of jobs.
func TestAJobThatCannotBeReadIsInTheReport(t *testing.T) {
	for way, change := range ways {
		_, r := spoiled(t, "flink-2.3.0/lab-healthy", func(_ int, e *flinkapi.Entry) bool {
			if strings.HasPrefix(e.Path, "/jobs/") && strings.Count(e.Path, "/") == 2 && e.Path != "/jobs/overview" {
				change(e)
			}
			return true
		})
		if r.Verdict != VerdictIncomplete || r.Name != "lab-healthy" || r.State != "RUNNING" || !strings.Contains(r.Headline, "RUNNING") || len(r.NotChecked) == 0 {
			t.Errorf("%s: %+v", way, r)
		}
	}
}

func TestAVersionOutsideOfThoseKnownIsSaid(t *testing.T) {
	for version, want := range map[string]string{"1.12.7": "older than 1.17", "2.4.0": "newer than 2.3", "3.0-SNAPSHOT": "newer than 2.3", "1.17.0": "", "2.3.9-amzn-1": "", "2.30.1": "newer", "": ""} {
		c := &flinkapi.Capture{}
		c.Overview.FlinkVersion = version
		r := Triage(c, Options{})
		if want == "" && len(r.NotChecked) > 0 || want != "" && (len(r.NotChecked) != 1 || !strings.Contains(r.NotChecked[0].Reason, version+" is "+want)) {
			t.Errorf("%q: %v", version, r.NotChecked)
		}
	}
}
