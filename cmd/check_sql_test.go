package cmd

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/policy"
	"tidemark/internal/cases"
	"tidemark/internal/sqlplantest"
)

func serveScript(t *testing.T, version, script string) string {
	t.Helper()
	url, _ := sqlplantest.Serve(t, sqlplantest.Load(t, filepath.Join(repository, "testdata/sql"), version).Replay(script))
	return url
}

const ownerOnly = "version: 1\njobs:\n  - {name: \"*\", owner: x}\n"

// A policy refuses what Flink's planner shows to lose event time, and passes its fixed twin.
func TestScriptsAreRefusedAndTheirMendedTwinsPass(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", ownerOnly)
	twins, err := filepath.Glob(filepath.Join(repository, "testdata/sql/*.fixed.sql"))
	if err != nil || len(twins) < 8 {
		t.Fatalf("%d scripts, %v", len(twins), err)
	}
	versions := []string{"1.18.1", "1.20.3", "2.3.0"}
	for i, twin := range cases.Some(twins, 5) {
		for _, version := range cases.Some(slices.Concat(versions[i%3:], versions[:i%3]), 1) {
			faulty := strings.Replace(twin, ".fixed", "", 1)
			code, run, stderr := checked(t, "--policy", "p.yaml", "--sql", faulty, "--sql-gateway", serveScript(t, version, filepath.Base(faulty)))
			if code != exitFindings || !failedIn(run, faulty) {
				t.Errorf("%s, Flink %s: exit code %d; %s%s", filepath.Base(faulty), version, code, stderr, summary(run, policy.Failed))
			}
			checkRun(t, run)
			code, run, stderr = checked(t, "--policy", "p.yaml", "--sql", twin, "--sql-gateway", serveScript(t, version, filepath.Base(twin)))
			if code != exitClean {
				t.Errorf("%s, Flink %s: exit code %d; %s%s", filepath.Base(twin), version, code, stderr, summary(run, policy.Failed))
			}
			checkRun(t, run)
		}
	}
}

// failedIn reports a result that failed at a line of the file.
func failedIn(run policy.Run, file string) bool {
	return slices.ContainsFunc(run.Results, func(r policy.Result) bool {
		return r.Status == policy.Failed && r.Location.File == file && r.Location.Line > 1
	})
}

// Keys about sources are compared with the tables of a script, by the job's name or by the table's.
func TestTablesOfAScript(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "orders.sql", `SET 'pipeline.name' = 'order counts';
CREATE TABLE orders (k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka', 'topic' = 'orders',
  'scan.watermark.idle-timeout' = '10 s', 'scan.watermark.alignment.group' = 'g', 'scan.watermark.alignment.max-drift' = '15 s', 'scan.watermark.alignment.update-interval' = '1 s');
CREATE TABLE sink (k STRING) WITH ('connector' = 'blackhole');
`)
	for _, c := range []struct {
		rule string
		exit int
		want string
	}{
		{"name: order counts, delay: {declared: 5s}", 0, "passed TM852"},
		{"name: order counts, delay: {declared: 4s}", 1, "failed TM852"},
		{"table: orders, delay: {covers: p99, measured: 6s}", 1, "failed TM850"},
		{"table: orders, delay: {at-most: 10x, measured: 500ms}", 0, "passed TM851"},
		{"table: orders, idleness: {required: true, min: 5s, max: 10s}", 0, "passed TM855"},
		{"table: orders, idleness: {min: 1m}", 1, "failed TM855"},
		{"table: orders, alignment: {drift-at-least-idle-timeout: true}", 0, "passed TM502"},
		{"table: orders, alignment: {max-drift: 15s, group: g}", 0, "passed TM861"},
		{"table: orders, event-time: {field: ts}", 0, "passed TM863"},
		{"table: orders, event-time: {field: created}", 1, "failed TM863"},
		{"table: orders, event-time: {unit: ms}", 3, "skipped TM864"},
		{"table: orders, parallelism: {max: 4}", 3, "skipped TM859"},
		{"table: orders, emission-interval: {max: 1s}", 3, "skipped TM862"},
		{"table: \"*.orders\", owner: y", 2, "owner stands twice"},
		{"table: sink, strategy: on-source", 1, "failed TM877"},
		{"table: nowhere, strategy: on-source", 1, "failed TM875"},
		{"name: nowhere, strategy: on-source", 3, "skipped TM877"},
		{"name: orders, strategy: on-source", 3, `to rules, script orders.sql is job "order counts"`},
		{"name: order counts, max-lag: 1m", 3, "skipped TM856"},
	} {
		put(t, "p.yaml", "version: 1\njobs:\n  - {owner: x, "+c.rule+"}\n")
		code, run, stderr := checked(t, "--policy", "p.yaml", "--sql", "orders.sql")
		if code != c.exit || !strings.Contains(summary(run, "")+stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d and %s; %s%s", c.rule, code, c.exit, c.want, stderr, summary(run, ""))
		}
	}
}

func TestGatewayThatIsDownIsOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", ownerOnly)
	put(t, "a.sql", "CREATE TABLE t (k STRING);\n")
	code, _, stderr := checked(t, "--policy", "p.yaml", "--sql", "a.sql", "--sql-gateway", "http://127.0.0.1:1")
	want := "tidemark: a.sql:1:1: the script was not read: SQL gateway http://127.0.0.1:1: "
	if code != exitIncomplete || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	for text, want := range map[string]int{"SELEC 1;": exitFindings, "": exitIncomplete, "CREATE TABLE t (k STRING) WITH ('a' = 'b": exitFindings} {
		put(t, "broken.sql", text)
		if code, run, stderr := checked(t, "--policy", "p.yaml", "--sql", "broken.sql"); code != want {
			t.Errorf("%q: exit code %d, %s%s", text, code, stderr, summary(run, ""))
		}
	}
	if code, _, stderr := checked(t, "--policy", "p.yaml", "--sql", "nowhere.sql"); code != exitUsage || !strings.Contains(stderr, "nowhere.sql: no such file") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
