package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tidemark/analyze/policy"
	"tidemark/internal/expect"
)

// A limit that is not kept is reported at its own line, also where the text of the one before begins with it.
func TestALimitIsReportedAtItsOwnLine(t *testing.T) {
	records := "partition,arrival,event\n0,1796000000000,1796000000000\n"
	for i := range 3 {
		records += fmt.Sprintf("0,%d,1795999990000\n", 1796000001000+i)
	}
	file := expect.File(t, "policy.yaml", `version: 1
jobs:
  - name: "*"
    replay:
      records: `+expect.File(t, "records.csv", records)+`
      strategy: {delay: 1s, emit: on-event}
      expect:
        - late<=20
        - late<=2
`)
	code, run, stderr := checked(t, "--policy", file)
	if code != 1 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, r := range run.Results {
		line := map[policy.Status]int{policy.Passed: 8, policy.Failed: 9}[r.Status]
		if r.Code == "TM870" && (r.Location.Line != line || r.Location.Column != 11) {
			t.Errorf("%s %s at %s, want line %d", r.Key, r.Status, r.Location, line)
		}
	}
	for format, want := range map[string]string{"table": "policy.yaml:9:11", "github": ",line=9,col=11", "junit": "policy.yaml:9:11", "sarif": `"startLine":9`} {
		f := newFake(nil)
		Main([]string{"check", "--policy", file, "-o", format}, f.env)
		out := f.out.String()
		if format == "sarif" {
			var doc any
			if err := json.Unmarshal(f.out.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(doc)
			out = string(text)
		}
		if !strings.Contains(out, want) || strings.Contains(out, strings.Replace(want, "9", "8", 1)) {
			t.Errorf("%s does not say %s:\n%s", format, want, out)
		}
	}
}
