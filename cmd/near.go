package cmd

import (
	"slices"
	"sort"
	"strings"
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
		return distance(w, want)
	}
	sort.SliceStable(words, func(i, k int) bool { return score(words[i]) < score(words[k]) })
	return words[:min(n, len(words))]
}

// nearOnly is near without words that share less than half with want.
func nearOnly(want string, known []string, n int) []string {
	return slices.DeleteFunc(near(want, known, n), func(w string) bool {
		w, want := strings.ToLower(w), strings.ToLower(want)
		return !strings.Contains(w, want) && !strings.Contains(want, w) && 2*distance(w, want) > max(len(w), len(want))
	})
}

// distance is Levenshtein's, in bytes, on at most 64 of them.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for k := range len(b) {
			replace := diagonal
			if a[i] != b[k] {
				replace++
			}
			diagonal = row[k+1]
			row[k+1] = min(replace, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}
