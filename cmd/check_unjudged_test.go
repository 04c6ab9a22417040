package cmd

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A run that judged nothing of what it read has not passed.
func TestNothingJudgedIsNotPassed(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		policy string
		args   []string
		want   int
	}{
		{"version: 1\n", nil, exitIncomplete},
		{"version: 1\njobs: []\n", nil, exitIncomplete},
		{"version: 1\njobs:\n  - {name: other, owner: x}\n", []string{"--fail-on", "none"}, exitIncomplete},
		{"version: 1\njobs:\n  - {name: \"*\", owner: x}\n", nil, exitClean},
	} {
		put(t, "p.yaml", c.policy)
		code, run, stderr := checked(t, append([]string{"--policy", "p.yaml", "--from", recording(t, "lab-healthy")}, c.args...)...)
		if code != c.want || (c.want == exitIncomplete) != strings.Contains(stderr, "nothing was judged") {
			t.Errorf("%q: exit code %d, %s%s", c.policy, code, stderr, summary(run, ""))
		}
	}
	// A job that is asked for by name is not left out in silence.
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: other, owner: x, replay: {records: r.csv, strategy: {delay: 5s}, expect: late=0}}\n")
	if code, _, stderr := checked(t, "--policy", "p.yaml", "--fail-on", "none", "--from", recording(t, "lab-healthy"), "lab-healthy"); code != exitIncomplete || !strings.Contains(stderr, `job "lab-healthy" was asked for`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}

// Records that cannot be read may all be late: a percentile that they outweigh is not known.
func TestMeasurementWithUnreadRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: o, owner: x, delay: {declared: 5s, covers: p90, measured: {records: r.jsonl, format: json, field: ts, unit: ms}}}\n")
	for _, c := range []struct{ unread, want int }{{0, exitClean}, {300, exitClean}, {301, exitFindings}, {1500, exitFindings}} {
		var b strings.Builder
		for i := range 3000 {
			field := "ts"
			if i%2 == 1 && i/2 < c.unread {
				field = "other"
			}
			fmt.Fprintf(&b, `{"topic":"o","partition":0,"offset":%d,"tstype":"create","ts":%d,"payload":"{\"%s\":%d}"}`+"\n", i, 1_796_000_000_000+i*1000, field, 1_796_000_000_000+i*1000-i%7*100)
		}
		put(t, "r.jsonl", b.String())
		code, run := checkedAt(t, time.UnixMilli(1_796_004_000_000), "--policy", "p.yaml")
		if code != c.want || (c.want == exitFindings) != strings.Contains(statuses(run), "failed TM871") {
			t.Errorf("%d unread: exit code %d\n%s", c.unread, code, summary(run, ""))
		}
	}
}

// A measurement from the future has no age.
func TestMeasurementFromTheFuture(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: orders, owner: x, delay: {declared: 2s, covers: p99, measured: {records: x, max-age: 1h, format: csv, field: \"2\", unit: ms}}}\n")
	records := filepath.Join(repository, "testdata/records/orders.jsonl.gz")
	newest := time.UnixMilli(1796026858840)
	for ahead, want := range map[time.Duration]string{4 * time.Minute: "passed TM872", 6 * time.Minute: "failed TM872"} {
		if _, run := checkedAt(t, newest.Add(-ahead), "--policy", "p.yaml", "--records", records); !strings.Contains(statuses(run), want) && !strings.Contains(statuses(run), "failed TM871") {
			t.Errorf("%s ahead: %s", ahead, summary(run, ""))
		}
	}
}

// A recording that ends between two lines of a sample is incomplete, whatever it would have shown.
func TestCheckOfARecordingCutBetweenLines(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x}\n")
	f, err := os.Open(recording(t, "lab-idle-partition"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for _, n := range []int{36, 42, 45} {
		put(t, "cut.jsonl", strings.Join(lines[:n], ""))
		if code, _, _ := checked(t, "--policy", "p.yaml", "--from", "cut.jsonl"); code != exitIncomplete && code != exitFindings {
			t.Errorf("%d lines: exit code %d", n, code)
		}
	}
}

// Bytes that are no text and floods of mistakes are said at their place, and shortly.
func TestPolicyThatIsNoText(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"version: 1\njobs:\n  - {name: \"日\x00\", owner: x}\n": "p.yaml:3:14: not YAML: byte 0x00 is no text; save the policy as UTF-8 without control characters",
		"version: 1\njobs:\n  - {name: \"\xe9\", owner: x}\n":  "p.yaml:3:13: not YAML: byte 0xE9 is no text; save the policy as UTF-8 without control characters",
		"\x1b[2Jversion: 1\n": "p.yaml:1:1: not YAML: byte 0x1B is no text; save the policy as UTF-8 without control characters",
	} {
		put(t, "p.yaml", text)
		if code, _, stderr := checked(t, "--policy", "p.yaml"); code != exitUsage || stderr != "tidemark: "+want+"\n" {
			t.Errorf("exit code %d, %q want %q", code, stderr, want)
		}
	}
	var b strings.Builder
	b.WriteString("version: 1\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	put(t, "p.yaml", b.String())
	if code, _, stderr := checked(t, "--policy", "p.yaml"); code != exitUsage || strings.Count(stderr, "\n") != 51 || !strings.HasSuffix(stderr, "and 4950 more mistakes\n") {
		t.Errorf("exit code %d, %d lines", code, strings.Count(stderr, "\n"))
	}
}
