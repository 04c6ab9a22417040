package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// TestLiveScripts drives the binary against clusters on loopback that replay recordings, and against
// what people meet in their place. Each script has its own clusters, as a replay goes forward. A plain
// run takes two of them.
func TestLiveScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/live/*.txtar")
	if err != nil || len(scripts) < 6 {
		t.Fatalf("%v: %v", scripts, err)
	}
	testscript.Run(t, testscript.Params{
		Files: cases.Some(scripts, 2),
		Setup: func(e *testscript.Env) error {
			for name, handler := range map[string]http.Handler{
				"IDLE": replay(t, "lab-idle-partition"), "HEALTHY": replay(t, "lab-healthy"),
				"GUARDED": guarded(replay(t, "lab-idle-partition")), "LOGIN": http.HandlerFunc(login),
			} {
				s := httptest.NewServer(handler)
				e.Defer(s.Close)
				e.Setenv(name, s.URL)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// guarded lets nobody pass without its token.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func login(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
}

// replay is a cluster whose metric cache refreshes often enough for a test, and seldom enough to be read on a
// busy machine.
func replay(t *testing.T, name string) http.Handler {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "recordings", "flink-2.3.0", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := flinkapi.ReadRecording(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Interval: time.Second})
}
