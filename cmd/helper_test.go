package cmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake is a process without terminal, home or environment but what vars give.
type fake struct {
	*globals
	out, err *bytes.Buffer
}

func newFake(vars map[string]string) fake {
	f := fake{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	f.globals = &globals{color: "auto", env: env{
		In: strings.NewReader(""), Out: f.out, Err: f.err,
		Now:        func() time.Time { return time.UnixMilli(1796011294937) },
		Getenv:     func(k string) string { return vars[k] },
		IsTerminal: func(any) bool { return false },
		HomeDir:    func() (string, error) { return "", errors.New("no home") },
	}}
	return f
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error is %v, want one with %q", err, part)
	}
}
