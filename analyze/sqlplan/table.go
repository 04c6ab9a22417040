package sqlplan

import "strings"

// table is a CREATE TABLE statement, as far as event time goes.
type table struct {
	name      string
	at        token // its name
	columns   []column
	watermark *watermark
	options   map[string]option
	like      string          // LIKE source, "" for none: what is not said here may be said there
	without   map[string]bool // WATERMARKS, OPTIONS, GENERATED, ALL: what LIKE excludes, false = includes
	primary   bool            // has a primary key
	platform  bool            // its statement is written for Confluent Cloud
}

// column is one column; exactly one of typ, computed and metadata decides where its value is from.
type column struct {
	name     string
	at       token
	typ      string  // TIMESTAMP_LTZ(3); "" where only Flink could tell
	computed []token // the expression of a computed column
	metadata bool
}

// watermark is a WATERMARK FOR clause.
type watermark struct {
	at     token // WATERMARK
	column string
	col    token
	expr   []token
	text   string // the expression as written
}

type option struct {
	value string
	at    token
}

// readTable reads CREATE TABLE. Errors of the statement are Flink's to find: what is not understood
// is left out.
func readTable(s statement) table {
	t := table{name: s.target, options: map[string]option{}, without: map[string]bool{}, at: s.tokens[0]}
	i := 1
	for i < len(s.tokens) && !s.tokens[i].is("TABLE") {
		i++
	}
	i++
	if i < len(s.tokens) && words(s.tokens[i:], "IF", "NOT", "EXISTS") {
		i += 3
	}
	if i < len(s.tokens) {
		t.at = s.tokens[i]
	}
	_, i = nameAt(s.tokens, i)
	for i < len(s.tokens) {
		switch {
		case s.tokens[i].isSymbol("("):
			end := closing(s.tokens, i)
			if len(t.columns) == 0 && t.watermark == nil {
				for _, e := range elements(s.tokens[i+1 : end]) {
					t.element(e, s)
				}
			}
			i = end
		case s.tokens[i].is("WITH") && i+1 < len(s.tokens) && s.tokens[i+1].isSymbol("("):
			end := closing(s.tokens, i+1)
			t.readOptions(s.tokens[i+2 : end])
			i = end
		case s.tokens[i].is("LIKE"):
			t.like, i = nameAt(s.tokens, i+1)
			if i < len(s.tokens) && s.tokens[i].isSymbol("(") {
				end := closing(s.tokens, i)
				t.likeOptions(s.tokens[i+1 : end])
				i = end
			} else {
				i--
			}
		case s.tokens[i].is("PARTITIONED"), s.tokens[i].is("DISTRIBUTED"):
			for i+1 < len(s.tokens) && !s.tokens[i+1].isSymbol("(") && !s.tokens[i+1].is("WITH") {
				i++
			}
			if i+1 < len(s.tokens) && s.tokens[i+1].isSymbol("(") {
				i = closing(s.tokens, i+1)
			}
		}
		i++
	}
	t.infer()
	return t
}

// element reads one item of the column list.
func (t *table) element(e []token, s statement) {
	switch {
	case len(e) == 0:
	case words(e, "WATERMARK", "FOR"):
		w := &watermark{at: e[0]}
		var i int
		w.column, i = nameAt(e, 2)
		if i > 2 && i+1 < len(e) && e[i].is("AS") {
			w.col, w.expr = e[2], e[i+1:]
			w.text = s.text[e[i+1].start-s.tokens[0].start : e[len(e)-1].end-s.tokens[0].start]
			t.watermark = w
		}
	case words(e, "PRIMARY", "KEY"), e[0].is("CONSTRAINT"):
		t.primary = true
	case words(e, "PERIOD", "FOR"), words(e, "UNIQUE"):
	case e[0].isName():
		c := column{name: e[0].value, at: e[0]}
		rest := e[1:]
		if len(rest) > 0 && rest[0].is("AS") {
			c.computed = rest[1:]
			if i := topLevel(c.computed, 0, "COMMENT"); i >= 0 {
				c.computed = c.computed[:i]
			}
		} else {
			c.typ, rest = readType(rest)
			for i, w := range rest {
				c.metadata = c.metadata || w.is("METADATA")
				t.primary = t.primary || w.is("PRIMARY") && i+1 < len(rest) && rest[i+1].is("KEY")
			}
		}
		t.columns = append(t.columns, c)
	}
}

func (t *table) readOptions(tokens []token) {
	for _, e := range elements(tokens) {
		if len(e) == 3 && e[0].kind == text && e[1].isSymbol("=") && e[2].kind == text {
			t.options[strings.ToLower(e[0].value)] = option{e[2].value, e[0]}
		}
	}
}

// infer gives computed columns the type of their outermost call, where that fixes it.
func (t *table) infer() {
	for i := range t.columns {
		if c := &t.columns[i]; c.typ == "" && c.computed != nil {
			c.typ = t.typeOf(c.computed)
		}
	}
}

// likeOptions reads what LIKE takes over: EXCLUDING ALL INCLUDING WATERMARKS.
func (t *table) likeOptions(tokens []token) {
	for i := 0; i+1 < len(tokens); i += 2 {
		t.without[strings.ToUpper(tokens[i+1].value)] = tokens[i].is("EXCLUDING")
	}
}

// inherits reports whether LIKE takes over a kind of property; a word about the kind beats ALL.
func (t *table) inherits(kind string) bool {
	if out, said := t.without[kind]; said {
		return !out
	}
	return !t.without["ALL"]
}

func (t *table) column(name string) *column {
	for i := range t.columns {
		if t.columns[i].name == name {
			return &t.columns[i]
		}
	}
	return nil
}

// elements splits a list at its commas, outside of brackets and of the <> of ROW, ARRAY and MAP.
func elements(tokens []token) (out [][]token) {
	depth, angle, start := 0, 0, 0
	for i, t := range tokens {
		switch {
		case t.isSymbol("("):
			depth++
		case t.isSymbol(")"):
			depth--
		case t.isSymbol("<") && i > 0 && (angle > 0 || isNested(tokens[i-1])):
			angle++
		case t.isSymbol(">") && angle > 0:
			angle--
		case t.isSymbol(",") && depth == 0 && angle == 0:
			out = append(out, tokens[start:i])
			start = i + 1
		}
	}
	if start < len(tokens) {
		out = append(out, tokens[start:])
	}
	return out
}

func isNested(t token) bool {
	return t.is("ROW") || t.is("ARRAY") || t.is("MAP") || t.is("MULTISET") || t.is("RAW") || t.is("STRUCTURED")
}

// closing is the index of the bracket that closes the one at i, or the last index.
func closing(tokens []token, i int) int {
	depth := 0
	for k := i; k < len(tokens); k++ {
		switch {
		case tokens[k].isSymbol("("):
			depth++
		case tokens[k].isSymbol(")"):
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return max(i+1, len(tokens)-1)
}
