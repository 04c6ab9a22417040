package sqlplan

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scripted is a gateway that answers by pattern; the first that matches decides. Without one a
// statement succeeds, and EXPLAIN gives an empty plan.
type scripted struct {
	answers [][2]string // pattern, then rows as "a|b" lines, "refuse MESSAGE" or "fail MESSAGE"
	log     []string
}

const emptyPlan = "== Abstract Syntax Tree ==\nLogicalValues\n\n== Optimized Physical Plan ==\nValues(tuples=[[]])\n\n== Optimized Execution Plan ==\nValues(tuples=[[]])\n"

func (g *scripted) URL() string                             { return "http://gateway" }
func (g *scripted) Version(context.Context) (string, error) { return "9.9.9", nil }

func (g *scripted) Run(_ context.Context, statement string) ([][]string, error) {
	g.log = append(g.log, statement)
	for _, a := range g.answers {
		if !regexp.MustCompile(a[0]).MatchString(statement) {
			continue
		}
		if m, ok := strings.CutPrefix(a[1], "refuse "); ok {
			return nil, &Refusal{Causes: []Cause{{"org.x.Outer", "outer"}, {"org.x.ValidationException", m}}}
		}
		if m, ok := strings.CutPrefix(a[1], "fail "); ok {
			return nil, errors.New(m)
		}
		var rows [][]string
		for _, line := range strings.Split(a[1], "\n") {
			rows = append(rows, strings.Split(line, "|"))
		}
		return rows, nil
	}
	switch {
	case statement == "SHOW CURRENT CATALOG":
		return [][]string{{"default_catalog"}}, nil
	case strings.HasPrefix(statement, "EXPLAIN "):
		return [][]string{{emptyPlan}}, nil
	}
	return [][]string{{"OK"}}, nil
}

// sentFor runs a script and gives what was sent behind the two questions about the session.
func sentFor(t *testing.T, script string, answers ...[2]string) ([]string, Answer) {
	t.Helper()
	g := &scripted{answers: answers}
	a, err := Read(context.Background(), g, "job.sql", script)
	if err != nil {
		t.Fatal(err)
	}
	return g.log[2:], a
}

