package cmd

import (
	"strings"
	"testing"
)

// A rule for all tables means those that are read: nobody waits for the watermark of a sink.
func TestARuleForAllTablesLeavesOutSinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "orders.sql", `CREATE TABLE orders (ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'scan.watermark.idle-timeout' = '60 s');
CREATE TABLE counts (n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'counts');
CREATE TABLE rates (r DOUBLE) WITH ('connector' = 'jdbc');
INSERT INTO counts SELECT COUNT(*) FROM orders CROSS JOIN rates;`)
	put(t, "p.yaml", "version: 1\njobs:\n  - {table: \"*\", owner: x, delay: {declared: 4s}, idleness: {required: true}, event-time: {field: ts}}\n")
	code, run, stderr := checked(t, "--policy", "p.yaml", "--sql", "orders.sql")
	if code != exitFindings {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	said := map[string]string{}
	for _, r := range run.Results {
		if r.Subject.Name == "counts" {
			t.Errorf("the sink is judged: %s %s", r.Code, r.Message)
		}
		said[r.Subject.Name+" "+r.Code] = string(r.Status) + ": " + r.Message
	}
	for key, want := range map[string]string{
		"orders TM852": "failed: the delay at \"orders\" is 5 s (declared in the WATERMARK clause); the policy declares 4 s",
		"orders TM854": "passed: ", "orders TM863": "passed: ",
		"rates TM852": "\"rates\" has no WATERMARK clause, so no delay", "rates TM863": "\"rates\" has no WATERMARK clause, so no event time",
		"rates TM854": "skipped: idleness.required does not apply: \"rates\" has no WATERMARK clause, so no partition of it can hold event time back",
	} {
		if !strings.Contains(said[key], want) {
			t.Errorf("%s: %q, want %q", key, said[key], want)
		}
	}
	for _, why := range run.Incomplete {
		if strings.Contains(why, "REST") || strings.Contains(why, "idleness") {
			t.Errorf("incomplete: %s", why)
		}
	}
}
