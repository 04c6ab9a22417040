package cmd

import (
	"slices"
	"sort"
	"strings"

	"tidemark/flinkapi"
)

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// near lists the n words of known that are most like want, best first.
func near(want string, known []string, n int) []string {
	words := append([]string(nil), known...)
	want = strings.ToLower(want)
	score := func(w string) int {
		w = strings.ToLower(w)
		if strings.Contains(w, want) || strings.Contains(want, w) {
			return 0
		}
		return flinkapi.EditDistance(w, want)
	}
	sort.SliceStable(words, func(i, k int) bool { return score(words[i]) < score(words[k]) })
	return words[:min(n, len(words))]
}

// nearOnly is near without words that share less than half with want.
func nearOnly(want string, known []string, n int) []string {
	return slices.DeleteFunc(near(want, known, n), func(w string) bool {
		w, want := strings.ToLower(w), strings.ToLower(want)
		return !strings.Contains(w, want) && !strings.Contains(want, w) && 2*flinkapi.EditDistance(w, want) > max(len(w), len(want))
	})
}
