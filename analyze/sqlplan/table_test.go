package sqlplan

import (
	"fmt"
	"strings"
	"testing"
)

const wide = `CREATE TABLE IF NOT EXISTS shop.` + "`or;ders`" + ` ( -- a comment, with a comma
  k STRING NOT NULL PRIMARY KEY NOT ENFORCED,
  amount DECIMAL(10, 2) COMMENT 'in EUR, WATERMARK FOR nothing',
  nested ROW<a INT, b ROW<c ARRAY<MAP<STRING, INT>>, d TIMESTAMP(3) NOT NULL>>,
  m TIMESTAMP(3) WITH LOCAL TIME ZONE METADATA FROM 'timestamp' VIRTUAL,
  old TIMESTAMP,
  ms BIGINT,
  is_less AS ms < 5 AND ms > 3,
  ts AS TO_TIMESTAMP_LTZ(ms, 3) COMMENT 'x',
  again AS ts,
  local_ts AS CAST(ts AS TIMESTAMP(6)),
  p AS PROCTIME(),
  WATERMARK FOR nested.b.d AS nested.b.d - INTERVAL '7' SECOND,
  CONSTRAINT pk PRIMARY KEY (k) NOT ENFORCED
) COMMENT 'WITH (' PARTITIONED BY (k)
WITH ('connector' = 'kafka', 'TOPIC' = 'a''b', 'x' = '') LIKE base (EXCLUDING OPTIONS)`

func TestTable(t *testing.T) {
	got := readTable(statements(t, wide)[0])
	if got.name != "shop.or;ders" || got.like != "base" || !got.primary {
		t.Errorf("%+v", got)
	}
	types := map[string]string{"k": "STRING", "amount": "DECIMAL(10,2)", "nested": "ROW<a INT,b ROW<c ARRAY<MAP<STRING,INT>>,d TIMESTAMP(3)NOT NULL>>",
		"m": "TIMESTAMP_LTZ(3)", "old": "TIMESTAMP", "ms": "BIGINT", "is_less": "", "ts": "TIMESTAMP_LTZ(3)", "again": "TIMESTAMP_LTZ(3)", "local_ts": "TIMESTAMP(6)", "p": "TIMESTAMP_LTZ(3) *PROCTIME*"}
	if len(got.columns) != len(types) {
		t.Errorf("%d columns", len(got.columns))
	}
	for _, c := range got.columns {
		if want, ok := types[c.name]; !ok || c.typ != want {
			t.Errorf("%s is %q, want %q", c.name, c.typ, want)
		}
		if c.metadata != (c.name == "m") {
			t.Errorf("%s: metadata %v", c.name, c.metadata)
		}
	}
	w := got.watermark
	if w == nil || w.column != "nested.b.d" || w.text != "nested.b.d - INTERVAL '7' SECOND" || w.at.line != 13 || w.at.col != 3 || w.col.col != 17 {
		t.Fatalf("%+v", w)
	}
	if got.options["topic"].value != "a'b" || got.options["connector"].at.line != 16 || len(got.options) != 3 {
		t.Errorf("%+v", got.options)
	}
}

// What breaks off still gives what was read before.
func TestTableBrokenOff(t *testing.T) {
	whole := strings.Split(wide, " ")
	for n := 2; n <= len(whole); n++ {
		script := strings.Join(whole[:n], " ")
		tokens, _ := lex(script)
		for _, s := range split(script, tokens) {
			if s.kind == KindCreateTable {
				readTable(s)
			}
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	for typ, want := range map[string]string{
		"TIMESTAMP_LTZ(3)": "{true 3} true", "timestamp(3)": "{false 3} true", "TIMESTAMP_LTZ(3) *ROWTIME*": "{true 3} true", "TIMESTAMP": "{false 6} true",
		"TIMESTAMP(9) NOT NULL": "{false 9} true", "STRING": "{false 0} false", "": "{false 0} false", "TIMESTAMP_TZ(3)": "{false 0} false",
	} {
		ts, ok := ParseTimestamp(typ)
		if got := fmt.Sprint(ts, ok); got != want {
			t.Errorf("%s: %s", typ, got)
		}
	}
}

func TestDDLFacts(t *testing.T) {
	a := ReadDDL("x.sql", `
SET 'table.exec.source.idle-timeout' = '10 s';
CREATE TABLE a (ts TIMESTAMP(3), WATERMARK FOR ts AS my_udf(ts)) WITH ('connector'='kafka','topic-pattern'='o.*','scan.watermark.idle-timeout'='soon','scan.watermark.alignment.group'='g','scan.watermark.emit.strategy'='sometimes');
CREATE TABLE b (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector'='pulsar','scan.watermark.idle-timeout'='0 s');
CREATE TABLE c (x INT) WITH ('connector'='print');
CREATE TABLE d (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS SOURCE_WATERMARK( )) WITH ('connector'='paimon');
CREATE TABLE e LIKE gone;
CREATE TABLE c (y INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector'='mysql-cdc');
`)
	var got []string
	for _, s := range a.Sources {
		got = append(got, fmt.Sprint(s.Table, " ", s.Topic, " ", s.Delay, " ", s.IdleTimeout, " ", s.AlignGroup, " ", s.AlignDrift, " ", s.AlignInterval, " ", s.Emit, " ", s.SourceWatermark, " ", s.Location))
	}
	want := []string{
		"a o.* unknown unknown g unknown 1 s unknown false x.sql:3:34",
		"b  0 ms unset  unset unset on-periodic false x.sql:4:38",
		"c  0 ms 10 s  unset unset on-periodic false x.sql:8:45",
		"d  unknown 10 s  unset unset on-periodic true x.sql:6:38",
		"e  unset unset  unset unset on-periodic false x.sql:7:14",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var codes []string
	for _, f := range a.Findings {
		codes = append(codes, fmt.Sprint(f.Code, " ", f.Severity, " ", f.Subject.Name))
	}
	if got := strings.Join(codes, ", "); got != "TM607 info a, TM619 critical a, TM604 info b, TM610 info d" {
		t.Error(got)
	}
	if len(a.Incomplete) != 1 || !strings.Contains(a.Incomplete[0], `"gone"`) {
		t.Error(a.Incomplete)
	}
}
