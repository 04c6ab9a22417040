// Package expect holds what many tests ask in the same words.
package expect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Error fails the test where err is none, or does not hold the part.
func Error(t testing.TB, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error is %v, want one with %q", err, part)
	}
}

// File writes a file of that name into a directory of the test, and is its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
