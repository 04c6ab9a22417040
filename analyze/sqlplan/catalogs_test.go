package sqlplan

import (
	"strings"
	"testing"
)

const (
	ice    = "CREATE CATALOG ice WITH ('type'='iceberg', 'warehouse'='file:/w');\n"
	paimon = "CREATE CATALOG lake WITH ('type'='paimon', 'warehouse'='file:/w');\n"
	hive   = "CREATE CATALOG h WITH ('type'='hive');\n"
	pg     = "CREATE CATALOG pg WITH ('type'='jdbc');\n"
	memory = "CREATE CATALOG mem WITH ('type'='generic_in_memory');\n"
	marked = " (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)" + plainWith
	bare   = " (id INT, ts TIMESTAMP_LTZ(3))"
)

// What another catalog decides is not judged as if Flink's memory held it.
func TestCatalogsWithoutGateway(t *testing.T) {
	for script, want := range map[string]string{
		ice + "CREATE TABLE ice.db.dim" + bare + ";\nCREATE TABLE d (WATERMARK FOR ts AS ts) LIKE ice.db.dim":                                                      "TM608 critical 3:31, incomplete",
		ice + "USE CATALOG ice;\nCREATE TABLE dim" + bare + ";\nUSE CATALOG default_catalog;\nCREATE TABLE d (WATERMARK FOR ts AS ts) LIKE ice.db.dim":             "TM608 critical 5:31, incomplete",
		ice + "CREATE TABLE ice.db.dim" + bare + ";\nCREATE TABLE d (rt AS CAST(ts AS TIMESTAMP_LTZ(3)), WATERMARK FOR rt AS rt)" + plainWith + " LIKE ice.db.dim": "",
		ice + "CREATE TABLE d (WATERMARK FOR ts AS ts) LIKE ice.db.gone":                                                                                           "incomplete",
		ice + "CREATE TABLE ice.db.o" + marked:                                                                          "TM617 critical 2:14, incomplete",
		ice + "USE CATALOG ice;\nCREATE TABLE o" + marked:                                                               "TM617 critical 3:14, incomplete",
		ice + "USE ice.db;\nCREATE TEMPORARY TABLE o" + marked:                                                          "",
		ice + "CREATE TABLE o" + marked + ";\nCREATE TABLE ice.db.sink" + bare:                                          "",
		paimon + "CREATE TABLE lake.db.o" + marked:                                                                      "incomplete",
		hive + "USE CATALOG h;\nCREATE TABLE o" + marked:                                                                "incomplete",
		hive + "CREATE TABLE h.db.o" + bare + ";\nCREATE TABLE d (WATERMARK FOR ts AS ts)" + plainWith + " LIKE h.db.o": "incomplete",
		pg + "CREATE TABLE pg.db.o" + bare:                                                                              "TM617 critical 2:14",
		"USE CATALOG somewhere;\nCREATE TABLE o" + marked:                                                               "incomplete",
		memory + "USE CATALOG mem;\nCREATE TABLE o" + marked:                                                            "",
		"CREATE TABLE default_catalog.default_database.o" + marked:                                                      "",
	} {
		a := ReadDDL("x.sql", script)
		if got := codesOf(a); got != want {
			t.Errorf("%s\n got %q %q\nwant %q", script, got, a.Incomplete, want)
		}
	}
}

// Through a gateway LIKE is resolved by the session's catalog; a table that the script creates in one is
// only planned as a temporary table, and the answer says so.
func TestCatalogsWithGateway(t *testing.T) {
	for script, want := range map[string]string{
		ice + "CREATE TABLE d (WATERMARK FOR ts AS ts) LIKE ice.db.there":                                                          "",
		ice + "CREATE TABLE ice.db.dim" + bare + ";\nCREATE TABLE d (WATERMARK FOR ts AS ts) LIKE ice.db.dim":                      "TM608 critical 3:31, incomplete",
		paimon + "USE CATALOG lake;\nCREATE TABLE o" + marked:                                                                      "incomplete",
		ice + "CREATE TABLE o" + marked + ";\nCREATE TABLE ice.db.sink" + bare + ";\nINSERT INTO ice.db.sink SELECT id, ts FROM o": "",
	} {
		sent, a := sentFor(t, script)
		if got := codesOf(a); got != want {
			t.Errorf("%s\n got %q %q\nwant %q", script, got, a.Incomplete, want)
		}
		if strings.Contains(want, "incomplete") && !strings.Contains(strings.Join(a.Incomplete, "\n"), "catalog") {
			t.Errorf("%s: %q", script, a.Incomplete)
		}
		for _, s := range sent {
			if strings.HasPrefix(s, "CREATE TABLE ice.") || strings.HasPrefix(s, "CREATE TABLE lake.") {
				t.Errorf("sent to the catalog: %s", s)
			}
		}
	}
}
