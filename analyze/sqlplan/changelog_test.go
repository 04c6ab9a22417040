package sqlplan

import (
	"context"
	"strings"
	"testing"
)

const (
	changes = "CREATE TABLE c (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('scan.watermark.idle-timeout'='1 min',"
	plain   = "CREATE TABLE o" + marked + ";\n"
	tumble  = "SELECT id, COUNT(*) FROM TABLE(TUMBLE(TABLE c, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY id, window_start, window_end"
	cdc     = changes + "'connector'='mysql-cdc');\n"
)

// A changelog before an operator that is made for inserts is found in the text; its twins pass.
func TestChangelogWithoutGateway(t *testing.T) {
	for script, want := range map[string]string{
		cdc + tumble: "TM618 warning 2:32, incomplete",
		changes + "'connector'='postgres-cdc');\nCREATE VIEW v AS SELECT * FROM c;\nSELECT COUNT(*) FROM TABLE(HOP(TABLE v, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end": "TM618 warning 3:28, incomplete",
		changes + "'connector'='kafka','format'='debezium-json');\n" + tumble:                                                          "TM618 warning 2:32, incomplete",
		changes + "'connector'='kafka','value.format'='canal-json');\n" + tumble:                                                       "TM618 warning 2:32, incomplete",
		changes + "'connector'='upsert-kafka','value.format'='json');\n" + tumble:                                                      "TM618 warning 2:32, incomplete",
		cdc + "SELECT SUM(id) OVER (PARTITION BY id ORDER BY ts) FROM c":                                                               "TM618 warning 2:16, incomplete",
		cdc + plain + "SELECT * FROM o, c WHERE o.id = c.id":                                                                           "incomplete",
		cdc + plain + "SELECT * FROM o JOIN c ON o.id = c.id AND o.ts BETWEEN c.ts - INTERVAL '1' HOUR AND c.ts":                       "TM618 warning 3:48, incomplete",
		cdc + plain + "SELECT * FROM o, c WHERE o.id = c.id AND o.ts >= c.ts - INTERVAL '1' HOUR AND o.ts <= c.ts + INTERVAL '1' HOUR": "TM618 warning 3:47, incomplete",
		// twins
		changes + "'connector'='kafka','format'='json');\n" + tumble:                                                                                            "incomplete",
		changes + "'connector'='mysql-cdc','scan.read-changelog-as-append-only.enabled'='true');\n" + tumble:                                                    "incomplete",
		cdc + "SELECT id, COUNT(*) FROM c GROUP BY id":                                                                                                          "incomplete",
		cdc + "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) AS n FROM c) WHERE n = 1":                                               "incomplete",
		cdc + plain + "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(ts), INTERVAL '1' DAY)) w JOIN c ON w.id = c.id GROUP BY window_start, window_end": "incomplete",
		cdc + plain + "SELECT * FROM o JOIN c FOR SYSTEM_TIME AS OF o.ts ON o.id = c.id":                                                                        "incomplete",
	} {
		a := ReadDDL("x.sql", script)
		if got := codesOf(a); got != want {
			t.Errorf("%s\n got %q\nwant %q", script, got, want)
		}
	}
}

// versioned is a scripted gateway of a version.
type versioned struct {
	scripted
	version string
}

func (g *versioned) Version(context.Context) (string, error) { return g.version, nil }

// What Flink refuses is explained by the changelog and the version; what it plans is a warning.
func TestChangelogByVersion(t *testing.T) {
	refuse := [][2]string{{"^EXPLAIN", "refuse StreamPhysicalWindowAggregate doesn't support consuming update and delete changes which is produced by node TableSourceScan(table=[[default_catalog, default_database, c]], fields=[id, ts])"}}
	for version, c := range map[string]struct {
		answers [][2]string
		want    string
		says    string
	}{
		"1.18.1": {refuse, "TM618 critical 2:32", "1.19 and newer take updates there"},
		"1.20.3": {nil, "TM618 warning 2:32", "behind the watermark are dropped"},
		"2.3.0":  {nil, "TM618 warning 2:32", "behind the watermark are dropped"},
	} {
		g := &versioned{scripted{answers: c.answers}, version}
		a, err := Read(context.Background(), g, "x.sql", cdc+tumble)
		if err != nil {
			t.Fatal(err)
		}
		if got := codesOf(a); got != c.want || !strings.Contains(a.Findings[len(a.Findings)-1].Summary, c.says) {
			t.Errorf("%s: %q, %+v", version, got, a.Findings)
		}
	}
}

// An alignment with a drift or interval of 0 is off; a table alone in its group is only noted.
func TestAlignmentOff(t *testing.T) {
	table := func(name, group, drift, interval string) string {
		return "CREATE TABLE " + name + " (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector'='kafka','topic'='t','scan.watermark.idle-timeout'='1 min','scan.watermark.alignment.group'='" +
			group + "','scan.watermark.alignment.max-drift'='" + drift + "','scan.watermark.alignment.update-interval'='" + interval + "');\n"
	}
	for script, want := range map[string]string{
		table("a", "g", "0 s", "1 s"):                                     "warning",
		table("a", "g", "1 min", "0"):                                     "warning",
		table("a", "g", "1 min", "1 s") + table("b", "g", "1 min", "1 s"): "",
		table("a", "g", "1 min", "1 s") + table("b", "h", "1 min", "1 s"): "info info",
		table("a", "g", "1 min", "1 s"):                                   "",
	} {
		a := ReadDDL("x.sql", script)
		var got []string
		for _, f := range a.Findings {
			if f.Code == "TM619" {
				got = append(got, string(f.Severity))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		if want == "warning" && (a.Sources[0].AlignGroup != "" || a.Sources[0].AlignOff != "g") {
			t.Errorf("%+v", a.Sources[0])
		}
	}
}