// Nothing that would start a job or change something outside of the session is ever sent.
func TestRules(t *testing.T) {
	paimon := "CREATE CATALOG lake WITH ('type'='paimon'); USE CATALOG lake; "
	sentPaimon := []string{"CREATE CATALOG lake WITH ('type'='paimon')", "USE CATALOG lake"}
	for name, c := range map[string]struct {
		script  string
		sent    []string
		skipped []string // reasons
	}{
		"queries are explained": {"INSERT INTO a SELECT 1; SELECT 2; EXECUTE INSERT INTO b SELECT 3; EXPLAIN PLAN FOR SELECT 4",
			[]string{"EXPLAIN INSERT INTO a SELECT 1", "EXPLAIN SELECT 2", "EXPLAIN INSERT INTO b SELECT 3", "EXPLAIN SELECT 4"}, nil},
		"statement sets, both forms": {"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;",
			[]string{"EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END"}, nil},
		"create table as": {"CREATE TABLE a WITH ('x'='y') AS SELECT 1; CREATE OR REPLACE TABLE b AS SELECT 2; CREATE MATERIALIZED TABLE m FRESHNESS = INTERVAL '1' DAY AS SELECT 3",
			[]string{"EXPLAIN SELECT 1", "EXPLAIN SELECT 2", "EXPLAIN SELECT 3"}, nil},
		"the session is ours": {"SET 'a' = 'b'; RESET 'a'; USE MODULES core; ADD JAR 'x.jar'; SHOW TABLES; DESCRIBE x; QUIT",
			[]string{"SET 'a' = 'b'", "RESET 'a'", "USE MODULES core", "ADD JAR 'x.jar'"}, nil},
		"the built-in catalog is in memory": {"CREATE TABLE a (x INT); ALTER TABLE a ADD y INT; CREATE DATABASE d; CREATE VIEW v AS SELECT 1; DROP VIEW v; CREATE FUNCTION f AS 'a.B'",
			[]string{"CREATE TABLE a (x INT)", "ALTER TABLE a ADD y INT", "CREATE DATABASE d", "CREATE VIEW v AS SELECT 1", "DROP VIEW v", "CREATE FUNCTION f AS 'a.B'"}, nil},
		"other catalogs see nothing": {paimon + "CREATE TABLE a (x INT); CREATE VIEW IF NOT EXISTS v AS SELECT 1; CREATE FUNCTION f AS 'a.B'; CREATE TEMPORARY TABLE t (x INT); DROP TEMPORARY TABLE t",
			append(sentPaimon, "CREATE TEMPORARY TABLE a (x INT)", "CREATE TEMPORARY VIEW IF NOT EXISTS v AS SELECT 1", "CREATE TEMPORARY FUNCTION f AS 'a.B'", "CREATE TEMPORARY TABLE t (x INT)", "DROP TEMPORARY TABLE t"), nil},
		"other catalogs are not changed": {paimon + "ALTER TABLE a ADD y INT; DROP TABLE a; CREATE DATABASE d; DROP DATABASE d; DROP TABLE default_catalog.default_database.z; CREATE DATABASE default_catalog.d2",
			append(sentPaimon, "DROP TABLE default_catalog.default_database.z", "CREATE DATABASE default_catalog.d2"),
			[]string{`ALTER TABLE is not executed: it would change catalog "lake"`, `DROP TABLE is not executed: it would change catalog "lake"`, `CREATE DATABASE is not executed: it would change catalog "lake"`, `DROP DATABASE is not executed: it would change catalog "lake"`}},
		"a name may lead elsewhere": {"CREATE CATALOG lake WITH ('type'='paimon'); CREATE TABLE lake.d.a (x INT); DROP TABLE IF EXISTS lake.d.a; USE lake.d; DROP TABLE a",
			[]string{"CREATE CATALOG lake WITH ('type'='paimon')", "CREATE TEMPORARY TABLE lake.d.a (x INT)", "USE lake.d"},
			[]string{`DROP TABLE is not executed: it would change catalog "lake"`, `DROP TABLE is not executed: it would change catalog "lake"`}},
		"a catalog in memory": {"CREATE CATALOG mine WITH ('type' = 'generic_in_memory'); USE CATALOG mine; CREATE DATABASE d; DROP DATABASE d",
			[]string{"CREATE CATALOG mine WITH ('type' = 'generic_in_memory')", "USE CATALOG mine", "CREATE DATABASE d", "DROP DATABASE d"}, nil},
		"never": {"UPDATE a SET x = 1; DELETE FROM a; TRUNCATE TABLE a; CALL sys.compact('a'); ANALYZE TABLE a COMPUTE STATISTICS; STOP JOB 'x'; EXECUTE PLAN 'p'; SOURCE 'other.sql'", []string{},
			[]string{"UPDATE A is", "DELETE FROM is", "TRUNCATE TABLE is", "CALL SYS is", "ANALYZE TABLE is", "STOP JOB is", "its plan is not read", "SOURCE is not followed"}},
	} {
		sent, a := sentFor(t, c.script)
		if diff := cmp.Diff(c.sent, sent); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", name, diff)
		}
		var reasons []string
		for _, q := range a.Queries {
			if q.Status == Skipped {
				reasons = append(reasons, q.Reason)
			}
		}
		if len(reasons) != len(c.skipped) {
			t.Errorf("%s: skipped %q", name, reasons)
			continue
		}
		for i := range reasons {
			if !strings.HasPrefix(reasons[i], c.skipped[i]) {
				t.Errorf("%s: %q, want %q", name, reasons[i], c.skipped[i])
			}
		}
	}
}

// A catalog store would remember what the script creates, and may hold anything under any name.
func TestRulesWithACatalogStore(t *testing.T) {
	sent, a := sentFor(t, "CREATE CATALOG c WITH ('type'='generic_in_memory'); USE CATALOG c; CREATE TABLE a (x INT); DROP TABLE a; INSERT INTO a SELECT * FROM c.d.e",
		[2]string{`^SET$`, "table.catalog-store.kind|file"}, [2]string{`^USE CATALOG c`, "refuse A catalog with name [c] does not exist."})
	want := []string{"USE CATALOG c", "CREATE TEMPORARY TABLE a (x INT)", "EXPLAIN INSERT INTO a SELECT * FROM c.d.e"}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	if len(a.Findings) != 0 || len(a.Incomplete) == 0 {
		t.Errorf("%v, %q: a statement that was left out is no fault of the script", a.Findings, a.Incomplete)
	}
}

