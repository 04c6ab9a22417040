package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/render/doc"
)

func nextLines(r *analyze.Report, f catalog.Finding) string {
	blocks := next(&r.Jobs[0], r, &f)
	if len(blocks) == 0 {
		return ""
	}
	return blocks[0].(doc.Code).Text
}

func TestNextCommandsHaveTheNamesOfTheJob(t *testing.T) {
	r := richReport()
	r.Jobs = r.Jobs[:1]
	silent := r.Jobs[0].Findings[0]
	silent.Try = []string{"Orders.idle-timeout=30s"}
	want := "tidemark whatif orders-by-region --flink https://flink.example/proxy/app_1 --brokers HOST:9092 --field PATH --set Orders.idle-timeout=30s\ntidemark explain TM102"
	if got := nextLines(r, silent); got != want {
		t.Errorf("got:\n%s", got)
	}
	late := silent
	late.Code, late.Split, late.Try = "TM401", "my-topic-12", nil
	if got := nextLines(r, late); got != "tidemark recommend my-topic --brokers HOST:9092\ntidemark explain TM401" {
		t.Errorf("got:\n%s", got)
	}
	bound := late
	bound.Code, bound.Split = "TM301", ""
	if got := nextLines(r, bound); !strings.HasPrefix(got, "tidemark recommend orders --brokers") || !strings.Contains(got, "\ntidemark crosscheck orders-by-region --flink ") {
		t.Errorf("got:\n%s", got)
	}
	mild := silent
	mild.Severity = catalog.Info
	if got := nextLines(r, mild); got != "" {
		t.Errorf("an info finding suggests the command %q", got)
	}
}

func TestNextCommandsAreSafeInAShell(t *testing.T) {
	r := richReport()
	r.Jobs = r.Jobs[:1]
	r.Jobs[0].Name, r.Cluster.URL = "it's $(rm -rf x); `y`", ""
	if got := nextLines(r, r.Jobs[0].Findings[0]); got != "tidemark explain TM102" {
		t.Errorf("without a setting to try: %q", got)
	}
	f := r.Jobs[0].Findings[0]
	f.Try = []string{"My Orders.delay=1s"}
	if got := nextLines(r, f); !strings.Contains(got, `tidemark whatif 'it'\''s $(rm -rf x); `+"`y`"+`' --from RECORDING --brokers HOST:9092 --field PATH --set 'My Orders.delay=1s'`) {
		t.Errorf("got %q", got)
	}
	r.Jobs[0].ShortID = "7a4b696c"
	if got := nextLines(r, f); !strings.Contains(got, "tidemark whatif 7a4b696c --from") {
		t.Errorf("a name that two jobs share: %q", got)
	}
}

func TestALineAJob(t *testing.T) {
	r := richReport()
	r.Jobs[3].Name, r.Jobs[3].ID, r.Jobs[3].ShortID, r.Jobs[2].ShortID = "fine", "22ffee005e0ea1d72e4429bc72491451", "22ffee00", "00ffee00"
	lines := func(format string) []string {
		return strings.Split(strings.TrimSpace(string(rendered(t, format, r, Options{}))), "\n")
	}
	want := []string{"orders-by-region", "late-by-design", r.Jobs[3].ID, "00ffee005e0ea1d72e4429bc72491451"}
	if got := lines(Name); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q", got)
	}
	wide := lines(Wide)
	if len(wide) != 5 || wide[1] != "CRITICAL\torders-by-region\t2.1 s\tTM102 idle-split, TM202 future-record +1\tevent time stands still in 2 of 4 vertices" ||
		!strings.HasPrefix(wide[4], "HEALTHY\tfine (00ffee00)\t-\t-\t") {
		t.Errorf("got %q", wide)
	}
	table := string(rendered(t, Table, r, Options{}))
	for _, name := range []string{"fine (00ffee00)", "fine (22ffee00)"} {
		if !strings.Contains(table, name) {
			t.Errorf("no %q in:\n%s", name, table)
		}
	}
	for _, name := range hostileNames {
		for _, format := range JobFormats {
			if bad := acted(strings.ReplaceAll(string(rendered(t, format, hostileReport(name), Options{})), "\t", "")); len(bad) > 0 {
				t.Errorf("%s of %.30q: characters %q pass through", format, name, bad)
			}
		}
	}
}

func TestCrosscheckDoesNotSayHealthy(t *testing.T) {
	for _, c := range []struct {
		verdict  analyze.Verdict
		declared bool
		want     string
	}{{analyze.VerdictHealthy, true, "AS DECLARED"}, {analyze.VerdictInfo, false, "CONSISTENT"}, {analyze.VerdictWarning, true, "NOT AS DECLARED"}, {analyze.VerdictIncomplete, true, "INCOMPLETE"}} {
		d := &CrosscheckData{Job: analyze.JobReport{Name: "j", Verdict: c.verdict, Headline: "h"}, Sources: []CrosscheckSource{{}}}
		if c.declared {
			d.Sources[0].Declared = &CrosscheckDeclared{DelayMs: 1000, Origin: "--delay"}
		}
		for _, format := range []string{Table, HTML, Markdown} {
			var b bytes.Buffer
			if err := Crosscheck(d).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			if out := b.String(); !strings.Contains(out, c.want+" j") && !strings.Contains(out, ">"+c.want+"<") || strings.Contains(out, "HEALTHY") {
				t.Errorf("%s, %s: no %q in:\n%.600s", c.verdict, format, c.want, out)
			}
		}
	}
}

// The cause is fixed first: the commands are those of its finding, not of its consequence.
func TestNextIsOfTheCause(t *testing.T) {
	j := analyze.JobReport{Findings: []catalog.Finding{{Code: "TM401", Fix: catalog.Fix{After: "TM504"}}, {Code: "TM504"}}}
	if f := toFix(&j); f.Code != "TM504" {
		t.Error(f.Code)
	}
	j.Findings[0].Fix.After = ""
	if f := toFix(&j); f.Code != "TM401" {
		t.Error(f.Code)
	}
}

func TestAVertexThatHoldsItselfPointsToItsFinding(t *testing.T) {
	own := node{VertexReport: analyze.VertexReport{ID: "v", HeldBy: "[TM106]", Holder: &analyze.Holder{Point: model.Point{Vertex: &model.Ref{ID: "v"}}, Code: "TM106"}}}
	if got := strings.Join(own.notes(), "; "); got != "see TM106" {
		t.Error(got)
	}
	own.Holder.Code = "" // nothing names a cause, and "see" would point nowhere
	if got := own.notes(); len(got) > 0 {
		t.Error(got)
	}
}

// A recording is named as it was given; standard input has no name.
func TestTheNextCommandNamesTheRecording(t *testing.T) {
	r := richReport()
	r.Cluster.URL = ""
	for want, from := range map[string][]string{"--from 'my incident.jsonl.gz'": {"my incident.jsonl.gz"}, "--from a.gz --from b.gz": {"a.gz", "b.gz"}, "--from RECORDING": {"-"}} {
		r.From = from
		if got := fromWords(&r.Jobs[0], r); got != want {
			t.Errorf("%v: %q, want %q", from, got, want)
		}
	}
}
