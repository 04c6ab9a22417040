package sqlplan_test

import (
	"strings"
	"testing"

	"tidemark/analyze/sqlplan"
	"tidemark/internal/sqlplantest"
)

// What was recorded is fit to be kept: no path or host of the machine, and answers of each kind.
func TestRecordings(t *testing.T) {
	for _, version := range versions {
		plans, refused := 0, 0
		for _, text := range sqlplantest.Load(t, scripts, version).Texts() {
			for _, part := range []string{"/tmp/", "/home/", "/root/", "/work/", "config-dir"} {
				if strings.Contains(text, part) {
					t.Errorf("%s: %.200q", version, text)
				}
			}
			switch {
			case strings.HasPrefix(text, "== Abstract Syntax Tree =="):
				plans++
			case strings.Contains(text, "time attribute"):
				refused++
			}
		}
		if plans < 50 || refused < 15 {
			t.Errorf("%s: %d plans, %d refusals", version, plans, refused)
		}
	}
}

// A script without a fault is complete on every version, one that cannot be judged says why.
func TestIncomplete(t *testing.T) {
	for script, part := range map[string]string{
		"precision.sql": `it uses "orders": its statement was refused`,
		"bad-table.sql": `it uses "orders": its statement was refused`,
	} {
		for _, version := range versions {
			a := replay(t, version, script)
			if len(a.Incomplete) != 1 || !strings.Contains(a.Incomplete[0], part) {
				t.Errorf("%s, %s: %q", script, version, a.Incomplete)
			}
		}
	}
	for _, version := range versions {
		if a := replay(t, version, "catalog-gone.sql"); !strings.Contains(strings.Join(a.Incomplete, "\n"), `catalog "ice" (iceberg), which the gateway does not have`) {
			t.Errorf("%s: %q", version, a.Incomplete)
		}
	}
	for _, script := range []string{"hint-at-the-end.sql", "proctime-group-window.sql", "proctime-of-view.sql", "cdc-temporal-join.sql", "compile-plan.fixed.sql", "over.sql", "window-join.sql", "temporal-join.sql", "versioned-view.sql", "processing-time.sql", "join-before-window.sql", "temporary.sql"} {
		for _, version := range versions {
			if a := replay(t, version, script); len(a.Incomplete) != 0 {
				t.Errorf("%s, %s: %q", script, version, a.Incomplete)
			}
		}
	}
}

// Names in a script are foreign: they reach the answer on one line and cut to a readable length.
func TestForeignNames(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	a := sqlplan.ReadDDL("job.sql", "CREATE TABLE `a\x1b[31m\u202e\n<b>` (`t\n"+long+"` TIMESTAMP(9), WATERMARK FOR `t\n"+long+"` AS `t\n"+long+"`) WITH ('connector'='kafka\r\n','topic'='\x01"+long+"');\nINSERT INTO `z\x07` SELECT 1")
	var texts []string
	for _, f := range a.Findings {
		texts = append(texts, f.Summary, f.Subject.Name)
		for _, e := range f.Evidence {
			texts = append(texts, e.Subject, e.Value)
		}
	}
	for _, s := range a.Sources {
		texts = append(texts, s.Table, s.Topic, s.Connector, s.RowtimeColumn, s.WatermarkExpr)
	}
	for _, q := range a.Queries {
		texts = append(texts, q.Name)
	}
	if len(a.Findings) < 2 || len(a.Sources) != 1 {
		t.Errorf("%d findings, %d sources", len(a.Findings), len(a.Sources))
	}
	for _, s := range append(texts, a.Incomplete...) {
		if strings.ContainsAny(s, "\n\r\x01\x1b\x07\u202e") || len([]rune(s)) > 700 {
			t.Errorf("%.100q of %d bytes", s, len(s))
		}
	}
}
