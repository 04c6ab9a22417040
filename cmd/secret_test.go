package cmd

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestSecret(t *testing.T) {
	vars := func(k string) string { return map[string]string{"A": " from-env \n", "EMPTY": "  "}[k] }
	for _, c := range []struct {
		name   string
		s      secret
		want   string
		failed string
	}{
		{"nothing", secret{}, "", ""},
		{"environment", secret{env: "A"}, "from-env", ""},
		{"file", secret{file: write(t, "t", "from-file\n")}, "from-file", ""},
		{"file first", secret{file: write(t, "t", "from-file\n"), env: "A"}, "from-file", ""},
		{"command", secret{command: []string{"printf", "%s\n", "from-command"}}, "from-command", ""},
		{"empty variable", secret{env: "EMPTY"}, "", "token from environment variable EMPTY is empty"},
		{"empty file", secret{file: write(t, "t", "\n")}, "", "is empty"},
		{"no file", secret{file: "/nonexistent/t"}, "", "token file cannot be read"},
		{"several lines", secret{file: write(t, "t", "hunter2\nhunter3\n")}, "", "has several lines"},
		{"command fails", secret{command: []string{"false", "hunter2"}}, "", `token command "false" failed`},
		{"no command", secret{command: []string{"/nonexistent/c"}}, "", "failed"},
	} {
		c.s.what = "token"
		got, err := c.s.read(context.Background(), vars)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.failed == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.failed != "" {
			wantError(t, err, c.failed)
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s: the secret is in the message: %v", c.name, err)
			}
		}
	}
}

// A command that leaves an agent behind must not hold up the run.
func TestSecretCommandWithAnAgentLeftBehind(t *testing.T) {
	t.Parallel()
	s := secret{what: "token", command: []string{"sh", "-c", "sleep 60 & echo $!"}}
	got, err := s.read(context.Background(), nil)
	agent, notANumber := strconv.Atoi(got)
	if err != nil || notANumber != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if p, err := os.FindProcess(agent); err != nil || p.Kill() != nil {
		t.Errorf("the agent is gone already: %v", err)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	_, err = s.read(late, nil)
	wantError(t, err, "gave nothing in 1m0s")
}

func TestHeaders(t *testing.T) {
	got, err := headerMap([]string{"A: b", "C:d:e", "F: @" + write(t, "h", "secret\n"), "Empty:"})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"A": "b", "C": "d:e", "F": "secret", "Empty": ""} {
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
	for _, bad := range []string{"hunter2", ": x", "F: @/nonexistent"} {
		_, err := headerMap([]string{bad})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
