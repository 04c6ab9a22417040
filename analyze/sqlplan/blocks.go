package sqlplan

import "sort"

// block is a query inside a statement: the outermost, or one in brackets.
type block struct {
	tokens []token
	with   []token // WITH and the common table expressions that it may use, nil for none
	depth  int
	of     *statement
}

// text is the block as a separate statement.
func (b block) text(script string) string {
	out := script[b.tokens[0].start:b.tokens[len(b.tokens)-1].stop()]
	if b.with != nil {
		out = script[b.with[0].start:b.with[len(b.with)-1].stop()] + "\n" + out
	}
	return out
}

// mostBlocks bounds the queries of one statement that are looked at.
const mostBlocks = 500

// blocks lists the queries of a statement, the innermost first.
func blocks(s *statement) []block {
	if s.body < 0 {
		return nil
	}
	t := s.tokens
	var out []block
	add := func(from, to, depth int) {
		if from < to && t[from].is("WITH") { // its expressions become the scope of the query behind them
			if k := topLevel(t[:to], from, "SELECT"); k > 0 {
				from = k
			}
		}
		if from < to {
			out = append(out, block{tokens: t[from:to], with: withBefore(t, from), depth: depth, of: s})
		}
	}
	for i := s.body; i < len(t); i++ {
		if s.kind == KindSet && t[i].is("INSERT") {
			end := i
			for end < len(t) && !t[end].isSymbol(";") {
				end++
			}
			add(queryStart(t, i), end, 0)
		}
	}
	if s.kind != KindSet {
		add(queryStart(t, s.body), len(t), 0)
	}
	depth := 0
	for i := s.body; i < len(t) && len(out) < mostBlocks; i++ {
		switch {
		case t[i].isSymbol("("):
			depth++
			if i+1 < len(t) && (t[i+1].is("SELECT") || t[i+1].is("WITH")) {
				add(i+1, closing(t, i), depth)
			}
		case t[i].isSymbol(")"):
			depth--
		}
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].depth > out[k].depth })
	return out
}

// queryStart is the index of SELECT, WITH or VALUES of an INSERT or query at i.
func queryStart(t []token, i int) int {
	if !t[i].is("INSERT") {
		return i
	}
	depth := 0
	for k := i; k < len(t) && !t[k].isSymbol(";"); k++ {
		switch {
		case t[k].isSymbol("("):
			depth++
		case t[k].isSymbol(")"):
			depth--
		}
		if depth == 0 && (t[k].is("SELECT") || t[k].is("WITH") || t[k].is("VALUES")) {
			return k
		}
	}
	return i
}

// withBefore is the WITH clause in whose scope token i stands, up to the last expression that ends
// before i.
func withBefore(t []token, i int) []token {
	for w := i - 1; w >= 0; w-- {
		if !t[w].is("WITH") || w+2 >= len(t) || !t[w+1].isName() || !t[w+2].is("AS") && !t[w+2].isSymbol("(") {
			continue
		}
		end := -1
		for k := w + 1; k < i; {
			_, next := nameAt(t, k)
			if next < len(t) && t[next].isSymbol("(") { // column names
				next = closing(t, next) + 1
			}
			if next+1 >= len(t) || !t[next].is("AS") || !t[next+1].isSymbol("(") {
				break
			}
			shut := closing(t, next+1)
			if shut >= i {
				break
			}
			end = shut
			if shut+1 >= len(t) || !t[shut+1].isSymbol(",") {
				break
			}
			k = shut + 2
		}
		if end < 0 {
			return nil
		}
		return t[w : end+1]
	}
	return nil
}
