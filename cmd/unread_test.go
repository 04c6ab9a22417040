package cmd

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
)

const ghostID = "00000000000000000000000000000bad"

// serveListed replays a recording with further jobs in its list: each "name STATE". What the cluster
// answers for their ids is body with status.
func serveListed(t *testing.T, recording string, status int, body string, jobs ...string) replayed {
	t.Helper()
	entries := flinktest.Open(t, recording).Entries
	clock := flinktest.NewClock(entries[0].T)
	replay := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs/overview"):
			answer := httptest.NewRecorder()
			replay.ServeHTTP(answer, r)
			list := answer.Body.String()
			for i, j := range jobs {
				name, state, _ := strings.Cut(j, " ")
				list = strings.Replace(list, `{"jobs":[`, fmt.Sprintf(`{"jobs":[{"jid":"%.31s%d","name":"%s","state":"%s","start-time":%d},`, ghostID, i, name, state, i), 1)
			}
			fmt.Fprint(w, list)
		case strings.Contains(r.URL.Path, ghostID[:31]):
			w.WriteHeader(status)
			id := r.URL.Path[strings.Index(r.URL.Path, ghostID[:31]):][:32]
			fmt.Fprint(w, strings.ReplaceAll(body, "ID", id))
		default:
			replay.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return replayed{server.URL, clock}
}

// runAt is runFake with a cluster, on its clock.
func runAt(cluster replayed, args ...string) (f fake, code int) {
	f = newFake(nil)
	f.Now, f.Sleep = cluster.clock.Now, cluster.clock.Sleep
	return runRoot(f, append(args, "--flink", cluster.url)...)
}

func runFake(args ...string) (f fake, code int) {
	return runRoot(newFake(nil), args...)
}

func runRoot(f fake, args ...string) (fake, int) {
	root := newRoot(f.globals)
	root.SetArgs(args)
	f.globals.started = true
	return f, finish(f.globals, context.Background(), root.ExecuteContext(context.Background()))
}

// A job that is listed and cannot be read is reported by every command, with exit code 3.
func TestAListedJobThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	const recording = "../testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz"
	policy := expect.File(t, "p.yaml", "version: 1\njobs:\n  - name: \"*\"\n    owner: team orders\n")
	for _, answer := range cases.Some([]struct {
		name   string
		status int
		body   string
		reason string // under "not checked"
		told   string // in the headline, which says what to do and no status code
	}{
		{"not found", 404, `{"errors":["Job not found"]}`, "HTTP 404", "read the job again"},
		{"an error with 200", 200, `{"errors":["internal"]}`, "internal", "internal"},
		{"no job", 200, `{}`, "empty", "empty"},
		{"a state that Flink does not have", 200, `{"jid":"ID","name":"ghost","state":"DREAMING"}`, "DREAMING", "DREAMING"},
	}, 2) {
		t.Run(answer.name, func(t *testing.T) {
			t.Parallel()
			cluster := serveListed(t, recording, answer.status, answer.body, "ghost RUNNING")
			dir := t.TempDir()
			for _, c := range []struct {
				args []string
				out  string // a file, or "" for what was printed
				want []string
			}{
				{[]string{"triage", "ghost", "-o", "json"}, "", []string{`"name": "ghost"`, `"unread": true`, answer.reason, answer.told}},
				{[]string{"watermarks", "ghost"}, "", []string{"ghost"}},
				{[]string{"check", "ghost", "--policy", policy, "-o", "json"}, "", []string{`job \"ghost\": the job could not be judged`, answer.told}},
				{[]string{"export", "--once", "--textfile", filepath.Join(dir, "x.prom")}, filepath.Join(dir, "x.prom"),
					[]string{"\ntidemark_up 1\n", `tidemark_up{job="ghost",job_id="00000000000000000000000000000`, `tidemark_job_verdict{job="ghost"`}},
				{[]string{"export", "--once", "--textfile", filepath.Join(dir, "y.prom"), "ghost"}, filepath.Join(dir, "y.prom"), []string{"\ntidemark_up 0\n"}},
				{[]string{"snapshot", "ghost", "-o", filepath.Join(dir, "g.jsonl")}, filepath.Join(dir, "g.jsonl"), []string{"/jobs/" + ghostID[:29]}},
			} {
				f, code := runAt(cluster, c.args...)
				text := f.out.String()
				if c.out != "" {
					data, err := os.ReadFile(c.out)
					if err != nil {
						t.Fatal(err)
					}
					text = string(data)
				}
				if code != exitIncomplete {
					t.Errorf("%v: exit code %d\n%s%s", c.args, code, f.out, f.err)
				}
				for _, want := range c.want {
					if !strings.Contains(text, want) {
						t.Errorf("%v: no %q in\n%s", c.args, want, text)
					}
				}
				if !strings.Contains(f.err.String(), "ghost") && c.args[0] != "check" {
					t.Errorf("%v: said %s", c.args, f.err)
				}
			}
		})
	}
}

