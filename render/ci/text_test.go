package ci

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/drill"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/render/doc"
)

func TestTheFirstLineIsTheOutcome(t *testing.T) {
	mixed := sampleRun()
	mixed.FailOn = "none"
	mixed.Outcome, mixed.Incomplete = policy.OutcomePassed, nil
	for want, run := range map[string]*policy.Run{
		"FAILED deploy/tidemark policy.yaml: 4 of 12 checks failed":        sampleRun(),
		"PASSED tidemark.yaml: no check applies":                           emptyRun(),
		"INCOMPLETE tidemark.yaml: not everything that the policy demands": incompleteRun(),
		"PASSED deploy/tidemark policy.yaml: nothing at or above critical": passedRun(),
		"PASSED deploy/tidemark policy.yaml: nothing at or above none":     mixed,
		"UNKNOWN without a policy file: no check applies":                  {},
	} {
		first, _, _ := strings.Cut(string(checked(t, Text, run, Options{})), "\n")
		if !strings.HasPrefix(first, want) {
			t.Errorf("got %q, want %q", first, want)
		}
	}
}

func TestTextSaysAllThatAResultHolds(t *testing.T) {
	out := strings.Join(strings.Fields(string(checked(t, Text, sampleRun(), Options{}, doc.Look{Width: 120}))), " ")
	for _, want := range []string{
		"deploy/tidemark policy.yaml:14:7", "sql/enrich.sql:31:1", "TM102", "certain", "delay.at_most", "subtask 1, split orders-3",
		"currentWatermark = none (never emitted)", ".withIdleness(Duration.ofMinutes(1))", "Declare about 8 s.", "below --fail-on warning",
		"Skipped TM401 late-records (late.share) at job orders-by-region the recording has one sample", "without it the run is incomplete",
		"Suppressed TM102 idle-split at job payments until 2027-01-31: the partition is retired", "Suppressed at deploy/tidemark policy.yaml:40:5",
		"Incomplete - late.share of job", "2 of the failed not shown (--min-severity)", "recording staging.jsonl.gz (2 samples over 21.6 s)",
		"query enriched", // without the catalog and database that every table has
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the text does not say %q:\n%s", want, out)
		}
	}
	for _, order := range [][2]string{{"FAILED", "job orders"}, {"job orders", "Incomplete"}, {"Incomplete", "Skipped"}, {"Skipped", "Suppressed TM"}, {"Suppressed TM", "12 checks:"}} {
		if strings.Index(out, order[0]) > strings.Index(out, order[1]) {
			t.Errorf("%q is after %q", order[0], order[1])
		}
	}
}

func TestWhatCounts(t *testing.T) {
	for _, c := range []struct {
		failOn   string
		severity catalog.Severity
		status   policy.Status
		want     bool
	}{
		{"critical", catalog.Critical, policy.Failed, true}, {"critical", catalog.Warning, policy.Failed, false},
		{"warning", catalog.Warning, policy.Failed, true}, {"info", catalog.Info, policy.Failed, true},
		{"none", catalog.Critical, policy.Failed, false}, {"info", catalog.Critical, policy.Suppressed, false},
		{"info", catalog.Critical, policy.Skipped, false}, {"info", catalog.Critical, policy.Passed, false},
		{"", catalog.Info, policy.Failed, true},
	} {
		if got := counts(&policy.Run{FailOn: c.failOn}, &policy.Result{Severity: c.severity, Status: c.status}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestCountsAreWords(t *testing.T) {
	for want, run := range map[string]*policy.Run{
		"12 checks: 7 failed (2 critical, 2 warning, 3 info), 2 skipped, 1 suppressed, 2 passed; 3 of the failed below --fail-on warning; 2 of the failed not shown (--min-severity)": sampleRun(),
		"no checks":                      emptyRun(),
		"1 check: 1 failed (1 critical)": manyRun(1),
	} {
		if got := countsLine(run); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPartsOfASubject(t *testing.T) {
	many := policy.Subject{Subtasks: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for want, s := range map[string]policy.Subject{
		"": {Kind: "job", Name: "x"},
		"subtasks 0, 1, 2, 3, 4, 5, 6, 7 and 2 more":                many,
		`vertex "Source: \x1bOrders", subtask 3, split orders-\x00`: {Vertex: &model.Ref{Name: "Source: \x1bOrders"}, Subtasks: []int{3}, Split: "orders-\x00"},
	} {
		if got := subjectPart(s, 60); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestMarkdownFitsAStepSummary(t *testing.T) {
	long := strings.Repeat("a very long message | with <html> in it ", 40)
	run := manyRun(3000)
	for i := range run.Results {
		run.Results[i].Message = fmt.Sprintf("number %d ", i) + long
	}
	out := string(checked(t, Markdown, run, Options{}))
	if len(out) > SummaryLimit {
		t.Errorf("%d bytes", len(out))
	}
	rows := strings.Count(out, "\n### ")
	if rows < 300 || rows >= 3000 {
		t.Errorf("%d rows", rows)
	}
	if want := fmt.Sprintf("%d parts are left out", 3000-rows); !strings.Contains(out, want) {
		t.Errorf("it does not say that %s", want)
	}
	if !strings.Contains(out, "3,000 checks: 3,000 failed") {
		t.Error("the counts are missing")
	}
	if whole := string(checked(t, Markdown, manyRun(1000), Options{})); strings.Count(whole, "\n### ") != 1000 || strings.Contains(whole, "left out") {
		t.Error("a thousand results do not all fit")
	}
}

// TestMarkdownRowsHaveTheirCells: a name must not add a cell or end a table.
func TestMarkdownRowsHaveTheirCells(t *testing.T) {
	for _, name := range checkHostileNames {
		fence := ""
		for _, l := range strings.Split(string(checked(t, Markdown, hostileRun(name), Options{})), "\n") {
			if ticks := l[:len(l)-len(strings.TrimLeft(l, "`"))]; len(ticks) >= 3 && (fence == "" || l == fence) {
				fence = map[bool]string{true: ticks}[fence == ""]
				continue
			}
			if fence == "" && strings.HasPrefix(l, "|") {
				if n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(l, `\\`, ""), `\|`, ""), "|"); n != 6 {
					t.Errorf("%.40q: %d bars in %.200s", name, n, l)
				}
			}
		}
	}
}

// A figure of a replay that is unknown is not written as a number.
func TestAFigureThatCannotBeTold(t *testing.T) {
	w := watched("orders")
	size, growth := 2e9, 3.0
	w.Drill.CheckpointSize, w.Drill.SizeGrowth = drill.Number{Value: &size}, drill.Number{Value: &growth}
	w.Drill.DurationGrowth = drill.Unknown("the first ones were empty")
	text := strings.Join(watchedLines(w), "\n")
	if !strings.Contains(text, ", time the first ones were empty") || strings.Contains(text, "time 0x") {
		t.Error(text)
	}
}
