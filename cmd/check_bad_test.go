package cmd

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze/policy"
	"tidemark/internal/keytable"
)

var wantedError = regexp.MustCompile(`(?m)^# error: (.*)$`)

// Every faulty policy says each of its mistakes on one line that begins with file:line:column. In place of
// {keys of a rule} stand all that there are.
func TestBadPolicies(t *testing.T) {
	var keys []string
	for _, row := range keytable.Of(reflect.TypeFor[policy.Rule]()) {
		if !strings.Contains(row.Key, ".") {
			keys = append(keys, row.Key)
		}
	}
	files, err := filepath.Glob(filepath.Join(checkDir, "bad", "*.yaml"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d policies, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, want := filepath.Base(path), ""
			for _, m := range wantedError.FindAllStringSubmatch(string(text), -1) {
				want += "tidemark: " + name + ":" + m[1] + "\n"
			}
			want = strings.ReplaceAll(want, "{keys of a rule}", strings.Join(keys, ", "))
			t.Chdir(filepath.Dir(path))
			code, _, stderr := checked(t, "--policy", name)
			if code != exitUsage {
				t.Errorf("exit code %d", code)
			}
			if d := cmp.Diff(want, stderr); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestPoliciesContradict(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.yaml", "version: 1\nfail-on: warning\njobs:\n  - {name: orders, owner: x, delay: {declared: 5s}}\n")
	put(t, "b.yaml", "version: 1\nfail-on: critical\njobs:\n  - {name: \"ord*\", owner: x, delay: {declared: 6s}}\n")
	code, _, stderr := checked(t, "--policy", "a.yaml", "--policy", "b.yaml")
	want := "tidemark: b.yaml:2:10: fail-on is critical, but warning at a.yaml:2:10; make them the same\n" +
		"tidemark: b.yaml:4:48: delay.declared is 6 s, but 5 s at a.yaml:4:48, and both rules mean the same; make them the same or tell their names apart\n"
	if code != exitUsage || stderr != want {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, stderr, want)
	}
	// Patterns that only a real job shows to mean the same are found at that job.
	put(t, "a.yaml", "version: 1\njobs:\n  - {name: \"*healthy\", owner: x, idleness: {required: true}}\n")
	put(t, "b.yaml", "version: 1\njobs:\n  - {name: \"lab-*\", owner: x, idleness: {excused: heartbeats}}\n")
	code, _, stderr = checked(t, "--policy", "a.yaml", "--policy", "b.yaml", "--from", recording(t, "lab-healthy"))
	want = "tidemark: b.yaml:3:51: idleness is excused, but required at a.yaml:3:55, and both rules mean the same; make them the same or tell their names apart\n"
	if code != exitUsage || stderr != want {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, stderr, want)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var repository = func() string { dir, _ := filepath.Abs(".."); return dir }() // before any test moves

func recording(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(repository, "testdata/recordings/flink-2.3.0", name+".jsonl.gz")
}

// What is asked on the command line is refused with one line as well.
func TestCheckRefusesItsFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x}\n")
	put(t, "huge.yaml", "version: 1\n"+strings.Repeat("# much\n", 200_000))
	for _, c := range []struct{ args, want string }{
		{"", "tidemark: no policy: there is no tidemark.yaml here; name one with --policy, or write one: `tidemark check init --from RECORDING > tidemark.yaml`"},
		{"--from x", "no policy: there is no tidemark.yaml here"},
		{"--sql x.sql", `begin with one that says only {version: 1, jobs: [{name: "*", owner: YOU}]}`},
		{"--policy nowhere.yaml", "policy cannot be read: open nowhere.yaml: no such file"},
		{"--policy p.yaml --policy p.yaml", "--policy names p.yaml twice"},
		{"--policy huge.yaml", "huge.yaml:1:1: the file has 1048577 bytes; a policy has at most 1048576"},
		{"--policy p.yaml --fail-on error", `--fail-on is "error"; it takes none, info, warning, critical`},
		{"--policy p.yaml --min-severity none", `--min-severity is "none"`},
		{"--policy p.yaml --expect late=0", "--expect needs --replay FILE"},
		{"--policy p.yaml --records a --topic b", "--records and --topic exclude each other"},
		{"--policy p.yaml --sql-gateway http://localhost:1", "--sql-gateway needs --sql FILE"},
		{"--policy p.yaml --report pdf=x", `--report has no format "pdf"; there are table, json`},
		{"--policy p.yaml --replay x.csv", "--replay: no rule of the policy has a replay"},
		{"--replay x.csv --expect late<>1", `--expect is "late<>1"`},
		{"--policy p.yaml --from nowhere.jsonl", "nowhere.jsonl"},
	} {
		f := newFake(nil)
		code := Main(append([]string{"check"}, strings.Fields(c.args)...), f.env)
		if code != exitUsage || !strings.Contains(f.err.String(), c.want) || strings.Count(f.err.String(), "\n") != 1 || f.out.Len() > 0 {
			t.Errorf("check %s: exit code %d, %q", c.args, code, f.err)
		}
	}
}

// A live suppression hides a failed result, an expired one does not, and one that fits nothing is said.
func TestSuppressions(t *testing.T) {
	t.Chdir(t.TempDir())
	from := recording(t, "lab-idle-partition")
	for _, c := range []struct {
		name, suppress string
		now            string
		exit           int
		want           []string // status CODE
	}{
		{"live", `{check: idle-split, job: "lab-*", vertex: "Source: Orders", split: silent3-3, reason: soon, until: 2026-11-30}`, "2026-11-30T23:59:59Z", 0, []string{"suppressed TM102"}},
		{"by code", `{check: TM102, vertex: Source*, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 0, []string{"suppressed TM102"}},
		{"expired", `{check: idle-split, reason: soon, until: 2026-11-29}`, "2026-11-30T00:00:00Z", 1, []string{"failed TM102", "failed TM873"}},
		{"other split", `{check: idle-split, split: silent3-1, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 1, []string{"failed TM102", "failed TM874"}},
		{"other vertex", `{check: idle-split, vertex: Window*, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 1, []string{"failed TM102", "failed TM874"}},
		{"unused", `{check: split-skew, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 1, []string{"failed TM874"}},
		{"not judged", `{check: idleness-not-set, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 1, []string{"skipped TM874"}},
		{"job not read", `{check: idle-split, job: payments, reason: soon, until: 2027-01-01}`, "2026-11-30T00:00:00Z", 1, []string{"failed TM102", "skipped TM874"}},
	} {
		put(t, "p.yaml", "version: 1\njobs:\n  - {name: \"*\", owner: x}\nsuppress:\n  - "+c.suppress+"\n")
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		code, run := checkedAt(t, now, "--policy", "p.yaml", "--from", from)
		if code != c.exit {
			t.Errorf("%s: exit code %d, want %d", c.name, code, c.exit)
		}
		for _, want := range c.want {
			found := false
			for _, r := range run.Results {
				found = found || string(r.Status)+" "+r.Code == want
			}
			if !found {
				t.Errorf("%s: no %s", c.name, want)
			}
		}
		for _, r := range run.Results {
			if r.Suppression != nil && (r.Suppression.Reason != "soon" || r.Suppression.Location.String() != "p.yaml:5:5") {
				t.Errorf("%s: suppression is %+v", c.name, r.Suppression)
			}
		}
		checkRun(t, run)
	}
}
