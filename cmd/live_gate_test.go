//go:build lab

package cmd_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tidemark/analyze/policy"
)

// gatePolicy is the one policy that all of these are compared with, from the root of the repository.
const gatePolicy = "testdata/lab/gate.yaml"

// gatePair is a job or a script that the policy refuses, and its fixed twin, which it passes.
type gatePair struct {
	name, refused, passed string // jobs of the lab, or scripts of testdata/sql
	code, key             string // what must fail; "" = a check without a key
	demand                string // text of the policy that demands it, or LINE:COLUMN of the script
	vertex, operator      string
	subtasks              []int
	split                 string
}

// nodeNumber counts up over all that a gateway plans.
var nodeNumber = regexp.MustCompile(`\[[0-9]+\]`)

func (p gatePair) script() bool { return strings.HasSuffix(p.refused, ".sql") }

var gatePairs = []gatePair{
	{name: "no strategy", refused: "lab-no-strategy", passed: "lab-healthy",
		code: "TM877", key: "strategy", demand: "strategy: on-source", vertex: "Source: Orders", subtasks: []int{0, 1}},
	{name: "downstream assigner", refused: "lab-downstream-assigner", passed: "lab-healthy",
		code: "TM877", key: "strategy", demand: "strategy: on-source", vertex: "Source: Orders -> Parse -> Timestamps/Watermarks", operator: "Timestamps/Watermarks"},
	{name: "parallelism above partitions", refused: "lab-over-parallel", passed: "lab-over-parallel-mended",
		code: "TM859", key: "parallelism.at-most-partitions", demand: "at-most-partitions: true", vertex: "Source: Orders", operator: "Orders"},
	{name: "no idle timeout and a silent partition", refused: "lab-idle-partition", passed: "lab-idle-partition-declared",
		code: "TM854", key: "idleness.required", demand: "required: true", vertex: "Source: Orders", operator: "Source: Orders", subtasks: []int{1}, split: "silent3-3"},
	{name: "bound below the measured p99.9", refused: "lab-rare-late", passed: "lab-rare-late-covered",
		code: "TM850", key: "delay.covers", demand: "covers: p99.9", vertex: "Source: Orders", operator: "Orders"},
	{name: "bound ten times above it", refused: "lab-rare-late-far", passed: "lab-rare-late-covered",
		code: "TM851", key: "delay.at-most", demand: "at-most: 10x", vertex: "Source: Orders", operator: "Orders"},
	{name: "drift below the idle timeout", refused: "lab-aligned-idle-above-drift", passed: "lab-aligned-idle-below-drift",
		code: "TM502", key: "alignment.drift-at-least-idle-timeout", demand: "drift-at-least-idle-timeout: true", vertex: "Source: Orders", operator: "Source: Orders", subtasks: []int{1}},
	{name: "TIMESTAMP where the data is in another zone, running", refused: "sql-zone-shift", passed: "sql-hop",
		code: "TM865", key: "event-time.zone", demand: "zone: UTC", vertex: "Source: KafkaSource-default_catalog.default_database.o -> Calc[] -> LocalWindowAggregate[]",
		operator: "Source: KafkaSource-default_catalog.default_database.o", subtasks: []int{0}},

	{name: "regular join before a window", refused: "join-before-window.sql", passed: "join-before-window.fixed.sql", code: "TM601", demand: "27:1", operator: "Join"},
	{name: "UNION before a window", refused: "union-before-window.sql", passed: "union-before-window.fixed.sql", code: "TM601", demand: "26:1", operator: "GroupAggregate"},
	{name: "Top-N before a window", refused: "topn-before-window.sql", passed: "topn-before-window.fixed.sql", code: "TM606", demand: "17:17", operator: "Rank"},
	{name: "MATCH_RECOGNIZE without MATCH_ROWTIME", refused: "match-before-window.sql", passed: "match-before-window.fixed.sql", code: "TM601", demand: "15:22", operator: "Match"},
	{name: "windows chained without window_time", refused: "window-chained.sql", passed: "window-chained.fixed.sql", code: "TM601", demand: "17:1", operator: "GlobalWindowAggregate"},
	{name: "TIMESTAMP where the data is in another zone, in SQL", refused: "timestamp-session-zone.sql", passed: "timestamp-session-zone.fixed.sql", code: "TM607", demand: "8:17"},
}

// gate holds the jobs that run now, and scripts on the gateway, against the policy.
func (l *liveLab) gate(t *testing.T) {
	recorded := l.snapshot(t)
	policyText, err := os.ReadFile(l.path(gatePolicy))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range gatePairs {
		t.Run(p.name, func(t *testing.T) {
			refused, passed := l.held(t, recorded, p, p.refused), l.held(t, recorded, p, p.passed)
			p.judge(t, refused, place(p, string(policyText)))
			if passed.code != 0 {
				t.Errorf("%s is not passed: %s", p.passed, passed)
			}
			if n := passed.junit.Failures + passed.junit.Errors; n != 0 {
				t.Errorf("the JUnit report of %s has %d failures and errors", p.passed, n)
			}
		})
	}
	t.Run("sources mixed", func(t *testing.T) { l.mixed(t) })
	t.Run("drafted policy", func(t *testing.T) { l.drafted(t, recorded) })
	t.Run("broken off", func(t *testing.T) { l.brokenOff(t, recorded) })
}

