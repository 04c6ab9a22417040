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
	"tidemark/flinkapi/flinktest"
)

// TestLiveScripts drives the binary against clusters on loopback that replay recordings, and against
// what people meet in their place.
func TestLiveScripts(t *testing.T) {
	idle := replay(t, "lab-idle-partition")
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame" {
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		}
		idle.ServeHTTP(w, r)
	})
	login := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Sign in</title>"))
	})
	urls := map[string]string{
		"IDLE": serve(t, idle), "HEALTHY": serve(t, replay(t, "lab-healthy")),
		"GUARDED": serve(t, guarded), "LOGIN": serve(t, login),
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/live",
		Setup: func(e *testscript.Env) error {
			for name, url := range urls {
				e.Setenv(name, url)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// replay is a cluster whose metric cache refreshes often enough for a test.
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
	return flinktest.NewReplay(rec.Entries, flinktest.ReplayOptions{Interval: 100 * time.Millisecond})
}

// serve keeps a server until the parallel scripts of the test are done.
func serve(t *testing.T, h http.Handler) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