// Jobs that failed or were canceled stay in the list of all jobs, unless a later run took their place.
func TestEndedJobsStayInTheList(t *testing.T) {
	t.Parallel()
	const recording = "../testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz"
	cluster := serveListed(t, recording, 200, `{"jid":"ID","name":"gone","state":"FAILED","vertices":[],"plan":{"nodes":[]},"exceptionHistory":{"entries":[]}}`,
		"lost FAILED", "done FINISHED", "lab-healthy FAILED", "again FAILED", "again FINISHED", "stopped CANCELED")
	f, code := runAt(cluster, "triage", "-o", "json")
	if code != exitFindings {
		t.Errorf("exit code %d: %s", code, f.err)
	}
	if n := strings.Count(f.out.String(), `"verdict": "critical"`); n != 2 {
		t.Errorf("%d jobs failed, want the two that nothing replaced (both answer FAILED)\n%s", n, f.out)
	}
}

// What a cluster says in names, plans and exceptions may hold credentials: no report shows them.
func TestCredentialsInForeignTextAreMasked(t *testing.T) {
	t.Parallel()
	rec, err := flinkapi.OpenRecording("../testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range rec.Entries {
		e.Body = []byte(strings.NewReplacer("lab-healthy", "lab jdbc:db://app:hunter2@db/x", "Source: Orders", "Source: Orders password=hunter2",
			`"entries":[]`, `"entries":[{"exceptionName":"x","stacktrace":"java.io.IOException: https://app:hunter2@host;jsessionid=hunter2","timestamp":1}]`).Replace(string(e.Body)))
		if strings.HasSuffix(e.Path, "/checkpoints") {
			e.Status, e.Body = 500, []byte(`{"errors":["cannot read s3://app:hunter2@bucket with secret-key=hunter2"]}`)
		}
		if err := flinkapi.WriteEntry(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	recording := expect.File(t, "r.jsonl", b.String())
	policy := expect.File(t, "p.yaml", "version: 1\njobs:\n  - name: \"*\"\n    owner: team orders\n")
	report := filepath.Join(t.TempDir(), "r.html")
	for _, args := range [][]string{
		{"triage", "-o", "table"}, {"triage", "-o", "json", "--report", "html=" + report}, {"triage", "-o", "markdown"}, {"watermarks"},
		{"check", "--policy", policy, "-o", "json"}, {"check", "--policy", policy, "-o", "junit"}, {"export", "--once", "--textfile", filepath.Join(t.TempDir(), "x.prom")},
	} {
		f, code := runFake(append(args, "--from", recording)...)
		if code == exitUsage {
			t.Fatalf("%v: %s", args, f.err)
		}
		text := f.out.String() + f.err.String()
		if args[0] == "export" {
			data, err := os.ReadFile(args[len(args)-1])
			if err != nil {
				t.Fatal(err)
			}
			text += string(data)
		}
		if strings.Contains(text, "hunter2") || !strings.Contains(strings.ReplaceAll(text, `\`, ""), "***") {
			t.Errorf("%v:\n%s", args, text)
		}
	}
	if data, err := os.ReadFile(report); err != nil || strings.Contains(string(data), "hunter2") {
		t.Errorf("the page shows a password: %v", err)
	}
}

func TestBrokersWithAPasswordAreRefusedWithoutIt(t *testing.T) {
	f, code := runFake("recommend", "orders", "--brokers", "app:hunter2@kafka:9092", "--target-late", "1%")
	if code == exitClean || strings.Contains(f.out.String()+f.err.String(), "hunter2") || !strings.Contains(f.err.String(), "***@kafka:9092") {
		t.Errorf("exit code %d: %s%s", code, f.out, f.err)
	}
}

// A JobManager that goes away between the samples is the reason given, in the report and as the error.
func TestAJobManagerThatGoesAwayIsTheReason(t *testing.T) {
	t.Parallel()
	entries := flinktest.Open(t, "../testdata/recordings/flink-2.3.0/lab-healthy.jsonl.gz").Entries
	clock := flinktest.NewClock(entries[0].T)
	replay := flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now})
	lists := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/jobs/overview") {
			lists++
		}
		if lists > 1 { // the second sample begins with it
			panic(http.ErrAbortHandler)
		}
		replay.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f, code := runAt(replayed{server.URL, clock}, "triage", "-o", "json")
	if code != exitIncomplete || !strings.Contains(f.err.String(), "the JobManager stopped answering at ") {
		t.Errorf("exit code %d: %s", code, f.err)
	}
	out := f.out.String()
	if !strings.Contains(out, `"verdict": "incomplete"`) || !strings.Contains(out, "could not be read a second time") || strings.Contains(out, "one metric fetch only") {
		t.Errorf("%s", out)
	}
}
