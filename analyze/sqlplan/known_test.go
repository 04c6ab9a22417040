package sqlplan

import (
	"strings"
	"testing"
)

const keyed = "CREATE TABLE s (id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='upsert-kafka','topic'='s','key.format'='json','value.format'='json');\n"

// Early and late firing are judged from the text where nothing plans the query; their twins pass.
func TestEmitsWithoutGateway(t *testing.T) {
	const (
		inserts = "CREATE TABLE s (id INT, n BIGINT) WITH ('connector'='kafka','topic'='s','format'='json');\n"
		early   = "SET 'table.exec.emit.early-fire.enabled' = 'true';\nSET 'table.exec.emit.early-fire.delay' = '10 s';\n"
		late    = "SET 'table.exec.emit.late-fire.enabled' = 'true';\nSET 'table.exec.emit.late-fire.delay' = '0 s';\n"
		group   = "INSERT INTO s SELECT id, COUNT(*) FROM o GROUP BY id, TUMBLE(ts, INTERVAL '1' MINUTE)"
		tvf     = "INSERT INTO s SELECT id, COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY id, window_start, window_end"
	)
	for script, want := range map[string]string{
		early + plain + inserts + group: "takes only rows that are inserted",
		early + plain + keyed + group:   "",
		early + plain + keyed + tvf:     "works with group windows only",
		early + "RESET 'table.exec.emit.early-fire.enabled';\n" + plain + keyed + tvf:  "",
		"SET 'table.exec.emit.early-fire.enabled' = 'true';\n" + plain + keyed + group: "needs table.exec.emit.early-fire.delay",
		late + plain + keyed + group: "needs table.exec.emit.allow-lateness",
		late + "SET 'table.exec.emit.allow-lateness' = '1 h';\n" + plain + keyed + group:                                                                          "",
		early + plain + keyed + "INSERT INTO s SELECT id, COUNT(*) FROM o GROUP BY id":                                                                            "",
		early + plain + inserts + "CREATE VIEW v AS SELECT id, COUNT(*) AS n FROM o GROUP BY id, TUMBLE(ts, INTERVAL '1' MINUTE);\nINSERT INTO s SELECT * FROM v": "takes only rows that are inserted",
	} {
		said := ""
		for _, f := range ReadDDL("x.sql", script).Findings {
			if f.Code == "TM621" {
				said = f.Summary
			}
		}
		if (said == "") != (want == "") || !strings.Contains(said, want) {
			t.Errorf("%s\n got %q\nwant %q", script, said, want)
		}
	}
}

// Iceberg gives source watermarks of the column that is named, and of none else.
func TestIcebergSourceWatermark(t *testing.T) {
	const ice = "CREATE CATALOG ice WITH ('type'='iceberg','warehouse'='file:/w');\nCREATE TABLE w (ts AS CAST(created AS TIMESTAMP(3)), WATERMARK FOR ts AS SOURCE_WATERMARK())"
	for script, want := range map[string]string{
		ice + " LIKE ice.db.orders":                                     "TM610 critical 2:54, incomplete",
		ice + " WITH ('watermark-column'='created') LIKE ice.db.orders": "incomplete",
		"CREATE TABLE w (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector'='iceberg')":                         "TM610 critical 1:38",
		"CREATE TABLE w (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector'='iceberg','watermark-column'='ts')": "",
	} {
		a := ReadDDL("x.sql", script)
		if got := codesOf(a); got != want {
			t.Errorf("%s\n got %q %v\nwant %q", script, got, a.Findings, want)
		}
	}
}

// A hint counts where every query that reads the table has one.
func TestHintsWithoutGateway(t *testing.T) {
	const table = "CREATE TABLE o (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector'='kafka','topic'='t');\n"
	const idle = " /*+ OPTIONS('scan.watermark.idle-timeout'='30 s') */"
	for script, want := range map[string]Span{
		table + "SELECT * FROM o" + idle: known(30_000),
		table + "SELECT * FROM o" + idle + " WHERE id > 1; CREATE VIEW v AS SELECT * FROM o" + idle: known(30_000),
		table + "SELECT * FROM o" + idle + "; SELECT * FROM o":                                      {State: SpanUnset},
		table + "SELECT * FROM o /*+ STATE_TTL('o'='1h') */":                                        {State: SpanUnset},
	} {
		if got := ReadDDL("x.sql", script).Sources[0].IdleTimeout; got != want {
			t.Errorf("%s: %v, want %v", script, got, want)
		}
	}
}

