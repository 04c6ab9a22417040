// Package golden compares the output of tests with golden files, and is the only way to rewrite them:
//
//	TIDEMARK_UPDATE=1 go test ./...
package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Renew reports whether golden files are to be rewritten.
func Renew() bool { return os.Getenv("TIDEMARK_UPDATE") != "" }

// Stale says how to rewrite a golden file that differs.
const Stale = "differs from what is made now; run this test with TIDEMARK_UPDATE=1 to rewrite it"

// File fails the test if a text file differs from what was made now, or rewrites it.
func File(t testing.TB, path string, made []byte) {
	t.Helper()
	if Renew() {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(kept), string(made)); d != "" {
		t.Errorf("%s %s (-kept +made):\n%s", path, Stale, d)
	}
}
