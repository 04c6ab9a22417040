package flinktest

import (
	"slices"
	"sync"
	"testing"

	"tidemark/flinkapi"
)

// opened are the recordings read so far.
var opened sync.Map

// Open reads an undamaged recording, once for all tests of a package. The list of entries belongs to the caller;
// their bodies are shared.
func Open(t testing.TB, path string) *flinkapi.Recording {
	t.Helper()
	was, ok := opened.Load(path)
	if !ok {
		rec, err := flinkapi.OpenRecording(path, nil)
		if err == nil {
			err = rec.Damage
		}
		if err != nil {
			t.Fatal(err)
		}
		was, _ = opened.LoadOrStore(path, rec)
	}
	rec := *was.(*flinkapi.Recording)
	rec.Entries = slices.Clone(rec.Entries)
	return &rec
}
