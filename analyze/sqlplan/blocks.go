package sqlplan

import "sort"

// block is a query inside a statement: the outermost, or one in brackets.
type block struct {
	tokens []token
	with   []token // WITH and the common table expressions that it may use, nil for none
	depth  int
	of     *statement
}

// text is the block as a statement of its own.
func (b block) text(script string) string {
	out := script[b.tokens[0].start:b.tokens[len(b.tokens)-1].end]
	if b.with != nil {
		out = script[b.with[0].start:b.with[len(b.with)-1].end] + "\n" + out
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

// probe is a query whose plan shows what an event-time operator of a block is fed with.
type probe struct {
	text   string
	names  []string // tables, views or expressions it reads directly
	column string   // of DESCRIPTOR(column), "" where the operator is no window table function
	at     token    // DESCRIPTOR or FROM
	tokens []token  // of the query in the script
}

// probes takes the inputs out of a block: the table of each window table function, and the FROM
// clause where it has none.
func probes(b block, script string) []probe {
	prefix := ""
	if b.with != nil {
		prefix = script[b.with[0].start:b.with[len(b.with)-1].end] + "\n"
	}
	var out []probe
	t := b.tokens
	for i := 0; i+1 < len(t); i++ {
		if (t[i].is("TUMBLE") || t[i].is("HOP") || t[i].is("CUMULATE") || t[i].is("SESSION")) && t[i+1].isSymbol("(") {
			if p, ok := windowProbe(t[i+2:closing(t, i+1)], script); ok {
				p.text = prefix + p.text
				out = append(out, p)
			}
		}
	}
	if from := topLevel(t, 0, "FROM"); from >= 0 && len(out) == 0 {
		end := clauseEnd(t, from+1)
		if from+1 < end {
			p := probe{text: prefix + "SELECT * FROM " + script[t[from+1].start:t[end-1].end], at: t[from], tokens: t[from+1 : end]}
			p.names = readNames(p.tokens)
			out = append(out, p)
		}
	}
	return out
}

// windowProbe reads the arguments of a window table function: TABLE name | (query), DESCRIPTOR(column).
func windowProbe(args []token, script string) (probe, bool) {
	var p probe
	for i := range args {
		if p.text == "" && args[i].is("TABLE") && i+1 < len(args) {
			if n, _ := nameAt(args, i+1); n != "" {
				_, end := nameAt(args, i+1)
				p.tokens, p.names = args[i+1:end], []string{n}
				p.text = "SELECT * FROM " + script[args[i+1].start:args[end-1].end]
			}
		}
		if p.text == "" && args[i].isSymbol("(") && i+1 < len(args) && (args[i+1].is("SELECT") || args[i+1].is("WITH")) {
			end := closing(args, i)
			p.tokens = args[i+1 : end]
			p.text, p.names = script[args[i+1].start:args[end-1].end], readNames(p.tokens)
		}
		if args[i].is("DESCRIPTOR") && i+2 < len(args) {
			p.at = args[i]
			p.column, _ = nameAt(args, i+2)
		}
	}
	return p, p.text != "" && p.column != ""
}

// clauseEnd is where a FROM clause that begins at token i ends.
func clauseEnd(t []token, i int) int {
	depth := 0
	for ; i < len(t); i++ {
		switch {
		case t[i].isSymbol("("):
			depth++
		case t[i].isSymbol(")"):
			depth--
		case depth == 0:
			for _, k := range []string{"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "MINUS", "MATCH_RECOGNIZE", "OFFSET", "FETCH"} {
				if t[i].is(k) {
					return i
				}
			}
		}
	}
	return len(t)
}

// readNames lists the names in table position: at the start, and behind FROM, JOIN, TABLE and commas.
func readNames(t []token) []string {
	var out []string
	for i := range t {
		if !t[i].isName() || t[i].is("TABLE") || t[i].is("SELECT") || t[i].is("LATERAL") {
			continue
		}
		if i == 0 || t[i-1].is("FROM") || t[i-1].is("JOIN") || t[i-1].is("TABLE") {
			if n, _ := nameAt(t, i); n != "" {
				out = append(out, n)
			}
		}
	}
	return out
}
