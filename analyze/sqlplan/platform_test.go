package sqlplan

import (
	"fmt"
	"strings"
	"testing"
)

// codesOf are the findings above info of a script without a gateway, and whether the answer is complete.
func codesOf(a Answer) string {
	var out []string
	for _, f := range a.Findings {
		if f.Severity != "info" {
			out = append(out, fmt.Sprintf("%s %s %d:%d", f.Code, f.Severity, f.Location.Line, f.Location.Column))
		}
	}
	if len(a.Incomplete) > 0 {
		out = append(out, "incomplete")
	}
	return strings.Join(out, ", ")
}

const plainWith = " WITH ('connector'='kafka','topic'='t','format'='json','scan.watermark.idle-timeout'='1 min')"

// What only Confluent Cloud has is named as its, and its fixed twin for open-source Flink passes.
func TestPlatform(t *testing.T) {
	for script, want := range map[string]string{
		"CREATE TABLE o (id INT, WATERMARK FOR `$rowtime` AS SOURCE_WATERMARK()) WITH ('connector'='confluent','kafka.retention.time'='7 d')":                      "TM615 warning 1:39, incomplete",
		"CREATE TABLE o (id INT, WATERMARK FOR `$rowtime` AS `$rowtime` - INTERVAL '5' SECOND)":                                                                    "TM615 warning 1:39, incomplete",
		"CREATE TABLE o (id INT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)" + plainWith:                 "",
		"CREATE TABLE o (id INT, `$rowtime` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR `$rowtime` AS `$rowtime` - INTERVAL '5' SECOND)" + plainWith: "",
		"CREATE TABLE o (id INT) WITH ('changelog.mode'='append','value.format'='json-registry')":                                                                  "TM615 warning 1:31, incomplete",
		"ALTER TABLE o SET ('late-handling.mode' = 'filter')":                                                                                                      "TM615 warning 1:20, incomplete",
		"ALTER TABLE o MODIFY WATERMARK FOR ts AS ts - INTERVAL '5' SECOND":                                                                                        "incomplete",
		"SET 'sql.tables.scan.idle-timeout' = '5 s'; CREATE TABLE o (id INT)" + plainWith:                                                                          "TM615 warning 1:5, incomplete",
		"SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(`$rowtime`), INTERVAL '1' MINUTE)) GROUP BY window_start":                             "TM615 warning 1:69, incomplete",
		"SELECT * FROM `o$late`": "TM615 warning 1:15, incomplete",
	} {
		a := ReadDDL("x.sql", script)
		if got := codesOf(a); got != want {
			t.Errorf("%s\n got %q %q\nwant %q", script, got, a.Incomplete, want)
		}
		said := fmt.Sprint(a.Findings, a.Incomplete)
		if want != "" && (!strings.Contains(said, "Confluent Cloud") || strings.Contains(said, "does not parse") || strings.Contains(said, "envsubst")) {
			t.Errorf("%s: %s", script, said)
		}
	}
}

// With a gateway such a statement is not sent, and who uses its table is not blamed.
func TestPlatformIsNotSent(t *testing.T) {
	sent, a := sentFor(t, "CREATE TABLE o (id INT, WATERMARK FOR `$rowtime` AS SOURCE_WATERMARK());\nINSERT INTO s SELECT id FROM o;\nSELECT `$rowtime` FROM o",
		[2]string{"^EXPLAIN", "refuse Object 'o' not found"})
	if fmt.Sprint(sent) != "[EXPLAIN INSERT INTO s SELECT id FROM o]" {
		t.Errorf("%q", sent)
	}
	if got := codesOf(a); got != "TM615 warning 1:39, TM615 warning 3:8, incomplete" {
		t.Errorf("%s %q", got, a.Incomplete)
	}
	for _, q := range a.Queries {
		if q.Status != Skipped {
			t.Errorf("%+v", q)
		}
	}
}

// ALTER TABLE of a table of the script is followed.
func TestAlterIsFollowed(t *testing.T) {
	const table = "CREATE TABLE t (a TIMESTAMP_LTZ(3), b TIMESTAMP_LTZ(3), WATERMARK FOR a AS a - INTERVAL '5' SECOND) WITH ('connector'='kafka','topic'='t','scan.watermark.idle-timeout'='1 min'); ALTER TABLE "
	for alter, want := range map[string]string{
		"t MODIFY WATERMARK FOR b AS b - INTERVAL '9' SECOND":          "b 9 s 1 min",
		"IF EXISTS t ADD (WATERMARK FOR b AS b - INTERVAL '9' SECOND)": "b 9 s 1 min",
		"t SET ('scan.watermark.idle-timeout' = '5 s')":                "a 5 s 5 s",
		"t RESET ('scan.watermark.idle-timeout')":                      "a 5 s unset",
		"t DROP WATERMARK": " unset unset",
	} {
		a := ReadDDL("x.sql", table+alter)
		s := a.Sources[0]
		if got := fmt.Sprint(s.RowtimeColumn, " ", s.Delay, " ", s.IdleTimeout); got != want || len(a.Incomplete) > 0 {
			t.Errorf("%s: %q, want %q; %q", alter, got, want, a.Incomplete)
		}
	}
}