// A plan from a file is not judged, unless the script compiles it.
func TestPlansFromFiles(t *testing.T) {
	for script, want := range map[string]string{
		"EXECUTE PLAN 'a.json'": "EXECUTE PLAN in line 1 was not checked",
		"COMPILE PLAN 'a.json' FOR INSERT INTO s SELECT 1;\nEXECUTE PLAN 'a.json'":                                         "",
		"COMPILE PLAN 'a.json' FOR INSERT INTO s SELECT 1;\nEXECUTE PLAN 'b.json'":                                         "EXECUTE PLAN in line 2 was not checked",
		"COMPILE AND EXECUTE PLAN 'a.json' FOR STATEMENT SET BEGIN INSERT INTO s SELECT 1; INSERT INTO s SELECT 2; END;\n": "",
	} {
		a := ReadDDL("x.sql", script)
		said := ""
		for _, why := range a.Incomplete {
			if strings.HasPrefix(why, "EXECUTE PLAN") {
				said = why
			}
		}
		if (said == "") != (want == "") || !strings.HasPrefix(said, want) || len(a.Findings) > 0 {
			t.Errorf("%s: %q, %v", script, said, a.Findings)
		}
	}
}

// ALTER TABLE is followed: names, columns, the watermark.
func TestAlteredColumns(t *testing.T) {
	const table = "CREATE TABLE o (id INT, ms BIGINT) WITH ('connector'='kafka','topic'='t','scan.watermark.idle-timeout'='1 min');\nALTER TABLE o "
	for alter, want := range map[string]string{
		"ADD (ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)":       "",
		"ADD (ts AS TO_TIMESTAMP_LTZ(ms, 0), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)":       "TM616 critical 2:26",
		"ADD (ts TIMESTAMP(6) FIRST, WATERMARK FOR ts AS ts)":                                     "TM608 critical 2:57",
		"ADD (ts TIMESTAMP(6), WATERMARK FOR ts AS ts); ALTER TABLE o MODIFY ts TIMESTAMP_LTZ(3)": "",
		"RENAME TO p; ALTER TABLE p ADD (ts TIMESTAMP(6), WATERMARK FOR ts AS ts)":                "TM608 critical 2:78",
		"ADD (ts AS TO_TIMESTAMP_LTZ(ms, 3), CONSTRAINT c PRIMARY KEY (id) NOT ENFORCED)":         "incomplete",
		"ADD WATERMARK FOR gone AS gone - INTERVAL '5' SECOND":                                    "incomplete",
	} {
		a := ReadDDL("x.sql", table+alter)
		if got := codesOf(a); got != want {
			t.Errorf("%s: %q %v, want %q", alter, got, a.Incomplete, want)
		}
	}
}

// A catalog that the gateway does not have is no fault of the script.
func TestCatalogsThatAreGone(t *testing.T) {
	for script, answers := range map[string][][2]string{
		"CREATE CATALOG lake WITH ('type'='paimon');\nUSE CATALOG lake;\nINSERT INTO s SELECT * FROM orders": {
			{"^CREATE CATALOG", "refuse Could not find any factory for identifier 'paimon' that implements 'org.apache.flink.table.factories.CatalogFactory' in the classpath."},
			{"^EXPLAIN", "refuse Object 'orders' not found"}},
		"INSERT INTO s SELECT * FROM lake.db.orders": {{"^EXPLAIN", "refuse Object 'lake' not found"}},
	} {
		_, a := sentFor(t, script, answers...)
		if got := codesOf(a); got != "incomplete" || !strings.Contains(strings.Join(a.Incomplete, "\n"), `catalog "lake"`) {
			t.Errorf("%s: %q %q", script, got, a.Incomplete)
		}
	}
	_, a := sentFor(t, "INSERT INTO s SELECT * FROM db.orders", [2]string{"^EXPLAIN", "refuse Object 'orders' not found"})
	if got := codesOf(a); got != "TM611 critical 1:1" {
		t.Errorf("a table that is missing from a catalog in memory: %q %q", got, a.Incomplete)
	}
}

// What Flink refuses is explained, with what to do; a class that no jar has is no fault of the script.
func TestRemedies(t *testing.T) {
	refused := func(class, message string) *Refusal {
		return &Refusal{Causes: []Cause{{"a.B", "outer"}, {class, message}}}
	}
	for message, want := range map[string]string{
		"Unsupported options found for 'kafka'.\n\nUnsupported options:\n\nscan.watermark.idle-timout\n\nSupported options:\n\nconnector\nscan.watermark.idle-timeout\ntopic": "did you mean 'scan.watermark.idle-timeout'?",
		"Unsupported options found for 'datagen'.\n\nUnsupported options:\n\nscan.watermark.idle-timeout\n\nSupported options:\n\nconnector\nnumber-of-rows":                  "it does not make watermarks itself",
		"Table sink 'default_catalog.default_database.out' doesn't support consuming update changes which is produced by node GroupAggregate(groupBy=[id])":                   `sink "out" takes only rows`,
		"Property group.id is required when using committed offset for offsets initializer":                                                                                   "names no group",
	} {
		known, ok := refused("a.C", message).remedy()
		if !ok || !strings.Contains(known.says, want) || known.fix.Text == "" {
			t.Errorf("%q: %q", message, known.says)
		}
	}
	if known, ok := refused("a.C", "Column 'price' not found in any table").remedy(); ok {
		t.Errorf("explained as %q", known.says)
	}
	if kind := refused("java.lang.ClassNotFoundException", "com.example.F").kind(); kind != refusedMissing {
		t.Errorf("a missing class is %d", kind)
	}
}
