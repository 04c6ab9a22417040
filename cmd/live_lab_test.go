//go:build lab

package cmd_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// settle is how long the jobs run before they are judged: idle timeouts, stopped partitions, timers and the
// grace a job gets after its start must all have passed.
const settle = 90 * time.Second

// liveLab is a running lab: the one the environment names, or one this test starts and stops.
type liveLab struct {
	t       *testing.T
	script  string
	rest    string
	version string
	binary  string
}

type liveReport struct {
	Schema string    `json:"schema"`
	Jobs   []liveJob `json:"jobs"`
}

type liveJob struct {
	Name       string        `json:"name"`
	Verdict    string        `json:"verdict"`
	Findings   []liveFinding `json:"findings"`
	NotChecked []struct {
		Reason string `json:"reason"`
	} `json:"not_checked"`
}

type liveFinding struct {
	Code     string `json:"code"`
	Cause    string `json:"cause"`
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Vertex   struct {
		Name string `json:"name"`
	} `json:"vertex"`
	Operator string `json:"operator"`
	Subtasks []int  `json:"subtasks"`
	Split    string `json:"split"`
	Latent   bool   `json:"latent"`
}

func (f liveFinding) String() string {
	return fmt.Sprintf("%s %s vertex=%q subtasks=%v split=%q latent=%v: %s", f.Code, f.Cause, f.Vertex.Name, f.Subtasks, f.Split, f.Latent, f.Summary)
}

func (w want) String() string {
	return fmt.Sprintf("%s place=%q subtasks=%v split=%q latent=%v", strings.Join(w.causes, "|"), w.place, w.subtasks, w.split, w.latent)
}

func (r liveReport) job(name string) (liveJob, bool) {
	for _, j := range r.Jobs {
		if j.Name == name {
			return j, true
		}
	}
	return liveJob{}, false
}

// openLab builds the binary, and starts a lab unless TIDEMARK_LAB_REST names a running one.
func openLab(t *testing.T) *liveLab {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	l := &liveLab{
		t:       t,
		script:  filepath.Join(root, "testdata", "lab", "lab"),
		rest:    os.Getenv("TIDEMARK_LAB_REST"),
		version: cmp.Or(os.Getenv("TIDEMARK_LAB_VERSION"), "2.3.0"),
		binary:  filepath.Join(t.TempDir(), "tidemark"),
	}
	build := exec.Command("go", "build", "-o", l.binary, ".")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if l.rest == "" {
		l.run("up", l.version)
		t.Cleanup(func() { l.run("down") })
		for _, line := range strings.Split(l.run("env"), "\n") {
			if rest, ok := strings.CutPrefix(line, "TIDEMARK_LAB_REST="); ok {
				l.rest = rest
			}
		}
	}
	if running := l.flinkVersion(); running != l.version {
		t.Fatalf("%s runs Flink %s, want %s: set TIDEMARK_LAB_VERSION or stop the lab", l.rest, running, l.version)
	}
	return l
}

func (l *liveLab) current() bool     { return strings.HasPrefix(l.version, "2.") }
func (l *liveLab) namesSplits() bool { return l.current() && !strings.HasPrefix(l.version, "2.0") }

// run calls the lab script and fails the test with its output when it fails.
func (l *liveLab) run(args ...string) string {
	l.t.Helper()
	// Output goes to a file: the processes the script leaves behind would keep a pipe open.
	out, err := os.CreateTemp("", "tidemark-lab-*.out")
	if err != nil {
		l.t.Fatal(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	c := exec.Command(l.script, args...)
	c.Stdout, c.Stderr = out, out
	runErr := c.Run()
	text, err := os.ReadFile(out.Name())
	if err = errors.Join(runErr, err); err != nil {
		l.t.Fatalf("lab %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text)
}

func (l *liveLab) flinkVersion() string {
	l.t.Helper()
	res, err := http.Get(l.rest + "/overview")
	if err != nil {
		l.t.Fatalf("lab is not reachable: %v", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	var overview struct {
		Version string `json:"flink-version"`
	}
	if err := json.Unmarshal(body, &overview); err != nil {
		l.t.Fatalf("%s/overview: %v", l.rest, err)
	}
	return overview.Version
}

// submit starts the load and all jobs in one go, then waits once.
func (l *liveLab) submit(all []scenario) {
	l.t.Helper()
	stream, sql := []string{"submit"}, []string{"sql"}
	for _, s := range all {
		if name, ok := strings.CutPrefix(s.job, "sql-"); ok {
			sql = append(sql, name)
		} else {
			stream = append(stream, strings.TrimPrefix(s.job, "lab-"))
		}
	}
	l.run("cancel")
	l.run("produce", "900")
	l.t.Cleanup(func() { l.run("cancel") })
	l.run(stream...)
	l.run(sql...)
	l.t.Logf("%d jobs submitted to %s, judged in %s", len(all), l.rest, settle)
	time.Sleep(settle)
}

// triage judges every running job. Findings make it exit with 1, which is what is wanted here.
func (l *liveLab) triage() liveReport {
	l.t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.Command(l.binary, "triage", "-o", "json", "--flink", l.rest)
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		l.t.Fatalf("triage: %v\n%s", err, stderr.String())
	}
	var report liveReport
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		l.t.Fatalf("triage did not print JSON: %v\n%.2000s", err, stdout.String())
	}
	if report.Schema != "tidemark.report/v1" {
		l.t.Fatalf("schema %q", report.Schema)
	}
	if keep := os.Getenv("TIDEMARK_LAB_REPORT"); keep != "" {
		if err := os.WriteFile(keep, stdout.Bytes(), 0o644); err != nil {
			l.t.Fatal(err)
		}
	}
	return report
}
