package policy

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/cases"
)

func jobsOf(t *testing.T, file string) []Job {
	t.Helper()
	rec, err := flinkapi.OpenRecording(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rec.Capture(context.Background(), flinkapi.CaptureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	for _, jc := range c.Jobs {
		jobs = append(jobs, NewJob(model.BuildJob(c, jc)))
	}
	return jobs
}

// The draft of a recording can be read, meets the schema, means its jobs, and can be compared with
// the recording it was made from: it only fails where triage found something or nobody decided.
func TestDraftsOfAllRecordings(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/recordings/*/*.jsonl.gz")
	more, _ := filepath.Glob("../../testdata/checks/*/*.jsonl.gz")
	schema := compiled(t)
	for i, file := range more {
		if i%4 == 0 { // the like of the others is among these
			files = append(files, file)
		}
	}
	for _, file := range cases.Some(files, 30) {
		jobs := jobsOf(t, file)
		text := Draft(jobs, file)
		p, err := Parse("draft.yaml", text)
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, text)
			continue
		}
		if ok, _ := meets(schema, text); !ok {
			t.Errorf("%s: the draft does not meet the schema\n%s", file, text)
		}
		if es := Contradictions([]*Policy{p}); len(es) > 0 {
			t.Errorf("%s: %v", file, es)
		}
		run, err := Evaluate([]*Policy{p}, Input{Jobs: jobs, JobsRead: true})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, r := range run.Results {
			switch {
			case r.Code == "TM875" || r.Code == "TM876":
				t.Errorf("%s: %s", file, r.Message)
			case r.Status == Failed && r.Key != "" && !draftMayFail(r, jobs):
				t.Errorf("%s: the draft fails %s at its own recording: %s", file, r.Key, r.Message)
			}
		}
	}
}

// draftMayFail: what nobody decided, and demands that a finding of triage refutes.
func draftMayFail(r Result, jobs []Job) bool {
	switch r.Key {
	case "require.owner", "idleness.required":
		return true
	}
	for _, j := range jobs {
		for _, f := range j.Report.Findings {
			if f.Severity != catalog.Info {
				return true
			}
		}
		if r.Key == "late.share" && len(j.Report.Findings) > 0 {
			return true
		}
	}
	return false
}

func TestADraftHarmsNobody(t *testing.T) {
	for _, name := range []string{"a\nb: c", "* ? /x/", "/x/", "\"'", "#", "  ", strings.Repeat("x", 10_000), "\u202eorders", "<b>", "\x1b[31m", "{a: b}"} {
		j := Job{Report: analyze.JobReport{Name: name, State: "RUNNING"}, Facts: facts.Facts{Running: true, Sources: []facts.SourceFacts{
			{Name: name, Used: model.UseYes, Idle: facts.IdleFact{State: facts.IdleSet, How: name}}, {Name: name + "2", Used: model.UseYes}}}}
		text := Draft([]Job{j}, name)
		p, err := Parse("p.yaml", text)
		if err != nil {
			t.Errorf("%q: %v\n%s", name, err, text)
			continue
		}
		if !p.Jobs[0].Name.Match(name) || !p.Jobs[1].Source.Match(name) {
			t.Errorf("%q is not meant by %s and %s", name, p.Jobs[0].Name.Text, p.Jobs[1].Source.Text)
		}
		if strings.ContainsAny(string(text), "\x1b\r") {
			t.Errorf("%q: control characters in\n%s", name, text)
		}
	}
	if _, err := Parse("p.yaml", Draft(nil, "nothing")); err != nil {
		t.Error(err)
	}
}
