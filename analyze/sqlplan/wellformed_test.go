package sqlplan

import (
	"fmt"
	"strings"
	"testing"
)

const sound = `CREATE TABLE t (k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka')`

// Without a gateway no half of a table that Flink would refuse is judged.
func TestMalformedWithoutGateway(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(sound, old, new, 1) }
	for _, c := range []struct{ script, want string }{
		{"CREATE TABLE t (k STRING;", "1:16 CREATE TABLE \"t\" does not parse: a bracket opened by ( is never closed"},
		{"SELECT 1;\n  CREATE TABLE t k STRING);", "2:18 CREATE TABLE \"t\" does not parse: unexpected \"k\" behind the columns of a table"},
		{"CREATE TABLE (k STRING)", "1:14 CREATE TABLE does not parse: CREATE TABLE has no name"},
		{"CREATE TABLE a. (k STRING)", "1:17 CREATE TABLE \"a\" does not parse: CREATE TABLE has no name"},
		{"CREATE TABLE t ()", "1:16 CREATE TABLE \"t\" does not parse: a column is missing behind the last comma"},
		{"CREATE TABLE t (k STRING,)", "1:25 CREATE TABLE \"t\" does not parse: a column is missing behind the last comma"},
		{"CREATE TABLE t (k STRING,, v INT)", "1:26 CREATE TABLE \"t\" does not parse: a column is missing between two commas"},
		{"CREATE TABLE t (k, v INT)", "1:17 CREATE TABLE \"t\" does not parse: column \"k\" has no type"},
		{"CREATE TABLE t (k STRING, k INT)", "1:27 CREATE TABLE \"t\" does not parse: column \"k\" is declared twice"},
		{"CREATE TABLE t (k AS, v INT)", "1:19 CREATE TABLE \"t\" does not parse: column \"k\" has no expression behind AS"},
		{"CREATE TABLE t (k ROW<a INT, v INT)", "1:17 CREATE TABLE \"t\" does not parse: the type of column \"k\" opens a < that is never closed"},
		{with(" AS ts", " ts"), "1:48 CREATE TABLE \"t\" does not parse: the clause is written WATERMARK FOR column AS expression"},
		{with("WATERMARK FOR", "WATERMARK ON"), "1:61 CREATE TABLE \"t\" does not parse: unexpected \"ts\" behind the type of column \"WATERMARK\""},
		{with("WATERMARK FOR ts", "WATERMARK FOR zz"), "1:62 CREATE TABLE \"t\" does not parse: WATERMARK is for \"zz\", and the table has no such column"},
		{with("TIMESTAMP_LTZ(3)", "BIGINT"), "1:52 CREATE TABLE \"t\" does not parse: WATERMARK is for \"ts\" of type BIGINT; it takes TIMESTAMP or TIMESTAMP_LTZ"},
		{with(") WITH", ", WATERMARK FOR ts AS ts) WITH"), "1:94 CREATE TABLE \"t\" does not parse: the table has a second WATERMARK; Flink takes one"},
		{with("'connector'", "connector"), "1:100 CREATE TABLE \"t\" does not parse: an option is written 'key' = 'value'"},
		{with("'kafka'", "'kafka' 'topic'='x'"), "1:120 CREATE TABLE \"t\" does not parse: options are parted by one comma"},
		{with("('connector'='kafka')", ""), "1:94 CREATE TABLE \"t\" does not parse: WITH needs brackets"},
		{with("SECOND)", "SECOND))"), "1:93 CREATE TABLE \"t\" does not parse: unexpected \")\" behind the columns of a table"},
		{sound + "\n" + sound, "2:1 CREATE TABLE \"t\" does not parse: unexpected \"CREATE\" behind the columns of a table"},
		{"CRAETE TABLE t (k STRING);", "1:1 CRAETE TABLE does not parse: no statement of Flink begins with \"CRAETE\""},
		{with("k STRING", "k\xe9 STRING"), "1:18 \"x.sql\" does not parse: byte 0xE9 is no text here; save the script as UTF-8"},
		{"SELECT 1;\n\x00", "2:1 \"x.sql\" does not parse: byte 0x00 is no text here; save the script as UTF-8"},
		{"SELECT 'a\xff'", "1:10 \"x.sql\" does not parse: byte 0xFF is no text here; save the script as UTF-8"},
	} {
		a := ReadDDL("x.sql", c.script)
		got := ""
		for _, f := range a.Findings {
			if f.Code == "TM612" {
				got += fmt.Sprintf("%d:%d %s", f.Location.Line, f.Location.Column, f.Summary)
			}
		}
		if got != c.want || len(a.Sources) > 0 {
			t.Errorf("%q: %d sources, %s\nwant %s", c.script, len(a.Sources), got, c.want)
		}
	}
}

