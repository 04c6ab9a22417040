package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/internal/cases"
	"tidemark/internal/expect"
	"tidemark/internal/flinktest"
)

// twoClusters is a process with a healthy cluster, one with a stuck job and, with more, further contexts.
func twoClusters(t *testing.T, more string, vars map[string]string) fake {
	t.Helper()
	clock := flinktest.NewClock(stuckEntries()[0].T)
	serve := func(name string, stuck bool) string {
		srv := httptest.NewServer(cluster(clock.Now, name, stuck))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	text := fmt.Sprintf("contexts:\n  dev: {flink: %s}\n  prod: {flink: %s}\n%s", serve("fine", false), serve("orders", true), more)
	all := map[string]string{"TIDEMARK_CONFIG": expect.File(t, "config.yaml", text)}
	for k, v := range vars {
		all[k] = v
	}
	f := newFake(all)
	f.Now, f.Sleep = clock.Now, clock.Sleep
	return f
}

func triaged(f fake, args ...string) int {
	root := newRoot(f.globals)
	root.SetArgs(append([]string{"triage"}, args...))
	return finish(f.globals, context.Background(), root.ExecuteContext(context.Background()))
}

// A job is named each time: two readers that share the clock would move it under each other.
func TestAllContextsAreReadIntoOneReport(t *testing.T) {
	t.Parallel()
	const gone = "  gone: {flink: http://127.0.0.1:1}\n  locked: {flink: http://127.0.0.1:1, token_file: /nowhere/token}\n"
	for _, c := range cases.Some([]struct {
		more string
		vars map[string]string
		args []string
		code int
		want string // context/name of each job in order, then what could not be read
		err  string
	}{
		{args: []string{"orders"}, code: exitFindings, want: "prod/orders critical"},
		{args: []string{"orders", "--fail-on", "none"}, code: exitClean, want: "prod/orders critical"},
		{args: []string{"fine"}, code: exitClean, want: "dev/fine healthy"},
		{args: []string{"nowhere"}, code: exitUsage, err: "nowhere"},
		{more: gone, args: []string{"orders"}, code: exitFindings, want: "prod/orders critical, gone TM901, locked TM901"},
		{more: gone, args: []string{"fine"}, code: exitIncomplete, want: "dev/fine healthy, gone TM901, locked TM901", err: "only what could be read was judged: context gone: "},
		{vars: map[string]string{"TIDEMARK_FLINK": "http://127.0.0.1:1", "TIDEMARK_CONTEXT": "prod", "TIDEMARK_TOKEN": "x"}, args: []string{"fine"}, code: exitClean, want: "dev/fine healthy"},
	}, 3) {
		f := twoClusters(t, c.more, c.vars)
		code := triaged(f, append([]string{"--all-contexts", "-q", "-o", "json"}, c.args...)...)
		var r analyze.Report
		if err := json.Unmarshal(f.out.Bytes(), &r); err != nil && c.want != "" {
			t.Fatalf("%v: %v, %s", c.args, err, f.err)
		}
		var got []string
		for _, j := range r.Jobs {
			got = append(got, j.Context+"/"+j.Name+" "+string(j.Verdict))
		}
		for _, n := range r.NotChecked {
			if name, ok := strings.CutPrefix(n.Reason, "context "); ok {
				got = append(got, strings.SplitN(name, ":", 2)[0]+" "+n.Code)
			}
		}
		if code != c.code || strings.Join(got, ", ") != c.want || !strings.Contains(f.err.String(), c.err) {
			t.Errorf("%v %v: exit code %d, %q, %s", c.args, c.vars, code, got, f.err)
		}
	}
}

func TestTextNamesEachContext(t *testing.T) {
	t.Parallel()
	f := twoClusters(t, "  gone: {flink: http://127.0.0.1:1}\n", nil)
	if code := triaged(f, "--all-contexts"); code != exitFindings {
		t.Errorf("exit code %d, %s", code, f.err)
	}
	for _, part := range []string{"contexts dev (Flink 2.3.0), gone (not read), prod (Flink 2.3.0)", "CRITICAL  prod/orders", "dev/fine", "whatif orders --context prod", "context gone: "} {
		if !strings.Contains(strings.Join(strings.Fields(f.out.String()), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("the text lacks %q:\n%s", part, f.out)
		}
	}
	if !strings.HasPrefix(f.err.String(), "tidemark: reading 3 contexts\n") {
		t.Errorf("said %q", f.err)
	}
}

func TestAllContextsRefuseWhatIsOfOneCluster(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--all-contexts --flink http://x":      "--flink is not used: --all-contexts takes it of each context",
		"--all-contexts --context dev":         "--context is not used: --all-contexts takes it of each context",
		"--all-contexts --from x.jsonl":        "--all-contexts is not used: a recording is read",
		"--all-contexts --for 5m":              "--for follows one cluster",
		"--all-contexts --wait healthy":        "--wait waits for the jobs of one cluster",
		"--all-contexts --prometheus http://x": "the past is read of one cluster",
	} {
		f := twoClusters(t, "", nil)
		if code := triaged(f, strings.Fields(args)...); code != exitUsage || !strings.Contains(f.err.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, f.err)
		}
	}
	f := newFake(map[string]string{"TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "none.yaml")})
	if err := os.WriteFile(f.Getenv("TIDEMARK_CONFIG"), []byte("contexts: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := triaged(f, "--all-contexts"); code != exitUsage || !strings.Contains(f.err.String(), "no contexts yet; define them in ") {
		t.Errorf("no contexts: exit code %d, %s", code, f.err)
	}
	for _, command := range []string{"watch", "export"} {
		f := newFake(nil)
		if code := Main([]string{command, "--all-contexts"}, f.env); code != exitUsage || !strings.Contains(f.err.String(), command+" is about one cluster: name it with --context") {
			t.Errorf("%s: exit code %d, %s", command, code, f.err)
		}
	}
}
