package sqlplan

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
		prefix = script[b.with[0].start:b.with[len(b.with)-1].stop()] + "\n"
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
			p := probe{text: prefix + "SELECT * FROM " + script[t[from+1].start:t[end-1].stop()], at: t[from], tokens: t[from+1 : end]}
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
				p.text = "SELECT * FROM " + script[args[i+1].start:args[end-1].stop()]
			}
		}
		if p.text == "" && args[i].isSymbol("(") && i+1 < len(args) && (args[i+1].is("SELECT") || args[i+1].is("WITH")) {
			end := closing(args, i)
			p.tokens = args[i+1 : end]
			p.text, p.names = script[args[i+1].start:args[end-1].stop()], readNames(p.tokens)
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
	if end := topLevel(t, i, "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "MINUS", "MATCH_RECOGNIZE", "OFFSET", "FETCH"); end >= 0 {
		return end
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
