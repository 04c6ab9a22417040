package prom

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tidemark/analyze/catalog"
)

func alertsText(t *testing.T, form string, change func(*AlertOptions)) []byte {
	t.Helper()
	o := DefaultAlertOptions()
	if change != nil {
		change(&o)
	}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Alerts(&b, form, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// parsedRules reads the rules back, with every key known.
func parsedRules(t *testing.T, change func(*AlertOptions)) []rule {
	t.Helper()
	dec := yaml.NewDecoder(bytes.NewReader(alertsText(t, AlertRules, change)))
	dec.KnownFields(true)
	var f ruleFile
	if err := dec.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if len(f.Groups) != 1 {
		t.Fatalf("%d groups; alerts read recordings of the same evaluation, so there is one", len(f.Groups))
	}
	return f.Groups[0].Rules
}

func TestEveryAlertSaysHowBadItIsAndWhereToReadOn(t *testing.T) {
	explain := regexp.MustCompile(`^tidemark explain (TM\d{3})$`)
	names := map[string]bool{}
	for _, r := range parsedRules(t, nil) {
		if names[r.Alert+r.Record] {
			t.Errorf("%s%s is there twice", r.Alert, r.Record)
		}
		names[r.Alert+r.Record] = true
		if r.Alert == "" {
			continue
		}
		check, ok := catalog.FindCheck(r.Labels["code"])
		if !ok {
			t.Errorf("%s: no check %q", r.Alert, r.Labels["code"])
		}
		if catalog.Severity(r.Labels["severity"]).Rank() == 0 {
			t.Errorf("%s: severity %q", r.Alert, r.Labels["severity"])
		}
		if r.For == "" {
			t.Errorf("%s fires at once: a single scrape decides", r.Alert)
		}
		// Several checks can be behind an alert: the text of one of them would claim more than the rule knows.
		text := r.Annotations["description"]
		if text == "" || text == check.Means || names[text] || strings.Contains(text, "{{") {
			t.Errorf("%s: description %q", r.Alert, text)
		}
		names[text] = true
		for i, line := range strings.Split(r.Annotations["runbook"], "; ") {
			m := explain.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s: runbook %q", r.Alert, line)
			}
			if _, ok := catalog.FindCheck(m[1]); !ok || i == 0 && m[1] != check.Code {
				t.Errorf("%s: runbook names %s", r.Alert, m[1])
			}
		}
		if next := r.Annotations["next"]; next != "tidemark triage {{ $labels.job_id }}" && next != "tidemark triage" {
			t.Errorf("%s: next %q", r.Alert, next)
		}
		if r.Annotations["summary"] == "" || strings.Contains(r.Annotations["next"], "job_name") {
			t.Errorf("%s: %v", r.Alert, r.Annotations)
		}
	}
}

// A label that an annotation names must survive the aggregation of the expression.
func TestAnnotationsNameLabelsThatTheExpressionKeeps(t *testing.T) {
	label := regexp.MustCompile(`\$labels\.(\w+)`)
	outer := regexp.MustCompile(`by \(([^)]*)\)`)
	for _, r := range parsedRules(t, nil) {
		kept := "job_name, job_id" // of tidemark:job_running:seconds, which is not aggregated again
		if strings.HasPrefix(r.Expr, recSourceOut) {
			kept += ", task_name, subtask_index"
		} else if strings.HasPrefix(r.Expr, recLag) {
			kept += ", task_name"
		} else if m := outer.FindStringSubmatch(r.Expr); m != nil {
			kept = m[1]
		}
		for _, text := range r.Annotations {
			for _, m := range label.FindAllStringSubmatch(text, -1) {
				if !slices.Contains(strings.Split(kept, ", "), m[1]) {
					t.Errorf("%s: label %s is not among %s", r.Alert, m[1], kept)
				}
			}
		}
	}
}

// watermarkGauge finds watermark gauges that are used as values: behind them must stand what keeps the sentinels out.
var watermarkGauge = regexp.MustCompile(`(flink_taskmanager_job_task_(?:currentInputWatermark|operator_currentOutputWatermark|operator_split_watermark_currentWatermark)|tidemark:subtask_event_time:ms|tidemark:job_source_event_time:ms)(\{[^}]*\})?(\)? ?(?:[<>]=? ?\S+)?)`)

var guarded = regexp.MustCompile(`^\)? ?[<>]=? ?(-9\.2e18|9\.2e18|1e11|-86400000|9e8|time\(\))`)

func TestNoSentinelIsTakenForATime(t *testing.T) {
	var exprs []string
	for _, r := range parsedRules(t, nil) {
		exprs = append(exprs, r.Expr)
	}
	for _, p := range parsedDashboard(t, nil).Panels {
		exprs = append(exprs, p.Targets[0].Expr)
	}
	seen := 0
	for _, e := range exprs {
		for _, m := range watermarkGauge.FindAllStringSubmatchIndex(e, -1) {
			before, after := e[:m[0]], e[m[1]-len(e[m[6]:m[7]]):]
			seen++
			switch {
			case strings.HasPrefix(after, "["): // only whether it changes
				if !strings.HasSuffix(before, "changes(") {
					t.Errorf("a range that is not inside changes(): %s", e)
				}
			case guarded.MatchString(after):
			case regexp.MustCompile(`(and|unless) on \([^)]*\) \(?$`).MatchString(before): // only whether it is there
			default:
				t.Errorf("%q is used without a guard in\n%s", e[m[2]:m[3]], e)
			}
		}
		if strings.Contains(e, "time() -") && !strings.Contains(e, sane) {
			t.Errorf("a lag of what may be a sentinel or of another unit:\n%s", e)
		}
	}
	if seen < 20 {
		t.Errorf("only %d watermark gauges were looked at", seen)
	}
}

// The names are compared with scrapes of a real job; the three that it does not have are of Kafka readers and of SQL
// window joins. Splits have metrics since 2.1.
func TestRulesUseTheNamesThatFlinkGives(t *testing.T) {
	for _, version := range []string{"1.18.1", "2.3.0"} {
		t.Run(version, func(t *testing.T) { compareNames(t, version) })
	}
}

func compareNames(t *testing.T, version string) {
	text, err := os.ReadFile("../../testdata/alerts/flink-" + version + ".prom")
	if err != nil {
		t.Fatal(err)
	}
	real := map[string]bool{kafkaOffset: true, lateLeft: true, lateRight: true}
	labels := map[string]bool{"topic": true}
	if version == "1.18.1" {
		real[splitMark], real[splitIdle], real[splitPaused], labels["split"] = true, true, true, true
	}
	for _, line := range strings.Split(string(text), "\n") {
		name, rest, _ := strings.Cut(line, "{")
		if version == "1.18.1" && strings.Contains(name, "_split_") {
			t.Errorf("%s in 1.18.1", name)
		}
		real[name] = true
		for _, m := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(rest, -1) {
			labels[m[1]] = true
		}
	}
	used := 0
	for _, r := range parsedRules(t, nil) {
		for _, name := range regexp.MustCompile(`\bflink_\w+`).FindAllString(r.Expr, -1) {
			used++
			if !real[name] {
				t.Errorf("%s%s reads %s, which Flink does not have", r.Alert, r.Record, name)
			}
		}
		for _, m := range regexp.MustCompile(`(?:by|on) \(([^)]+)\)`).FindAllStringSubmatch(r.Expr, -1) {
			for _, l := range strings.Split(m[1], ", ") {
				if !labels[l] {
					t.Errorf("%s%s groups by %s, which Flink does not have", r.Alert, r.Record, l)
				}
			}
		}
	}
	if used < 40 {
		t.Errorf("only %d names were looked at", used)
	}
}

func TestAlertsThatCannotBeWritten(t *testing.T) {
	if err := Alerts(&bytes.Buffer{}, "pdf", DefaultAlertOptions()); err == nil || !strings.Contains(err.Error(), "rules, dashboard") {
		t.Errorf("got %v", err)
	}
	for _, form := range AlertForms {
		if err := Alerts(brokenWriter{}, form, DefaultAlertOptions()); err == nil {
			t.Errorf("%s: no error", form)
		}
	}
	if _, err := (alert{name: "X", codes: []string{"TM000"}}).rule(DefaultAlertOptions()); err == nil || !strings.Contains(err.Error(), "TM000") {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }
