package sqlplan

import "testing"

func TestATableThatIsOnlyWrittenIsNoSource(t *testing.T) {
	const tables = "CREATE TABLE orders (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');\n" +
		"CREATE TABLE counts (n BIGINT) WITH ('connector' = 'kafka');\nCREATE TABLE lost (n BIGINT) WITH ('connector' = 'blackhole');\n"
	for _, c := range []struct {
		queries string
		want    map[string]bool
	}{
		{"", map[string]bool{"lost": true}},
		{"INSERT INTO counts SELECT COUNT(*) FROM orders;", map[string]bool{"lost": true, "counts": true}},
		{"INSERT OVERWRITE TABLE counts SELECT COUNT(*) FROM orders;", map[string]bool{"lost": true, "counts": true}},
		{"INSERT INTO cat.db.`counts` SELECT 1;", map[string]bool{"lost": true, "counts": true}},
		{"EXECUTE STATEMENT SET BEGIN INSERT INTO counts SELECT 1 FROM orders; INSERT INTO lost SELECT 2 FROM orders; END;", map[string]bool{"lost": true, "counts": true}},
		// It is read as well, by a later query or through a view.
		{"INSERT INTO counts SELECT 1 FROM orders; SELECT * FROM counts;", map[string]bool{"lost": true}},
		{"CREATE VIEW v AS SELECT * FROM db.counts; INSERT INTO counts SELECT 1 FROM orders;", map[string]bool{"lost": true}},
		{"INSERT INTO orders SELECT * FROM orders;", map[string]bool{"lost": true}},
	} {
		got := map[string]bool{}
		for _, s := range ReadDDL("x.sql", tables+c.queries).Sources {
			if s.OnlyWritten {
				got[s.Table] = true
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: only written %v, want %v", c.queries, got, c.want)
		}
		for name := range c.want {
			if !got[name] {
				t.Errorf("%s: %s is not among %v", c.queries, name, got)
			}
		}
	}
}
