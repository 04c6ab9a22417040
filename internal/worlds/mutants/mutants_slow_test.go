//go:build slow

package mutants_test

import (
	"reflect"
	"testing"
)

func TestTakingAwayMore(t *testing.T) { holdTaking(t, takingStride/slower, "taking") }

func TestChangingEveryThingThatDoesNotMatter(t *testing.T) { holdChanging(t, 1) }

// The recordings are judged alike with and without the metrics that are left out to be quick.
func TestNoiseIsNoise(t *testing.T) {
	for _, f := range files(t) {
		same := func(vertex string, subtask int) (string, int) { return vertex, subtask }
		whole, slim := places(verdict(open(t, f)), same), places(verdict(taken(t, f).Entries), same)
		if !reflect.DeepEqual(whole, slim) {
			t.Errorf("%s: %v without noise, %v with it", f, slim, whole)
		}
	}
}
