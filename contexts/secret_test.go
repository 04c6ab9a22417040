package contexts

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tidemark/internal/expect"
)

func TestSecret(t *testing.T) {
	vars := func(k string) string { return map[string]string{"A": " from-env \n", "EMPTY": "  "}[k] }
	for _, c := range []struct {
		name   string
		s      Secret
		want   string
		failed string
	}{
		{"nothing", Secret{}, "", ""},
		{"environment", Secret{Env: "A"}, "from-env", ""},
		{"file", Secret{File: expect.File(t, "t", "from-file\n")}, "from-file", ""},
		{"file first", Secret{File: expect.File(t, "t", "from-file\n"), Env: "A"}, "from-file", ""},
		{"command", Secret{Command: []string{"printf", "%s\n", "from-command"}}, "from-command", ""},
		{"empty variable", Secret{Env: "EMPTY"}, "", "token from environment variable EMPTY is empty"},
		{"empty file", Secret{File: expect.File(t, "t", "\n")}, "", "is empty"},
		{"no file", Secret{File: "/nonexistent/t"}, "", "token file cannot be read"},
		{"several lines", Secret{File: expect.File(t, "t", "hunter2\nhunter3\n")}, "", "has several lines"},
		{"command fails", Secret{Command: []string{"false", "hunter2"}}, "", `token command "false" failed`},
		{"no command", Secret{Command: []string{"/nonexistent/c"}}, "", "failed"},
	} {
		c.s.What = "token"
		got, err := c.s.Read(context.Background(), vars)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.failed == "" && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.failed != "" {
			expect.Error(t, err, c.failed)
			if strings.Contains(err.Error(), "hunter") {
				t.Errorf("%s: the secret is in the message: %v", c.name, err)
			}
		}
	}
}

// A command that leaves a background process must not delay the run.
func TestSecretCommandWithAnAgentLeftBehind(t *testing.T) {
	t.Parallel()
	s := Secret{What: "token", Command: []string{"sh", "-c", "sleep 60 & echo $!"}}
	got, err := s.Read(context.Background(), nil)
	agent, notANumber := strconv.Atoi(got)
	if err != nil || notANumber != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if p, err := os.FindProcess(agent); err != nil || p.Kill() != nil {
		t.Errorf("the agent is gone already: %v", err)
	}
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	_, err = s.Read(late, nil)
	expect.Error(t, err, "printed nothing in 1 min")
}

func TestHeaders(t *testing.T) {
	got, err := headers([]string{"A: b", "C:d:e", "F: @" + expect.File(t, "h", "secret\n"), "Empty:"})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"A": "b", "C": "d:e", "F": "secret", "Empty": ""} {
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
	for _, bad := range []string{"hunter2", ": x", "F: @/nonexistent"} {
		_, err := headers([]string{bad})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
