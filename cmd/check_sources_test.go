package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/policy"
	"tidemark/analyze/policy/gate"
	"tidemark/internal/cases"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/render"
)

func statuses(run policy.Run) string {
	var b strings.Builder
	for _, r := range run.Results {
		fmt.Fprintf(&b, "%s %s %s\n", r.Status, r.Code, r.Key)
	}
	return b.String()
}

func expectRun(t *testing.T, name string, code, want int, run policy.Run, stderr string, parts ...string) {
	t.Helper()
	got := statuses(run)
	if code != want {
		t.Errorf("%s: exit code %d, want %d; %s%s", name, code, want, stderr, summary(run, ""))
	}
	for _, p := range parts {
		if !strings.Contains(got, p+"\n") {
			t.Errorf("%s: no %q in\n%s%s", name, p, summary(run, ""), stderr)
		}
	}
	checkRun(t, run)
}

func TestMeasuredByATopic(t *testing.T) {
	_, broker := kafkaWith(t, "orders", "orders.jsonl.gz", 4)
	t.Chdir(t.TempDir())
	put(t, "p.yaml", `version: 1
jobs:
  - name: orders
    owner: x
    delay: {declared: 2s, covers: p99, at-most: 10x, measured: {topic: orders, brokers: "`+broker+`", format: csv, field: "2", unit: ms, last: 2400}}
    event-time: {unit: ms, field: "2"}
`)
	code, run := checkedAt(t, time.UnixMilli(1796026900000), "--policy", "p.yaml", "--topic", "orders") // records later than now are not believed
	stderr := ""
	expectRun(t, "topic", code, exitClean, run, stderr, "passed TM850 delay.covers", "passed TM851 delay.at-most", "passed TM864 event-time.unit", "passed TM863 event-time.field", "skipped TM852 delay.declared")
	// A broker that is gone leaves the demand unjudged.
	put(t, "gone.yaml", "version: 1\njobs:\n  - {name: orders, owner: x, delay: {declared: 2s, covers: p99, measured: {topic: nowhere, brokers: \""+broker+"\"}}}\n")
	code, run, stderr = checked(t, "--policy", "gone.yaml")
	expectRun(t, "no such topic", code, exitIncomplete, run, stderr, "skipped TM871 delay.measured")
}

