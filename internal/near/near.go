// Package near finds the known word that was probably meant.
package near

import (
	"slices"
	"sort"
	"strings"
)

// Words lists the n known words most similar to want, best first.
func Words(want string, known []string, n int) []string {
	words := append([]string(nil), known...)
	want = strings.ToLower(want)
	score := func(w string) int {
		w = strings.ToLower(w)
		if strings.Contains(w, want) || strings.Contains(want, w) {
			return 0
		}
		return Distance(w, want)
	}
	sort.SliceStable(words, func(i, k int) bool { return score(words[i]) < score(words[k]) })
	return words[:min(n, len(words))]
}

// Alike is Words without words that share less than half with want.
func Alike(want string, known []string, n int) []string {
	return slices.DeleteFunc(Words(want, known, n), func(w string) bool {
		w, want := strings.ToLower(w), strings.ToLower(want)
		return !strings.Contains(w, want) && !strings.Contains(want, w) && 2*Distance(w, want) > max(len(w), len(want))
	})
}

// Distance is Levenshtein's, in bytes, on at most 100 of them.
func Distance(a, b string) int {
	a, b = a[:min(len(a), 100)], b[:min(len(b), 100)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost = 1 + min(diag, row[j], row[j-1])
			}
			diag, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// Meant lists the words of known that want was probably meant to be, best first.
func Meant(want string, known []string) []string {
	want = strings.ToLower(want)
	best, found := 1+max(2, len(want)/3), []string{}
	for _, w := range known {
		d := Distance(strings.ToLower(w), want)
		if len(want) > 2 && strings.HasPrefix(strings.ToLower(w), want) {
			d = min(d, 1)
		}
		switch {
		case d < best:
			best, found = d, []string{w}
		case d == best && len(found) > 0 && len(found) < 3:
			found = append(found, w)
		}
	}
	return found
}
