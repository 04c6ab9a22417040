package sqlplan

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the text, reading it ends, is the same twice, and every place lies in it.
func FuzzScript(f *testing.F) {
	for _, s := range []string{wide, "SELECT 1; 'x", "CREATE TABLE a (ts TIMESTAMP(9), WATERMARK FOR ts AS ts - INTERVAL '1' DAY) WITH ('a'='b') LIKE a",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO a WITH b AS (SELECT 1), c (d) AS (SELECT 2) SELECT * FROM b; END", "WITH WITH AS (", "CREATE VIEW v AS SELECT ${x}",
		"INSERT INTO s SELECT * FROM TABLE(TUMBLE(DATA => TABLE o, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY))", "CREATE TABLE a LIKE b; CREATE TABLE b LIKE a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		a := ReadDDL("f.sql", script)
		if b := ReadDDL("f.sql", script); len(a.Findings) != len(b.Findings) || len(a.Sources) != len(b.Sources) {
			t.Fatal("two readings differ")
		}
		lines := strings.Count(script, "\n") + 1
		for _, x := range a.Findings {
			if x.Location.Line < 1 || x.Location.Line > lines || x.Location.Column < 1 || strings.ContainsAny(x.Summary, "\n\r\x1b") || !utf8.ValidString(x.Summary) {
				t.Fatalf("%v %q", x.Location, x.Summary)
			}
		}
		tokens, _ := lex(script)
		for _, s := range split(script, tokens) {
			if !strings.Contains(script, s.text) {
				t.Fatalf("%q is not in the script", s.text)
			}
			for _, b := range blocks(&s) {
				b.text(script)
				probes(b, script)
			}
		}
	})
}

// Whatever a gateway answers, its plan is read to an end.
func FuzzPlan(f *testing.F) {
	f.Add(emptyPlan)
	f.Add("== Abstract Syntax Tree ==\nLogicalTableFunctionScan(invocation=[TUMBLE(TABLE(#0))])\n:- A\n+- B\n\n== Optimized Execution Plan ==\nSink(table=[a.b.c])\n+- WindowAggregate(window=[TUMBLE(time_col=[ts])])\n   +- Join(where=[(a >= (b - 1:INTERVAL SECOND))])(reuse_id=[1])\n      :- TableSourceScan(table=[[c, d, t, watermark=[-(ts, 5:INTERVAL SECOND)]]], fields=[ts])\n      +- Reused(reference_id=[1])\n")
	f.Add("== Abstract Syntax Tree ==\n\n== Optimized Execution Plan ==\nA(reuse_id=[1])\n+- Reused(reference_id=[2])\n\nB(reuse_id=[2])\n+- Reused(reference_id=[1])\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Read(t.Context(), &scripted{answers: [][2]string{{"^EXPLAIN", strings.ReplaceAll(text, "|", "/")}}}, "f.sql", "INSERT INTO s SELECT * FROM t")
		if err != nil && !strings.HasPrefix(text, "fail ") {
			t.Fatal(err)
		}
		if p, ok := readPlan(text); ok {
			topLoss(p, "ts")
			for _, n := range p.exec {
				lossBelow(n)
			}
		}
	})
}