// Records of the command line replaces what the policy names; an old measurement is a finding.
func TestMeasuredRecordsAndTheirAge(t *testing.T) {
	t.Chdir(t.TempDir())
	records := filepath.Join(repository, "testdata/records/orders.jsonl.gz")
	put(t, "p.yaml", `version: 1
jobs:
  - {name: orders, owner: x, delay: {declared: 2s, covers: p99, measured: {profile: nowhere.profile, max-age: 1h, format: csv, field: "2", unit: ms}}}
`)
	newest := time.UnixMilli(1796026858840) // arrival of the last record
	for _, c := range []struct {
		now  time.Time
		exit int
		want string
	}{{newest.Add(time.Hour), exitClean, "passed TM872 delay.measured.max-age"}, {newest.Add(time.Hour + time.Second), exitFindings, "failed TM872 delay.measured.max-age"}} {
		code, run := checkedAt(t, c.now, "--policy", "p.yaml", "--records", records, "--fail-on", "warning")
		expectRun(t, c.now.String(), code, c.exit, run, "", c.want)
	}
	if code, _, stderr := checked(t, "--policy", "p.yaml"); code != exitUsage || !strings.HasPrefix(stderr, "tidemark: p.yaml:3:") || !strings.Contains(stderr, "nowhere.profile") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestReplayFromTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	records := filepath.Join(repository, "testdata/records")
	for _, c := range []struct {
		args string
		exit int
		want string
	}{
		{"--replay behind.csv --place downstream --delay 20s --emit on-event --expect late=0", exitClean, "passed TM870 replay.expect late=0"},
		{"--replay behind.csv --place downstream --delay 19s --emit on-event --expect late=0,records>0", exitFindings, "failed TM870 replay.expect late=0"},
		{"--replay behind.csv --delay 1s --window tumbling:5s --expect fired>=1 --expect lag-end<30s", exitClean, "passed TM870 replay.expect lag-end<30s"},
		{"--replay silent3.jsonl.gz --field 2 --sort --partitions 4 --delay 1s --expect lag-end<30s", exitFindings, "failed TM870 replay.expect lag-end<30s"},
		{"--replay silent3.jsonl.gz --field 2 --sort --partitions 4 --delay 1s --idle-timeout 5s --expect lag-end<30s", exitClean, "passed TM870 replay.expect lag-end<30s"},
	} {
		args := strings.Fields(strings.Replace(c.args, "--replay ", "--replay "+records+"/", 1))
		code, run, stderr := checked(t, args...)
		expectRun(t, c.args, code, c.exit, run, stderr, c.want)
	}
	put(t, "cut.jsonl", `{"topic":"o","partition":0,"offset":0,"tstype":"create","ts":1796000000000,"payload":"{\"ts\":1}"}`+"\n{\"topic\"")
	code, run, stderr := checked(t, "--replay", "cut.jsonl", "--field", "ts", "--expect", "late=0")
	expectRun(t, "cut", code, exitIncomplete, run, stderr, "skipped TM870 replay.expect")
	if code, _, stderr := checked(t, "--replay", "nowhere.csv", "--expect", "late=0"); code != exitUsage || !strings.Contains(stderr, "nowhere.csv: no such file") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	// With a policy its strategy runs over the other records, and the further limits count as well.
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: orders, owner: x, replay: {records: nowhere.csv, strategy: {delay: 20s, place: downstream, emit: on-event}, expect: late=0}}\n")
	code, run, stderr = checked(t, "--policy", "p.yaml", "--replay", records+"/behind.csv", "--expect", "records>=1000000")
	expectRun(t, "policy", code, exitFindings, run, stderr, "passed TM870 replay.expect late=0", "failed TM870 replay.expect records>=1000000")
}

func TestReplayOfATopic(t *testing.T) {
	_, broker := kafkaWith(t, "silent3", "silent3.jsonl.gz", 4)
	t.Chdir(t.TempDir())
	put(t, "p.yaml", `version: 1
jobs:
  - name: orders
    owner: x
    replay:
      topic: silent3
      brokers: "`+broker+`"
      format: csv
      field: "2"
      last: 300
      strategy: {delay: 2s, parallelism: 4}
      expect: ["records>=200", "lag-end<1m"]
`)
	code, run, stderr := checked(t, "--policy", "p.yaml")
	expectRun(t, "topic", code, exitFindings, run, stderr, "passed TM870 replay.expect records>=200", "failed TM870 replay.expect lag-end<1m")
}

// Every format is written in one run, and the exit code does not depend on it.
func TestCheckWritesReports(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tidemark.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x, idleness: {required: true}}\n")
	args := []string{"check", "--from", recording(t, "lab-idle-partition"), "-o", "github"}
	formats := map[string]string{"junit": "<testsuites", "sarif": `"version": "2.1.0"`, "gitlab": `"fingerprint"`, "markdown": "TM854", "json": `"schema": "tidemark.check/v1"`, "text": "TM854"}
	for f := range formats {
		args = append(args, "--report", f+"=out."+f)
	}
	f := newFake(nil)
	if code := Main(args, f.env); code != exitFindings || !strings.Contains(f.out.String(), "::error") {
		t.Errorf("exit code %d, %s %s", code, f.err, f.out)
	}
	for format, want := range formats {
		text, err := os.ReadFile("out." + format)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q", format, err, want)
		}
	}
	if f.err.Len() > 0 {
		t.Errorf("stderr: %s", f.err)
	}
}

func TestAnInterruptedCheckEndsAsOne(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x}\n")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := newFake(nil)
	r := gate.Defaults()
	r.Policies = []string{"p.yaml"}
	r.SQL = []string{"p.sql"} // no cluster is read
	put(t, "p.sql", "CREATE TABLE t (ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n")
	if err := runCheck(ctx, f.globals, r, output{format: render.Table}); exitCode(err, true, ctx.Err() != nil) == exitClean {
		t.Error("a run that was interrupted passed")
	}
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: a, owner: x, delay: {declared: 5s, covers: p99, measured: {records: x.csv}}}\n")
	put(t, "x.csv", "0,1,1\n")
	r.SQL = nil
	err := runCheck(ctx, f.globals, r, output{format: render.Table})
	if exitCode(err, true, ctx.Err() != nil) != exitInterrupted {
		t.Errorf("error %v", err)
	}
}