// What an unexecuted or refused statement would have defined is no fault of its users.
func TestUsersOfAbsentObjects(t *testing.T) {
	_, a := sentFor(t, "CREATE TABLE a (x INT); INSERT INTO s SELECT * FROM a; CREATE VIEW v AS SELECT * FROM a; SELECT * FROM gone",
		[2]string{`^CREATE TABLE a`, "refuse Something is wrong with 'password'='hunter2' in it"},
		[2]string{`gone`, "refuse At line 1, column 23: Object 'gone' not found"}, [2]string{`FROM a`, "refuse Object 'a' not found"})
	var got []string
	for _, f := range a.Findings {
		got = append(got, fmt.Sprint(f.Code, " ", f.Location, " ", f.Subject.Kind, " ", f.Subject.Name))
		if strings.Contains(f.Summary, "hunter2") {
			t.Errorf("a secret is told: %s", f.Summary)
		}
	}
	want := []string{"TM611 job.sql:1:1 table a", "TM611 job.sql:1:104 query SELECT"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(a.Incomplete) != 2 || !strings.Contains(a.Incomplete[0], `it uses "a": its statement was refused`) {
		t.Errorf("%q", a.Incomplete)
	}
}

func TestAGatewayWithoutAJar(t *testing.T) {
	_, a := sentFor(t, "CREATE TABLE a (x INT); INSERT INTO s SELECT * FROM a; INSERT INTO s SELECT f(1)",
		[2]string{`FROM a`, "refuse Could not find any factory for identifier 'kafka' that implements"},
		[2]string{`f\(1\)`, "refuse Cannot instantiate user-defined function 'f'."})
	if len(a.Findings) != 0 || len(a.Incomplete) != 2 || !strings.Contains(a.Incomplete[0], "the gateway lacks a jar") {
		t.Errorf("%v %q", a.Findings, a.Incomplete)
	}
}

func TestPositionsComeBack(t *testing.T) {
	for script, want := range map[string]string{
		"SELECT 1;\n  INSERT INTO s\nSELECT bad FROM a":                                "job.sql:3:8",
		"SELECT 1;\n  INSERT INTO s SELECT bad FROM a":                                 "job.sql:2:24",
		"EXECUTE STATEMENT SET BEGIN\nINSERT INTO s SELECT bad; END":                   "job.sql:2:22",
		"  EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT bad; END":                  "job.sql:1:52",
		"CREATE TABLE x\n AS SELECT bad":                                               "job.sql:2:12",
		"CREATE CATALOG c WITH ('type'='x'); USE CATALOG c;\nCREATE TABLE bad (x INT)": "job.sql:2:14",
		"CREATE VIEW v AS SELECT bad":                                                  "job.sql:1:25",
	} {
		g := &scripted{}
		at := &pointing{g}
		a, err := Read(context.Background(), at, "job.sql", script)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Findings) != 1 || a.Findings[0].Location.String() != want {
			t.Errorf("%q: %v, want %s", script, a.Findings, want)
		}
	}
}

// pointing refuses statements with "bad" and says where, as Flink does.
type pointing struct{ *scripted }

func (p *pointing) Run(ctx context.Context, s string) ([][]string, error) {
	i := strings.Index(s, "bad")
	if i < 0 {
		return p.scripted.Run(ctx, s)
	}
	line := strings.Count(s[:i], "\n") + 1
	col := i - strings.LastIndex("\n"+s[:i], "\n") + 1
	return nil, &Refusal{Causes: []Cause{{"org.x.CalciteContextException", fmt.Sprintf("From line %d, column %d to line %d, column %d: no", line, col, line, col+2)}, {"org.x.SqlValidatorException", "no"}}}
}

func TestAFailingGatewayEndsTheReading(t *testing.T) {
	for _, at := range []string{"^SET$", "^SHOW CURRENT", "^CREATE", "^EXPLAIN"} {
		g := &scripted{answers: [][2]string{{at, "fail connection refused"}}}
		if _, err := Read(context.Background(), g, "job.sql", "CREATE TABLE a (x INT); SELECT 1; SELECT 2"); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%s: %v", at, err)
		}
		if n := len(g.log); !regexp.MustCompile(at).MatchString(g.log[n-1]) {
			t.Errorf("%s: asked on after the failure: %q", at, g.log)
		}
	}
}

func TestBatchModeAndStrangeAnswers(t *testing.T) {
	_, a := sentFor(t, "SET 'execution.runtime-mode' = 'BATCH'; SELECT 1")
	if q := a.Queries[0]; q.Status != Explained || !strings.Contains(q.Reason, "batch") {
		t.Errorf("%+v", q)
	}
	_, a = sentFor(t, "SELECT 1", [2]string{"^EXPLAIN", "hello"})
	if q := a.Queries[0]; q.Status != Skipped || len(a.Incomplete) != 1 {
		t.Errorf("%+v %q", q, a.Incomplete)
	}
	_, a = sentFor(t, "-- nothing")
	if len(a.Incomplete) != 1 {
		t.Errorf("%q", a.Incomplete)
	}
	_, a = sentFor(t, "EXECUTE STATEMENT SET BEGIN SELECT 1")
	if len(a.Findings) != 1 || a.Findings[0].Code != "TM612" {
		t.Errorf("%v", a.Findings)
	}
}
