//go:build lab

package cmd_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tidemark/analyze/policy"
)

// mixed holds a cluster, a script on the gateway and a file of records against the policy in one run.
func (l *liveLab) mixed(t *testing.T) {
	records := filepath.Join(t.TempDir(), "rare-late.jsonl")
	rareLate(t, records)
	for _, c := range []struct {
		job, script string
		code        int
		failed      []string
	}{
		{"lab-rare-late-covered", "union-before-window.fixed.sql", 0, nil},
		{"lab-rare-late", "union-before-window.sql", 1, []string{"TM850 " + gatePolicy, "TM601 testdata/sql/union-before-window.sql"}},
	} {
		r := l.check(t, "--policy", gatePolicy, "--flink", l.rest, c.job, "--sql", "testdata/sql/"+c.script, "--sql-gateway", l.gateway(), "--records", records)
		if r.code != c.code {
			t.Errorf("%s with %s: %s", c.job, c.script, r)
		}
		for _, kind := range []string{"flink", "sql", "sql-gateway", "records"} {
			if !slices.ContainsFunc(r.run.Sources, func(s policy.Source) bool { return s.Kind == kind && s.Name != "" }) {
				t.Errorf("no source is %s: %+v", kind, r.run.Sources)
			}
		}
		for _, want := range c.failed {
			if !slices.ContainsFunc(r.run.Results, func(x policy.Result) bool {
				return x.Status == policy.Failed && x.Code+" "+x.Location.File == want
			}) {
				t.Errorf("%s did not fail: %s", want, r)
			}
		}
	}
}

// rareLate writes what the topic rare-late holds, as kcat -J shows it: one record in fifty is up to
// 20 s behind.
func rareLate(t *testing.T, path string) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	var b strings.Builder
	now := time.Now().UnixMilli()
	for i := range int64(40_000) {
		at := now - 400_000 + i*10
		event := at
		if r.IntN(50) == 0 {
			event -= r.Int64N(20_000)
		}
		fmt.Fprintf(&b, `{"topic":"rare-late","partition":%d,"offset":%d,"tstype":"create","ts":%d,"key":null,"payload":"k%d,%d"}`+"\n", i%4, i/4, at, i%17, event)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// drafted writes a policy from a job that is healthy. Filled in, it passes that job and refuses its
// broken twin.
func (l *liveLab) drafted(t *testing.T, recorded string) {
	code, draft, stderr := l.tidemark(t, "check", "init", "--flink", l.rest, "lab-idle-partition-declared")
	if code != 0 {
		t.Fatalf("check init: exit code %d: %s", code, stderr)
	}
	path := filepath.Join(t.TempDir(), "tidemark.yaml")
	// The draft knows no owner, and its name means one job alone.
	filled := strings.NewReplacer(`"lab-idle-partition-declared"`, `"lab-idle-partition*"`, "# owner:", "owner:").Replace(string(draft))
	if err := os.WriteFile(path, []byte(filled), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := l.check(t, "--policy", path, "--from", recorded, "lab-idle-partition-declared"); r.code != 0 {
		t.Errorf("the job that was drafted from is not passed: %s\n%s", r, draft)
	}
	r := l.check(t, "--policy", path, "--from", recorded, "lab-idle-partition")
	if r.code != 1 || !slices.ContainsFunc(r.run.Results, func(x policy.Result) bool {
		return x.Status == policy.Failed && x.Key == "idleness.required" && x.Subject.Split == "silent3-3"
	}) {
		t.Errorf("the broken twin is not refused: %s\n%s", r, draft)
	}

	code, rules, stderr := l.tidemark(t, "alerts", "--policy", path)
	if code != 0 {
		t.Fatalf("alerts: exit code %d: %s", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "event-time.rules.yml")
	if err := os.WriteFile(file, rules, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("promtool", "check", "rules", "--lint=all", "--lint-fatal", file).CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// brokenOff is a run in which something did not answer, or not to the end: never a pass.
func (l *liveLab) brokenOff(t *testing.T, recorded string) {
	script := []string{"--from", recorded, "lab-healthy", "--sql", "testdata/sql/statement-set.fixed.sql", "--sql-gateway"}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no cluster", []string{"--flink", "http://127.0.0.1:1", "lab-healthy"}, 3, "http://127.0.0.1:1"},
		{"cluster gone at once", []string{"--flink", breaking(t, l.rest, 1), "lab-healthy"}, 3, ""},
		{"cluster gone within a sample", []string{"--flink", breaking(t, l.rest, 12), "lab-healthy"}, 3, ""},
		{"no such job", []string{"--flink", l.rest, "lab-nowhere"}, 2, "lab-nowhere"},
		{"no gateway", append(slices.Clone(script), "http://127.0.0.1:1"), 3, "statement-set.fixed.sql:1:1: the script was not read"},
		{"gateway gone before a session", append(slices.Clone(script), breaking(t, l.gateway(), 1)), 3, "statement-set.fixed.sql:1:1: the script was not read"},
		{"gateway gone within the script", append(slices.Clone(script), breaking(t, l.gateway(), 9)), 3, "statement-set.fixed.sql"},
		{"no broker", []string{"--policy", noBroker(t, l), "--from", recorded, "lab-rare-late-covered"}, 3, "delay.measured"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.args
			if args[0] != "--policy" {
				args = append([]string{"--policy", gatePolicy}, args...)
			}
			r := l.check(t, args...)
			if r.code != c.code || !strings.Contains(r.stderr, c.says) || r.run.Outcome == policy.OutcomePassed {
				t.Errorf("exit code %d, want %d and %q: %s", r.code, c.code, c.says, r)
			}
			if r.run.Outcome != "" && r.junit.Errors == 0 {
				t.Error("the JUnit report has no error")
			}
		})
	}
}

// breaking serves what is behind it until it has answered often enough; from then on it closes every
// connection.
func breaking(t *testing.T, behind string, answers int64) string {
	t.Helper()
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > answers {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// noBroker is the policy with a broker that nobody is at.
func noBroker(t *testing.T, l *liveLab) string {
	t.Helper()
	text, err := os.ReadFile(l.path(gatePolicy))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gate.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "measured: {", `measured: {brokers: ["127.0.0.1:1"], `, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