// A policy with forty rules on a real recording, as a CI job runs it; the process adds its start to it.
func BenchmarkCheckFortyRules(b *testing.B) {
	b.Chdir(b.TempDir())
	var text strings.Builder
	text.WriteString("version: 1\njobs:\n")
	for i := range 40 {
		fmt.Fprintf(&text, "  - {name: \"lab-*\", owner: x, strategy: on-source, max-lag: %dm, idleness: {required: true}, late: {share: 1%%}, delay: {at-most: 10x, covers: p99.9, measured: 2s}, parallelism: {at-most-partitions: true}, forbid: [idle-split]}\n", i+1)
	}
	if err := os.WriteFile("p.yaml", []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	from := filepath.Join(repository, "testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz")
	for b.Loop() {
		f := newFake(nil)
		if code := Main([]string{"check", "--policy", "p.yaml", "--from", from, "-o", "json"}, f.env); code != exitClean {
			b.Fatalf("exit code %d, %s", code, f.err)
		}
	}
}

// Profiles of observe are added up, and are as old as their newest record.
func TestMeasuredByProfiles(t *testing.T) {
	cases.Slow(t)
	t.Chdir(t.TempDir())
	k := profile.Key{Topic: "orders", Format: "csv", Field: "2", Unit: "ms", FutureMs: 300_000}
	for i, name := range []string{"a.profile", "b.profile"} {
		w, _, err := profile.Open(name, k)
		if err != nil {
			t.Fatal(err)
		}
		c := measure.NewCollector(measure.Options{FutureMs: 300_000})
		c.Expect(0)
		for n := range 4000 {
			at := int64(1_796_000_000_000) + int64(i)*4_000_000 + int64(n)*1000
			event := at
			if n%20 == 0 {
				event -= 3000 // one in twenty is 3 s behind its second, and 2 s behind the record before
			}
			c.Add(record.Point{Offset: int64(i)*4000 + int64(n), Arrival: at + 100, Event: event, State: record.Usable})
		}
		if err := w.Flush(c.Finish(), nil, measure.State{}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	newest := time.UnixMilli(1_796_007_999_100)
	rule := "version: 1\njobs:\n  - {name: orders, owner: x, event-time: {field: \"2\", unit: ms}, delay: {declared: %s, covers: p99.9, at-most: 10x, measured: {profile: [a.profile, b.profile], max-age: %s}}}\n"
	for _, c := range []struct {
		delay, age string
		now        time.Time
		exit       int
		want       []string
	}{
		{"2s", "1 d", newest.Add(24 * time.Hour), exitClean, []string{"passed TM850 delay.covers", "passed TM872 delay.measured.max-age", "passed TM864 event-time.unit", "passed TM863 event-time.field"}},
		{"1999ms", "1 d", newest, exitFindings, []string{"failed TM850 delay.covers"}},
		{"21s", "1 d", newest, exitFindings, []string{"failed TM851 delay.at-most", "passed TM850 delay.covers"}},
		{"2s", "1 d", newest.Add(24*time.Hour + time.Millisecond), exitFindings, []string{"failed TM872 delay.measured.max-age"}},
	} {
		put(t, "p.yaml", fmt.Sprintf(rule, c.delay, c.age))
		code, run := checkedAt(t, c.now, "--policy", "p.yaml")
		expectRun(t, c.delay, code, c.exit, run, "", c.want...)
	}
	put(t, "a.profile", "not a profile\n")
	if code, _, stderr := checked(t, "--policy", "p.yaml"); code != exitUsage || !strings.HasPrefix(stderr, "tidemark: p.yaml:3:") || !strings.Contains(stderr, "a.profile:1: ") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}
