package sqlplan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func statements(t *testing.T, script string) []statement {
	t.Helper()
	tokens, broken := lex(script)
	if broken != nil {
		t.Fatalf("%q: %v at %d:%d", script, broken, broken.line, broken.col)
	}
	return split(script, tokens)
}

func TestLexerPlaces(t *testing.T) {
	const script = "\ufeffSELECT 'a;''b', -- c; '\n\t`x``;y` /* ; ' \n */ <> ${v} é$1=>\r\n1.5||2"
	tokens, broken := lex(script)
	if broken != nil {
		t.Fatal(broken)
	}
	var got []string
	for _, k := range tokens {
		got = append(got, fmt.Sprintf("%d %s %d:%d", k.kind, k.value, k.line, k.col))
	}
	want := []string{"0 SELECT 1:1", "2 a;'b 1:8", "4 , 1:15", "1 x`;y 2:2", "4 < 3:5", "4 > 3:6", "5 v 3:8", "0 é$1 3:13", "4 => 3:16", "3 1.5 4:1", "4 || 4:4", "3 2 4:6"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, k := range tokens {
		if k.kind == word && script[k.start:k.end] != k.value {
			t.Errorf("%q is not at %d", k.value, k.start)
		}
	}
}

func TestLexerNamesWhatIsOpen(t *testing.T) {
	for script, want := range map[string]string{
		"SELECT 1;\n  'abc":      "2:3 a string opened by ' is never closed",
		"SELECT `abc\n;":         "1:8 a name opened by ` is never closed",
		"/* SELECT":              "1:1 a comment opened by /* is never closed",
		"SELECT \"x":             "1:8 a string opened by \" is never closed",
		"SELECT ${x":             "1:8 a variable opened by ${ is never closed",
		"SELECT 'it''s' , 'then": "1:18 a string opened by ' is never closed",
	} {
		_, broken := lex(script)
		if broken == nil || fmt.Sprintf("%d:%d %s", broken.line, broken.col, broken.what) != want {
			t.Errorf("%q: %+v", script, broken)
		}
	}
}

func TestStatementsAreToldApart(t *testing.T) {
	for script, want := range map[string]string{
		"":             "",
		" ; ;; -- x\n": "",
		"SELECT 1":     "select ",
		"(SELECT 1);":  "select ",
		"WITH a AS (SELECT 1) SELECT * FROM a; VALUES (1)":             "select |select ",
		"insert into `a b`.c select 1":                                 "insert a b.c",
		"INSERT OVERWRITE TABLE x PARTITION (d='1') SELECT 1":          "insert x",
		"EXECUTE INSERT INTO x SELECT 1":                               "insert x",
		"EXPLAIN PLAN FOR INSERT INTO x SELECT 1":                      "insert x",
		"EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT 1":              "select ",
		"COMPILE AND EXECUTE PLAN 'p.json' FOR INSERT INTO x SELECT 1": "insert x",
		"COMPILE PLAN 'p.json' FOR INSERT INTO x SELECT 1":             "insert x",
		"EXECUTE PLAN 'p.json'":                                        "execute plan ",
		"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT CASE WHEN 1=1 THEN 2 END; END; SELECT 1": "statement set |select ",
		"BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END; SELECT 1":                                                       "statement set |select ",
		"EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END":                                                          "statement set ",
		"CREATE TABLE IF NOT EXISTS a.b (c INT, d AS c + 1) WITH ('x'='AS SELECT')":                                        "create table a.b",
		"CREATE TEMPORARY TABLE a (c INT) LIKE b":                                                                          "create table a",
		"CREATE TABLE a WITH ('x'='y') AS SELECT 1":                                                                        "create table as a",
		"CREATE OR REPLACE TABLE a AS SELECT 1":                                                                            "create table as a",
		"CREATE MATERIALIZED TABLE a FRESHNESS = INTERVAL '1' MINUTE AS SELECT 1":                                          "create table as a",
		"CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) COMMENT 'AS' AS SELECT 1, 2":                                         "create view v",
		"CREATE TEMPORARY SYSTEM FUNCTION f AS 'a.b.C'":                                                                    "create f",
		"CREATE CATALOG c WITH ('type'='x')":                                                                               "create c",
		"SET 'a'='b'; RESET; USE x; USE CATALOG y; ADD JAR 'x'; LOAD MODULE m":                                             "session |session |session |session |session |session ",
		"SHOW TABLES; DESCRIBE x; DESC x; QUIT":                                                                            "read |read |read |read ",
		"DROP TABLE x; ALTER TABLE x RENAME TO y; UPDATE x SET a=1; CALL p()":                                              "drop |alter |other |other ",
		"EXPLAIN":      "other ",
		"CREATE":       "other ",
		"CREATE TABLE": "create table ",
	} {
		var got []string
		for _, s := range statements(t, script) {
			got = append(got, string(s.kind)+" "+s.target)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s:\n got %q\nwant %q", script, strings.Join(got, "|"), want)
		}
	}
}

func TestDelay(t *testing.T) {
	for expr, want := range map[string]int64{
		"ts": 0, "`t s`": 0, "row1.ts": 0, "(ts)": 0,
		"ts - INTERVAL '5' SECOND": 5000, "ts - INTERVAL '5' SECONDS": 5000, "ts - interval '0.5' second": 500, "ts - INTERVAL '0.001' SECOND(3)": 1,
		"(ts - (INTERVAL '2' MINUTE))": 120_000, "ts - INTERVAL '1:30' MINUTE TO SECOND": 90_000, "ts - INTERVAL '1 02:03:04.5' DAY TO SECOND": 93_784_500,
		"ts - INTERVAL '1' DAY": 86_400_000, "ts - INTERVAL '01:00' HOUR TO MINUTE": 3_600_000, "ts + INTERVAL '3' SECOND": -3000,
		"ts + INTERVAL '5' SECOND - INTERVAL '7' SECOND": 2000, "ts - INTERVAL -'5' SECOND": -5000, "ts - INTERVAL '-5' SECOND": -5000,
		"TO_TIMESTAMP_LTZ(ms, 3) - INTERVAL '4' SECOND": 4000, "CAST(a AS TIMESTAMP(3))": 0,
	} {
		tokens, _ := lex(expr)
		if got, ok := delayOf(tokens); !ok || got != want {
			t.Errorf("%s: %d, %v", expr, got, ok)
		}
	}
	for _, expr := range []string{"", "f(ts)", "ts - x", "ts - INTERVAL '1' MONTH", "ts - INTERVAL '1' YEAR", "ts - INTERVAL '' SECOND", "ts - INTERVAL '1:2:3' MINUTE TO SECOND",
		"ts - INTERVAL '1'", "SOURCE_WATERMARK()", "COALESCE(a, b) - INTERVAL '5' SECOND", "ts - INTERVAL '9e99' SECOND", "CAST(a AS TIMESTAMP(3)) || 'x'", "- INTERVAL '5' SECOND"} {
		tokens, _ := lex(expr)
		if got, ok := delayOf(tokens); ok {
			t.Errorf("%s: %d", expr, got)
		}
	}
	deep, _ := lex(strings.Repeat("(", 5000) + "ts" + strings.Repeat(")", 5000))
	if _, ok := delayOf(deep); ok {
		t.Error("5,000 brackets are folded")
	}
}

func TestSettings(t *testing.T) {
	set, cluster := settings{"a": "cluster"}, settings{"a": "cluster"}
	for _, step := range []struct{ sql, want string }{
		{"SET 'a' = 'b'", "map[a:b]"},
		{"SET table.exec.source.idle-timeout = 5000", "map[a:b table.exec.source.idle-timeout:5000]"},
		{"RESET table.exec.source.idle-timeout", "map[a:b]"},
		{"SET", "map[a:b]"},
		{"RESET 'a'", "map[a:cluster]"},
		{"SET 'a' = 'c'", "map[a:c]"},
		{"RESET", "map[a:cluster]"},
	} {
		tokens, _ := lex(step.sql)
		if set.apply(tokens, cluster); fmt.Sprint(map[string]string(set)) != step.want {
			t.Errorf("after %s: %v", step.sql, set)
		}
	}
}
