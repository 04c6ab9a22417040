package cmd

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark/analyze/policy"
	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/internal/promtest"
)

// runDrill compares the replay of the recording with a policy: sixty minutes of records, an hour late, read in
// thirteen minutes, then read as they come.
func runDrill(t *testing.T, keys string, args ...string) (out, errOut string, err error) {
	t.Helper()
	s := &promtest.Server{Series: promtest.Load(t, "../flinkapi/prometheus/testdata/replay-2.3.0.series.jsonl.gz"), Stale: 40 * time.Second}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	f := newFake(nil)
	f.Now = func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }
	c := newRoot(f.globals)
	text := expect.File(t, "p.yaml", "version: 1\nrequire: []\njobs:\n- {name: lab-catching-up, drill: {"+keys+"}}\n")
	c.SetArgs(append([]string{"check", "lab-catching-up", "--policy", text, "--prometheus", srv.URL, "--from", "../flinkapi/prometheus/testdata/replay-2.3.0.rest.jsonl.gz"}, args...))
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.ExecuteContext(t.Context())
	return f.out.String(), f.err.String(), err
}

const onItsWay, whole, after = "--since=2026-11-30T23:51:30Z --until=2026-11-30T23:58:00Z", "--since=2026-11-30T23:51:30Z --until=2026-12-01T00:08:40Z", "--since=2026-12-01T00:07:30Z --until=2026-12-01T00:08:40Z"

// A replay is judged from what Prometheus kept of it: on its way by what is left, at its end by what it took.
func TestCheckOfAReplayThatWas(t *testing.T) {
	t.Parallel()
	type replay struct {
		name, keys, when, says string
		code                   int
	}
	for _, c := range cases.Some([]replay{
		{"fast enough", "speed: 5x, records: 40, catch-up: 20m, failed-checkpoints: 0, dropped: 0, checkpoint-size: 1 MB", onItsWay, "left at that speed", exitClean},
		{"too slow", "speed: 7x", onItsWay, "the policy demands at least 7x", exitFindings},
		{"too long", "catch-up: 5m", onItsWay, "the policy demands at most 5 min", exitFindings},
		{"caught up", "catch-up: 20m", whole, "caught up after", exitClean},
		{"later than agreed", "catch-up: 10m", whole, "the policy demands at most 10 min", exitFindings},
		{"nothing to see", "catch-up: 15m", after, "no replay was seen", exitIncomplete},
		{"an instant is no stretch", "speed: 2x", "--at=2026-11-30T23:58:00Z", "the job was not watched", exitIncomplete},
	}, 1) {
		out, errOut, err := runDrill(t, c.keys, strings.Fields(c.when)...)
		if err != nil {
			errOut += err.Error()
		}
		if code(err) != c.code || !strings.Contains(strings.Join(strings.Fields(out+errOut), " "), c.says) {
			t.Errorf("%s: code %d, want %d with %q\n%s\n%s", c.name, code(err), c.code, c.says, out, errOut)
		}
	}
}

// What happened stands next to the verdict in every format that can hold it.
func TestEveryFormatTellsHowAReplayWent(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	formats := []string{"text", "markdown", "json", "yaml", "html", "junit", "sarif", "github"}
	dir, args := t.TempDir(), strings.Fields(whole)
	for _, format := range formats {
		args = append(args, "--report", format+"="+filepath.Join(dir, format))
	}
	if _, errOut, err := runDrill(t, "speed: 7x", args...); code(err) != exitFindings {
		t.Fatal(err, errOut)
	}
	for _, format := range formats {
		data, err := os.ReadFile(filepath.Join(dir, format))
		if err != nil {
			t.Fatal(err)
		}
		out := string(data)
		says := []string{"speed", "caught up after"}
		if format == "json" || format == "yaml" {
			says = []string{"replay-too-slow", "caught_up", "timeline", "catch_up_ms"}
		}
		for _, want := range says {
			if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
				t.Errorf("%s: no %q in\n%.3000s", format, want, out)
			}
		}
		if format == "json" {
			var run policy.Run
			if err := json.Unmarshal([]byte(out), &run); err != nil || len(run.Watched) != 1 || run.Watched[0].Drill.Readings < 50 {
				t.Errorf("%v: %d watched", err, len(run.Watched))
			}
		}
	}
}

func TestSettingsOfAReplayAreRefused(t *testing.T) {
	t.Parallel()
	for says, args := range map[string]string{
		"--for is not used":      onItsWay + " --for=5m",
		"--interval is not used": onItsWay + " --interval=5s",
		"not before --until":     "--since=2026-11-30T23:58:00Z --until=2026-11-30T23:51:30Z",
		"--until needs --since":  "--until=2026-11-30T23:51:30Z",
	} {
		_, _, err := runDrill(t, "speed: 7x", strings.Fields(args)...)
		if code(err) != exitUsage || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