// held runs check over one job, or over a script next to a job that is healthy.
func (l *liveLab) held(t *testing.T, recorded string, p gatePair, subject string) checkedRun {
	t.Helper()
	args := []string{"--policy", gatePolicy, "--from", recorded, subject}
	if p.script() {
		args = []string{"--policy", gatePolicy, "--from", recorded, "lab-healthy", "--sql", "testdata/sql/" + subject, "--sql-gateway", l.gateway()}
	}
	return l.check(t, args...)
}

// place is FILE:LINE:COLUMN of what demands the result: the value of a key, or the statement.
func place(p gatePair, policyText string) string {
	if p.script() {
		return "testdata/sql/" + p.refused + ":" + p.demand
	}
	for i, line := range strings.Split(policyText, "\n") {
		if at := strings.Index(line, p.demand); at >= 0 {
			return fmt.Sprintf("%s:%d:%d", gatePolicy, i+1, at+strings.Index(p.demand, ": ")+3)
		}
	}
	return gatePolicy + " does not say " + p.demand
}

// judge wants the failure at its place in the JSON and in the JUnit report.
func (p gatePair) judge(t *testing.T, r checkedRun, place string) {
	t.Helper()
	if r.code != 1 || r.run.Outcome != policy.OutcomeFailed {
		t.Errorf("%s is not refused: %s", p.refused, r)
	}
	for _, s := range r.run.Sources {
		if s.Name == "" || strings.HasPrefix(s.Name, s.Kind+" ") {
			t.Errorf("a source is %q", s.Kind+" "+s.Name)
		}
	}
	found := slices.IndexFunc(r.run.Results, func(x policy.Result) bool {
		return x.Status == policy.Failed && x.Code == p.code && x.Key == p.key && x.Severity != "info"
	})
	if found < 0 {
		t.Fatalf("%s did not fail: %s", p.code, r)
	}
	x := r.run.Results[found]
	vertex := ""
	if x.Subject.Vertex != nil {
		vertex = nodeNumber.ReplaceAllString(x.Subject.Vertex.Name, "[]")
	}
	if at := x.Location; fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column) != place {
		t.Errorf("%s stands at %s:%d:%d, want %s", p.code, at.File, at.Line, at.Column, place)
	}
	if vertex != p.vertex || x.Subject.Operator != p.operator || x.Subject.Split != p.split || !slices.Equal(x.Subject.Subtasks, p.subtasks) {
		t.Errorf("%s is about vertex %q, operator %q, subtasks %v, split %q", p.code, vertex, x.Subject.Operator, x.Subject.Subtasks, x.Subject.Split)
	}
	name := x.Code + " " + x.Cause
	if x.Key != "" {
		name += " (" + x.Key + ")"
	}
	if !slices.Contains(r.junit.failed(), name) {
		t.Errorf("the JUnit report has no failure %q: %q", name, r.junit.failed())
	}
}

// checkedRun is what one run of check said.
type checkedRun struct {
	code   int
	run    policy.Run
	stderr string
	junit  junitReport
}

type junitReport struct {
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func (j junitReport) failed() (names []string) {
	for _, s := range j.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

func (r checkedRun) String() string {
	out := fmt.Sprintf("exit code %d, %s %s", r.code, r.run.Outcome, r.stderr)
	for _, x := range r.run.Results {
		if x.Status == policy.Failed || x.Essential {
			out += fmt.Sprintf("\n%s %s %s %s: %s", x.Status, x.Code, x.Key, x.Severity, x.Message)
		}
	}
	return out
}

func (l *liveLab) path(name string) string {
	return filepath.Join(filepath.Dir(l.script), "../..", name)
}

// check runs the command at the root of the repository, with the lab's broker. Where it broke off
// before anything was judged, run and junit are empty.
func (l *liveLab) check(t *testing.T, args ...string) checkedRun {
	t.Helper()
	report := filepath.Join(t.TempDir(), "check.xml")
	r := checkedRun{}
	var stdout []byte
	r.code, stdout, r.stderr = l.tidemark(t, append([]string{"check", "-o", "json", "--report", "junit=" + report}, args...)...)
	if len(stdout) == 0 {
		return r
	}
	if err := json.Unmarshal(stdout, &r.run); err != nil {
		t.Fatalf("check did not print JSON: %v\n%.2000s", err, stdout)
	}
	text, err := os.ReadFile(report)
	if err == nil {
		err = xml.Unmarshal(text, &r.junit)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *liveLab) tidemark(t *testing.T, args ...string) (code int, stdout []byte, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	c := exec.Command(l.binary, args...)
	c.Dir, c.Stdout, c.Stderr = l.path("."), &out, &said
	c.Env = append(os.Environ(), "TIDEMARK_BROKERS="+l.kafka(), "TIDEMARK_FLINK=", "TIDEMARK_CONTEXT=")
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("tidemark %s: %v", args[0], err)
	}
	return c.ProcessState.ExitCode(), out.Bytes(), said.String()
}

// snapshot records the jobs of all pairs at once, so that each is judged in the moment the others are.
func (l *liveLab) snapshot(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate.jsonl.gz")
	args := []string{"snapshot", "--flink", l.rest, "-o", path}
	for _, p := range gatePairs {
		for _, job := range []string{p.refused, p.passed} {
			if !p.script() && !slices.Contains(args, job) {
				args = append(args, job)
			}
		}
	}
	if code, _, stderr := l.tidemark(t, args...); code != 0 {
		t.Fatalf("snapshot: exit code %d: %s", code, stderr)
	}
	return path
}