func TestWellFormed(t *testing.T) {
	for _, script := range []string{
		wide, sound, "CREATE TABLE t", "CREATE TABLE t WITH ('a'='b')", "CREATE TABLE t LIKE x", "CREATE TABLE t WITH () LIKE x (EXCLUDING ALL INCLUDING WATERMARKS)",
		"CREATE TABLE t (k INT, d DOUBLE PRECISION NOT NULL, c CHARACTER VARYING(5), i INT ARRAY) COMMENT 'x' DISTRIBUTED BY HASH(k) INTO 4 BUCKETS PARTITIONED BY (k) WITH ('a'='b')",
		"CREATE TABLE t (k INT) DISTRIBUTED INTO 3 BUCKETS", "CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS a.b.c (`select` INT, CONSTRAINT x PRIMARY KEY (`select`) NOT ENFORCED)",
		"CREATE TABLE t (e ROW<at TIMESTAMP(3)>, WATERMARK FOR e.at AS e.at)", "CREATE TABLE t (u my.type, WATERMARK FOR u AS u)", "CREATE TABLE t (WATERMARK FOR ts AS ts) LIKE base", "CREATE TABLE t (k INT COMMENT 'a -- b')",
	} {
		tokens, broken := lex(script)
		if broken != nil {
			t.Fatal(broken)
		}
		if e := malformed(split(script, tokens)[0]); e != nil {
			t.Errorf("%s: %d:%d %s", script, e.line, e.col, e.what)
		}
	}
}

// Whatever breaks off is read to an end.
func TestMalformedBrokenOff(t *testing.T) {
	for n := range wide {
		ReadDDL("x.sql", wide[:n])
	}
}

func TestLikeLeavesOut(t *testing.T) {
	for options, watermark := range map[string]bool{"": true, "(EXCLUDING ALL)": false, "(EXCLUDING WATERMARKS)": false, "(EXCLUDING ALL INCLUDING WATERMARKS)": true, "(INCLUDING ALL EXCLUDING WATERMARKS)": false, "(EXCLUDING OPTIONS)": true} {
		a := ReadDDL("x.sql", sound+"; CREATE TABLE u LIKE t "+options+"; CREATE TABLE v LIKE u")
		if len(a.Sources) != 3 {
			t.Fatalf("%s: %d sources", options, len(a.Sources))
		}
		for _, s := range a.Sources[1:] {
			if s.HasWatermark() != watermark {
				t.Errorf("%s %s: watermark %v", s.Table, options, s.HasWatermark())
			}
		}
	}
}

// What changes a table behind CREATE TABLE is followed, or makes the answer incomplete.
func TestAlterWithoutGateway(t *testing.T) {
	for script, want := range map[string]int{sound + "; ALTER TABLE t DROP WATERMARK": 0, sound + "; ALTER TABLE t RENAME TO u": 0, sound + "; ALTER TABLE t MODIFY WATERMARK FOR gone AS gone": 1, sound + "; ALTER TABLE u SET ('a' = 'b')": 1, sound + "; SOURCE 'x.sql'": 1, sound + "; DROP TABLE IF EXISTS u": 0, sound + "; SHOW TABLES": 0} {
		if a := ReadDDL("x.sql", script); len(a.Incomplete) != want {
			t.Errorf("%s: %q", script, a.Incomplete)
		}
	}
}
