// Package property checks properties with random input: as often as package rapid does by
// default, and a quarter of that in a plain run.
package property

import (
	"flag"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases"
)

// often sets the number of tries, unless -rapid.checks was given.
var often = sync.OnceValue(func() error {
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return nil
	}
	return f.Value.Set(strconv.Itoa(cases.Of(25, 100)))
})

// Check is rapid.Check.
func Check(t *testing.T, prop func(*rapid.T)) {
	t.Helper()
	if err := often(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, prop)
}
