//go:build unix

package cmd

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/cases"
	obs "tidemark/kafkastats/observe"
	"tidemark/kafkastats/profile"
)

// observeFull observes where there is room for a part of the profile, then where there is enough.
func observeFull(t *testing.T, dir string, small func(*exec.Cmd) *exec.Cmd, want string) {
	t.Helper()
	parts := [][]planted{plant(3_000, 1, func(r *rand.Rand) int64 { return r.Int64N(90_000) }), plant(3_000, 2, func(r *rand.Rand) int64 { return r.Int64N(90_000) })}
	for p := range parts {
		for i := range parts[p] {
			parts[p][i].at += int64(i) * 5_000 // many hours: each flush needs room
		}
	}
	addr := brokerWith(t, parts)
	file := filepath.Join(dir, "p")
	observe := func(more ...string) *exec.Cmd {
		return tidemark(t, append([]string{"observe", "orders", "--brokers", addr, "--field", "event_time", "--from-start", "--flush", "1ms", "--profile", file}, more...)...)
	}
	out, err := small(observe("--for", "60s", "-o", "json")).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitIncomplete {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	if n := len(lines); n != 1 || !strings.Contains(lines[0], want) || !strings.Contains(lines[0], "run the same command again") {
		t.Fatalf("%d lines: %s", n, exit.Stderr)
	}
	report := decodeObservation(t, string(out))
	if report.Ended != obs.Failed || !strings.Contains(report.Reason, want) {
		t.Errorf("%+v", report)
	}
	p, err := profile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	before := seen(t, p)
	if before == 0 || before >= 6_000 || p.Torn || report.Records != before || report.Profile.Records != before {
		t.Fatalf("%d records, torn %v; reported %+v", before, p.Torn, report)
	}
	// What is there can be asked; what is missing can be added.
	text, e, err := run(t, newRecommend, "json", "", "--profile", file)
	if r := decodeRecommendation(t, text); code(err) > 1 || r.Counters.Seen() != uint64(before) {
		t.Fatalf("%v %s", err, e)
	}
	roomy := filepath.Join(t.TempDir(), "p")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(roomy, b, 0o600); err != nil {
		t.Fatal(err)
	}
	file = roomy
	stopAt(t, observe(), roomy, 6_000)
	if p, err = profile.Read(roomy); err != nil || seen(t, p) != 6_000 {
		t.Fatalf("%v, %d records", err, seen(t, p))
	}
	t.Logf("full after %d of 6000 records: %s", before, lines[0])
}

// A limit on the size of a file represents the full disk where none can be mounted.
func TestObserveWithoutRoom(t *testing.T) {
	t.Parallel()
	cases.Slow(t)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs a shell")
	}
	observeFull(t, t.TempDir(), func(c *exec.Cmd) *exec.Cmd {
		limited := exec.Command(sh, append([]string{"-c", `ulimit -f 64; exec "$@"`, "sh"}, c.Args...)...)
		limited.Env = c.Env
		return limited
	}, "file too large")
}
