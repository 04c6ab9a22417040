// Package graph draws a graph of boxes and arrows as SVG: layer by layer where that fits the page, else one box per row.
// It knows sizes and words, not what they represent.
package graph

import "slices"

// Link goes from one box to another, both by index.
type Link struct{ From, To int }

// order sorts boxes so that links go forward, and returns the links that cannot: those that close a cycle.
func order(n int, links []Link) (sorted []int, back map[Link]bool) {
	next := make([][]int, n)
	for _, l := range links {
		if l.From != l.To {
			next[l.From] = append(next[l.From], l.To)
		}
	}
	back = map[Link]bool{}
	state := make([]int, n) // 1 = being visited, 2 = done
	var visit func(int)
	visit = func(i int) {
		state[i] = 1
		for _, to := range next[i] {
			switch state[to] {
			case 0:
				visit(to)
			case 1:
				back[Link{i, to}] = true
			}
		}
		state[i] = 2
		sorted = append(sorted, i)
	}
	entered := make([]bool, n)
	for _, l := range links {
		entered[l.To] = entered[l.To] || l.From != l.To
	}
	for _, first := range []bool{true, false} { // boxes without input first, so that a cycle is cut at its entry
		for i := n - 1; i >= 0; i-- {
			if state[i] == 0 && entered[i] != first {
				visit(i)
			}
		}
	}
	slices.Reverse(sorted)
	return sorted, back
}

// forward is each link once, those that close a cycle reversed.
func forward(links []Link, back map[Link]bool) []Link {
	var out []Link
	seen := map[Link]bool{}
	for _, l := range links {
		if back[l] {
			l = Link{l.To, l.From}
		}
		if l.From != l.To && !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out
}

// layers are the longest way to each box; a box without input is in the layer before the first box that it feeds.
func layers(sorted []int, links []Link) []int {
	at := make([]int, len(sorted))
	into, from := make([][]int, len(sorted)), make([][]int, len(sorted))
	for _, l := range links {
		into[l.To] = append(into[l.To], l.From)
		from[l.From] = append(from[l.From], l.To)
	}
	for _, i := range sorted {
		for _, f := range into[i] {
			at[i] = max(at[i], at[f]+1)
		}
	}
	for _, i := range sorted {
		if len(into[i]) > 0 || len(from[i]) == 0 {
			continue
		}
		at[i] = at[from[i][0]] - 1
		for _, to := range from[i] {
			at[i] = min(at[i], at[to]-1)
		}
	}
	return at
}
