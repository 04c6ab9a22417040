package cmd

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/flinkapi"
	"tidemark/internal/cases"
	"tidemark/internal/flinktest"
)

// namesakes is a cluster of two jobs that are called orders, and the id of the first: the one that stands.
func namesakes(t *testing.T) (cluster replayed, id string) {
	t.Helper()
	var entries []flinkapi.Entry
	for _, n := range []string{"lab-idle-partition", "lab-healthy"} {
		rec, err := flinkapi.OpenRecording("../testdata/recordings/flink-2.3.0/"+n+".jsonl.gz", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rec.Entries {
			if rest, of := strings.CutPrefix(e.Path, "/jobs/"); of && len(rest) >= 32 && n == "lab-idle-partition" {
				id = rest[:32]
			}
			for _, name := range []string{"lab-idle-partition", "lab-healthy"} {
				e.Body = bytes.ReplaceAll(e.Body, []byte(`"`+name+`"`), []byte(`"orders"`))
			}
			entries = append(entries, e)
		}
	}
	clock := flinktest.NewClock(entries[0].T)
	srv := httptest.NewServer(flinktest.NewReplay(entries, flinktest.ReplayOptions{Now: clock.Now}))
	t.Cleanup(srv.Close)
	return replayed{srv.URL, clock}, id
}

// Whatever names a job says which of two it is, also where only one of them was asked for.
func TestNamesakesAreToldApart(t *testing.T) {
	t.Parallel()
	cluster, id := namesakes(t)
	policy := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\njobs:\n  - name: orders\n    max-lag: 1m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	short := "orders (" + id[:8] + ")"
	for _, c := range cases.Some([]struct{ args, want string }{
		{"triage " + id + " --once", "CRITICAL " + short + ":"},
		{"triage --once -o wide", "\t" + short + "\t"},
		{"triage --once -o html", short},
		{"watermarks " + id + " --once", short},
		{"check --policy " + policy, "job " + short},
		{"check --policy " + policy + " -o junit", short},
		{"check --policy " + policy + " -o github", short},
		{"crosscheck " + id + " --records " + recordsDir + "/silent3.jsonl.gz --format csv --field 2", short},
		{"whatif " + id + " --set Orders.idle-timeout=5s --records " + recordsDir + "/silent3.jsonl.gz --format csv --field 2", "What if: " + short},
	}, 3) {
		f := newFake(nil)
		f.Now, f.Sleep = cluster.clock.Now, cluster.clock.Sleep
		Main(append(strings.Fields(c.args), "--flink", cluster.url), f.env)
		if out := f.out.String(); !strings.Contains(out, c.want) {
			t.Errorf("%s does not say %q:\n%s%s", c.args, c.want, out, f.err.String())
		}
	}
}
