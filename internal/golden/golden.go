// Package golden compares what tests make with files that are kept, and is the one way to write them anew:
//
//	TIDEMARK_UPDATE=1 go test ./...
package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Renew reports whether kept files are to be written anew.
func Renew() bool { return os.Getenv("TIDEMARK_UPDATE") != "" }

// Stale tells how a kept file that differs is written anew.
const Stale = "is not what is made now; TIDEMARK_UPDATE=1 with this test writes it anew"

// File fails the test where a text file is not what was made now, or writes it.
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
