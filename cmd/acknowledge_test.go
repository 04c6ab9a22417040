package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tidemark/analyze"
)

const accepting = "version: 1\nsuppress:\n- {check: idle-split, split: silent3-3, reason: opens in January, until: "

func TestAcknowledgedFindingsDecideNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", accepting+"2026-12-31}\n")
	put(t, "past.yaml", accepting+"2026-11-01}\n")
	from := recording(t, "lab-idle-partition")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--policy", "p.yaml"}, exitClean, "acknowledged: TM102"},
		{[]string{"--policy", "p.yaml", "--fail-on", "info"}, exitClean, "acknowledged: TM102"},
		{[]string{"--policy", "p.yaml", "--policy", "past.yaml"}, exitClean, "acknowledged: TM102"},
		{[]string{"--policy", "past.yaml", "--fail-on", "warning"}, exitFindings, "critical TM102 TM873:"},
		{nil, exitFindings, "critical TM102:"},
	} {
		f := newFake(nil)
		code := Main(append([]string{"triage", "--from", from, "-o", "json"}, c.args...), f.env)
		var r analyze.Report
		if err := json.Unmarshal(f.out.Bytes(), &r); err != nil {
			t.Fatalf("%v: %v %s", c.args, err, f.err)
		}
		j := r.Jobs[0]
		got := string(j.Verdict)
		for _, f := range j.Findings {
			got += " " + f.Code
		}
		got += ":"
		for _, a := range j.Acknowledged {
			got += " " + a.Code
			if a.Until != "2026-12-31" || a.Reason != "opens in January" || a.Acceptance.Location.Line != 3 {
				t.Errorf("%v: %+v", c.args, a.Acceptance)
			}
		}
		if code != c.code || got != c.want {
			t.Errorf("%v: exit code %d, %s; want %d, %s", c.args, code, got, c.code, c.want)
		}
	}
}

func TestAcknowledgedFindingsAreShownApart(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", accepting+"2026-12-31}\n")
	from := recording(t, "lab-idle-partition")
	for format, parts := range map[string][]string{
		"table": {"ACKNOWLEDGED lab-idle-partition: ", "(acknowledged until 2026-12-31)", "accepted    until 2026-12-31 (p.yaml:3:3): opens in January."},
		"html":  {"acknowledged", "until 2026-12-31 (p.yaml:3:3): opens in January."},
		"wide":  {"ACKNOWLEDGED\tlab-idle-partition\t-\t1 finding acknowledged\t"},
	} {
		f := newFake(nil)
		if code := Main([]string{"triage", "--from", from, "--policy", "p.yaml", "-o", format}, f.env); code != exitClean {
			t.Errorf("%s: exit code %d, %s", format, code, f.err)
		}
		for _, part := range parts {
			if !strings.Contains(f.out.String(), part) {
				t.Errorf("%s lacks %q:\n%s", format, part, f.out)
			}
		}
	}
	f := newFake(nil)
	if code := Main([]string{"export", "--once", "--textfile", "x.prom", "--from", from, "--policy", "p.yaml"}, f.env); code != exitClean {
		t.Fatalf("export: exit code %d, %s", code, f.err)
	}
	text, err := os.ReadFile("x.prom")
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{`verdict="acknowledged"} 1`: true, "tidemark_finding{": false,
		`tidemark_finding_acknowledged_until_timestamp_seconds{job="lab-idle-partition"`: true, "} 1.7987616e+09\n": true} { // 2027-01-01
		if strings.Contains(string(text), part) != want {
			t.Errorf("export has %q: %v", part, !want)
		}
	}
}

func TestAPolicyThatAcceptsNothingIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x}\n")
	for _, args := range []string{"triage --from x.jsonl", "watch", "export --once --textfile x.prom"} {
		f := newFake(nil)
		code := Main(append(strings.Fields(args), "--policy", "p.yaml"), f.env)
		if want := "--policy p.yaml has no suppress, and nothing else of a policy is used here"; code != exitUsage || !strings.Contains(f.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, f.err)
		}
	}
}
