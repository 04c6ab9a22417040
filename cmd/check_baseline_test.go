package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/policy"
	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/internal/jsonschema"
)

const (
	lagOfAMillisecond = "version: 1\njobs:\n  - {name: \"*\", owner: x, max-lag: 1ms}\n"
	lagOfADay         = "version: 1\njobs:\n  - {name: \"*\", owner: x, max-lag: 24h}\n"
)

func compared(t *testing.T, args string) (policy.Run, fake, int) {
	t.Helper()
	f := newFake(nil)
	code := Main(append([]string{"check"}, strings.Fields(args)...), f.env)
	var run policy.Run
	if strings.Contains(args, "-o json") {
		if err := json.Unmarshal(f.out.Bytes(), &run); err != nil {
			t.Fatalf("check %s: %v: %s", args, err, f.err)
		}
	}
	return run, f, code
}

// marked are the codes of the results with that mark.
func marked(run policy.Run, c policy.Change) (codes string) {
	for _, r := range run.Results {
		if r.Change == c {
			codes += r.Code + " "
		}
	}
	return strings.TrimSpace(codes)
}

func listed(results []policy.Result) (codes string) {
	for _, r := range results {
		codes += r.Code + " "
	}
	return strings.TrimSpace(codes)
}

func TestABaselineTellsWhatIsNewFixedAndUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	strict, mild := expect.File(t, "strict.yaml", lagOfAMillisecond), expect.File(t, "mild.yaml", lagOfADay)
	from := " --from " + recording(t, "lab-healthy")
	for name, of := range map[string]string{"strict": strict, "mild": mild} {
		_, f, code := compared(t, "--policy "+of+from+" --report json="+dir+"/"+name+".json")
		if code != map[string]int{"strict": exitFindings}[name] {
			t.Fatalf("%s: exit code %d: %s", name, code, f.err)
		}
	}
	hidden := expect.File(t, "hidden.yaml", lagOfAMillisecond+"suppress:\n  - {check: lag-above-limit, reason: soon, until: 2026-12-30}\n")
	for _, c := range cases.Some([]struct {
		name, args                          string
		code                                int
		fresh, same, unclear, fixed, missed string
	}{
		{"the same", "--policy " + strict + from + " --baseline " + dir + "/strict.json", 1, "", "TM856 TM856 TM402", "", "", ""},
		{"a fault more", "--policy " + strict + from + " --baseline " + dir + "/mild.json", 1, "TM856 TM856", "TM402", "", "", ""},
		{"a fault less", "--policy " + mild + from + " --baseline " + dir + "/strict.json", 0, "", "TM402", "", "TM856 TM856", ""},
		{"hidden is not fixed", "--policy " + hidden + from + " --baseline " + dir + "/strict.json", 0, "", "TM856 TM856 TM402", "", "", ""},
		{"left out is not fixed", "--min-severity critical --policy " + strict + from + " --baseline " + dir + "/strict.json", 1, "", "", "", "", ""},
		{"another job is no repair", "--policy " + mild + " --from " + recording(t, "lab-idle-partition") + " --baseline " + dir + "/strict.json", 1, "TM856 TM102 TM856", "", "", "", "TM856 TM856 TM402"},
	}, 3) {
		run, f, code := compared(t, c.args+" -o json")
		b := run.Baseline
		if b == nil {
			t.Fatalf("%s: no baseline in the report: %s", c.name, f.err)
		}
		schema := jsonschema.Reflector{Own: own(), As: as, Strict: true}
		if err := validate(t, compiled(t, schema.Of("check", published()["check"])), f.out.Bytes()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := []string{marked(run, policy.New), marked(run, policy.Unchanged), marked(run, policy.Unclear), listed(b.Fixed), listed(b.NotJudged)}
		if code != c.code || strings.Join(got, "|") != strings.Join([]string{c.fresh, c.same, c.unclear, c.fixed, c.missed}, "|") {
			t.Errorf("%s: exit code %d, new|unchanged|unclear|fixed|not judged: %q", c.name, code, got)
		}
	}
	if run, _, _ := compared(t, "--min-severity critical --policy "+strict+from+" --baseline "+dir+"/strict.json -o json"); run.Baseline.Unchanged != 3 || run.LeftOut != 3 {
		t.Errorf("%d unchanged, %d left out, want 3: what is not shown is counted", run.Baseline.Unchanged, run.LeftOut)
	}
	for _, format := range []string{"table", "markdown", "github"} {
		_, f, _ := compared(t, "--policy "+strict+from+" --baseline "+dir+"/mild.json -o "+format)
		said := strings.Join(strings.Fields(f.out.String()), " ")
		for _, want := range []string{"2 new, 1 unchanged, 0 fixed", "Against "} {
			if !strings.Contains(strings.ReplaceAll(said, "**", ""), want) {
				t.Errorf("-o %s does not say %q:\n%s", format, want, f.out)
			}
		}
		if format == "table" && !strings.Contains(said, "[TM856, new]") || format == "github" && !strings.Contains(said, "%2C new::") || format == "markdown" && !strings.Contains(said, "TM856, new") {
			t.Errorf("-o %s does not mark the new result:\n%s", format, f.out)
		}
	}
	_, f, _ := compared(t, "--policy "+mild+from+" --baseline "+dir+"/strict.json -o markdown")
	if !strings.Contains(f.out.String(), "Fixed since the baseline") {
		t.Errorf("what is fixed is not listed:\n%s", f.out)
	}
}

