// Package expect has checks that many tests share.
package expect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Error fails the test if err is nil or its text does not contain the part.
func Error(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error is %v, want one with %q", err, part)
	}
}

// File writes a file with that name to a temporary directory of the test, and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