// A baseline that left results out, or skipped the check, cannot say that a fault is new.
func TestABaselineThatDidNotShowAFaultDoesNotMakeItNew(t *testing.T) {
	t.Parallel()
	strict := expect.File(t, "strict.yaml", lagOfAMillisecond)
	args := "--policy " + strict + " --from " + recording(t, "lab-healthy")
	old, _, _ := compared(t, args+" -o json")
	severity := old.Results[0].Severity
	for _, r := range old.Results {
		if r.Code == "TM856" {
			severity = r.Severity
		}
	}
	for name, change := range map[string]func(r *policy.Run, i int){
		"left out": func(r *policy.Run, i int) {
			r.Results = append(r.Results[:i], r.Results[i+1:]...)
			r.LeftOut, r.LeftOutOf = 1, map[catalog.Severity]int{severity: 1}
		},
		"skipped": func(r *policy.Run, i int) { r.Results[i].Status = policy.Skipped },
	} {
		base := old
		base.Results = append([]policy.Result{}, old.Results...)
		for i, r := range base.Results {
			if r.Code == "TM856" {
				change(&base, i)
				break
			}
		}
		text, err := json.Marshal(base)
		if err != nil {
			t.Fatal(err)
		}
		run, f, code := compared(t, args+" -o json --baseline "+expect.File(t, "b.json", string(text)))
		if code != exitFindings || !strings.Contains(marked(run, policy.Unclear), "TM856") || run.Baseline.Unclear == 0 {
			t.Errorf("%s: exit code %d, unclear %q: %s", name, code, marked(run, policy.Unclear), f.err)
		}
	}
}

func TestABaselineThatIsNoReportIsRefused(t *testing.T) {
	t.Parallel()
	args := "--policy " + expect.File(t, "p.yaml", lagOfADay) + " --from " + recording(t, "lab-healthy") + " --baseline "
	for name, c := range map[string]struct{ file, want string }{
		"none":      {t.TempDir() + "/nowhere.json", "nowhere.json cannot be read: no such file or directory"},
		"folder":    {t.TempDir(), "cannot be read: is a directory"},
		"empty":     {expect.File(t, "a.json", "\n"), "a.json is no JSON report of an earlier check: the file is empty"},
		"text":      {expect.File(t, "b.json", "FAILED\nno"), "b.json is no JSON report of an earlier check: not JSON of one report"},
		"list":      {expect.File(t, "c.json", "[]"), "c.json is no JSON report of an earlier check"},
		"other":     {expect.File(t, "d.json", `{"schema":"tidemark.report/v1","jobs":[]}`), `its schema is "tidemark.report/v1", not "tidemark.check/v1"`},
		"cut":       {expect.File(t, "e.json", `{"schema":"tidemark.check/v1","results":[`), "not JSON of one report"},
		"no result": {expect.File(t, "f.json", `{"schema":"tidemark.check/v1"}`), "it has no results"},
		"nameless":  {expect.File(t, "g.json", `{"schema":"tidemark.check/v1","results":[{"code":"TM102","status":"failed"}]}`), "result 1 of 1 has no fingerprint"},
		"wrong":     {expect.File(t, "h.json", `{"schema":"tidemark.check/v1","results":[{"code":7}]}`), "h.json is no JSON report of an earlier check"},
	} {
		_, f, code := compared(t, args+c.file)
		if code != exitUsage || f.out.Len() > 0 || strings.Count(f.err.String(), "\n") != 1 || !strings.Contains(f.err.String(), "--baseline ") || !strings.Contains(f.err.String(), c.want) {
			t.Errorf("%s: exit code %d, %q", name, code, f.err)
		}
	}
	good := t.TempDir() + "/good.json"
	if _, f, code := compared(t, strings.TrimSuffix(args, " --baseline ")+" --report json="+good); code != exitClean {
		t.Fatalf("exit code %d: %s", code, f.err)
	}
	if _, f, code := compared(t, args+good+" -o junit"); code != exitUsage || !strings.Contains(f.err.String(), "-o junit says nothing of it") {
		t.Errorf("a baseline that nothing shows: exit code %d, %s", code, f.err)
	}
	if _, f, code := compared(t, args+good+" -o junit --report json="+good); code != exitClean {
		t.Errorf("the report takes the place of its baseline: exit code %d, %s", code, f.err)
	}
	if text, err := os.ReadFile(good); err != nil || !strings.Contains(string(text), `"baseline": {`) {
		t.Errorf("%v: %.200s", err, text)
	}
}
