package sqlplan

import "strings"

// malformed is what is wrong with the text of a CREATE TABLE, nil where it has the form that Flink
// takes. It replaces Flink's parser where there is no gateway: a table that does not parse must
// not be judged by the half of it that could be read.
func malformed(s statement) *lexError {
	t := s.tokens
	i := max(find(t, 0, "TABLE"), 0) + 1
	if words(t[i:], "IF", "NOT", "EXISTS") {
		i += 3
	}
	named, i := nameAt(t, i)
	if named == "" || t[i-1].isSymbol(".") {
		return s.wrong(i, "CREATE TABLE has no name")
	}
	if i < len(t) && t[i].isSymbol("(") {
		end, e := s.closed(i)
		if e == nil {
			e = s.columns(i+1, end)
		}
		if e == nil {
			e = s.rowtime()
		}
		if e != nil {
			return e
		}
		i = end + 1
	}
	for i < len(t) {
		next, e := s.clause(i)
		if e != nil {
			return e
		}
		i = next
	}
	return nil
}

// wrong is a mistake at token i, or at the last one where the statement ends too early.
func (s statement) wrong(i int, what string) *lexError {
	if i >= len(s.tokens) {
		i = len(s.tokens) - 1
	}
	return &lexError{what, s.tokens[i].line, s.tokens[i].col}
}

// closed is the index of the bracket that closes the one at i.
func (s statement) closed(i int) (int, *lexError) {
	depth := 0
	for k := i; k < len(s.tokens); k++ {
		switch {
		case s.tokens[k].isSymbol("("):
			depth++
		case s.tokens[k].isSymbol(")"):
			if depth--; depth == 0 {
				return k, nil
			}
		}
	}
	return 0, s.wrong(i, "a bracket opened by ( is never closed")
}

// clause reads one clause behind the columns and gives the index behind it.
func (s statement) clause(i int) (int, *lexError) {
	t := s.tokens
	bracket := func(k int, what string) (int, *lexError) {
		if k >= len(t) || !t[k].isSymbol("(") {
			return 0, s.wrong(k, what+" needs brackets")
		}
		end, e := s.closed(k)
		return end + 1, e
	}
	switch {
	case t[i].is("COMMENT") && i+1 < len(t) && t[i+1].kind == text:
		return i + 2, nil
	case t[i].is("WITH"):
		next, e := bracket(i+1, "WITH")
		if e != nil {
			return 0, e
		}
		return next, s.options(i+2, next-1)
	case words(t[i:], "PARTITIONED", "BY"):
		return bracket(i+2, "PARTITIONED BY")
	case t[i].is("DISTRIBUTED"):
		k := i + 1
		for k < len(t) && !t[k].is("WITH") && !t[k].is("PARTITIONED") && !t[k].is("LIKE") {
			if t[k].isSymbol("(") {
				end, e := s.closed(k)
				if e != nil {
					return 0, e
				}
				k = end
			}
			k++
		}
		return k, nil
	case t[i].is("LIKE"):
		base, k := nameAt(t, i+1)
		if base == "" {
			return 0, s.wrong(i, "LIKE names no table")
		}
		if k < len(t) && t[k].isSymbol("(") {
			return bracket(k, "LIKE")
		}
		return k, nil
	}
	return 0, s.wrong(i, "unexpected "+name(t[i].value)+" behind the columns of a table")
}

// rowtime finds a WATERMARK for a column that does not exist or can be no event time.
func (s statement) rowtime() *lexError {
	t := readTable(s)
	if t.watermark == nil || t.like != "" {
		return nil
	}
	col := t.watermark.col
	c := t.column(col.value)
	switch {
	case c == nil && col.value == rowtimeColumn:
		return nil // Confluent Cloud's, which is said elsewhere
	case c == nil:
		return &lexError{"WATERMARK is for " + name(t.watermark.column) + ", and the table has no such column", col.line, col.col}
	case t.watermark.column == col.value && noTime(c.typ):
		return &lexError{"WATERMARK is for " + name(c.name) + " of type " + c.typ + "; it takes TIMESTAMP or TIMESTAMP_LTZ", col.line, col.col}
	}
	return nil
}

// noTime reports a type that is certainly no timestamp; a type of the user may be anything.
func noTime(typ string) bool {
	base, _, _ := strings.Cut(typ, "(")
	for _, w := range strings.Fields("BIGINT INT INTEGER SMALLINT TINYINT STRING VARCHAR CHAR DOUBLE FLOAT DECIMAL NUMERIC DATE TIME BOOLEAN BYTES BINARY VARBINARY") {
		if base == w {
			return true
		}
	}
	return false
}

// options reads 'key' = 'value', … between two indexes.
func (s statement) options(from, to int) *lexError {
	for i := from; i < to; i += 4 {
		t := s.tokens[i:to]
		if len(t) < 3 || t[0].kind != text || !t[1].isSymbol("=") || t[2].kind != text {
			return s.wrong(i, "an option is written 'key' = 'value'")
		}
		if len(t) > 3 && (!t[3].isSymbol(",") || len(t) == 4) {
			return s.wrong(i+3, "options are parted by one comma")
		}
	}
	return nil
}

// columns reads the list of columns between two indexes.
func (s statement) columns(from, to int) *lexError {
	at, marks := from, 0
	seen := map[string]bool{}
	for _, e := range elements(s.tokens[from:to]) {
		if len(e) == 0 {
			return s.wrong(at, "a column is missing between two commas")
		}
		if wrong := s.item(at, e, seen); wrong != nil {
			return wrong
		}
		if e[0].is("WATERMARK") && e[0].kind == word && words(e, "WATERMARK", "FOR") {
			if marks++; marks > 1 {
				return s.wrong(at, "the table has a second WATERMARK; Flink takes one")
			}
		}
		at += len(e) + 1
	}
	if at == to { // what remains behind the last comma is nothing
		return s.wrong(to-1, "a column is missing behind the last comma")
	}
	return nil
}

// item reads one column, constraint or WATERMARK clause, whose first token has index at.
func (s statement) item(at int, e []token, seen map[string]bool) *lexError {
	switch {
	case words(e, "WATERMARK", "FOR"):
		column, i := nameAt(e, 2)
		if column == "" || i >= len(e) || !e[i].is("AS") || i+1 >= len(e) {
			return s.wrong(at, "the clause is written WATERMARK FOR column AS expression")
		}
		return nil
	case words(e, "PRIMARY", "KEY"), words(e, "UNIQUE"), words(e, "PERIOD", "FOR"), e[0].is("CONSTRAINT"):
		return nil
	case !e[0].isName():
		return s.wrong(at, "a column begins with its name")
	case len(e) == 1:
		return s.wrong(at, "column "+name(e[0].value)+" has no type")
	case e[1].is("AS"):
		if len(e) == 2 || e[2].is("COMMENT") {
			return s.wrong(at+1, "column "+name(e[0].value)+" has no expression behind AS")
		}
	case !e[1].isName():
		return s.wrong(at+1, "column "+name(e[0].value)+" has no type")
	default:
		if _, rest := readType(e[1:]); len(rest) > 0 && !rest[0].isSymbol(".") && !afterType(rest[0]) {
			k := at + len(e) - len(rest)
			return s.wrong(k, "unexpected "+name(rest[0].value)+" behind the type of column "+name(e[0].value))
		}
		depth := 0
		for _, t := range e {
			if t.isSymbol("<") {
				depth++
			} else if t.isSymbol(">") {
				depth--
			}
		}
		if depth > 0 {
			return s.wrong(at, "the type of column "+name(e[0].value)+" opens a < that is never closed")
		}
	}
	if seen[e[0].value] {
		return s.wrong(at, "column "+name(e[0].value)+" is declared twice")
	}
	seen[e[0].value] = true
	return nil
}

// afterType reports a word that may follow a column's type. VARYING and PRECISION are the second
// words of types.
func afterType(t token) bool {
	for _, w := range strings.Fields("NOT NULL METADATA PRIMARY UNIQUE CONSTRAINT COMMENT VARYING PRECISION ARRAY MULTISET") {
		if t.is(w) {
			return true
		}
	}
	return false
}

// known reports a statement that begins as one of Flink's does.
func (s statement) known() bool {
	if s.kind != KindOther {
		return true
	}
	for _, w := range strings.Fields("ANALYZE BEGIN CALL COMPILE DELETE END EXECUTE EXPLAIN KILL MERGE REFRESH REPLACE SOURCE STOP TRUNCATE UPDATE") {
		if s.tokens[0].is(w) {
			return true
		}
	}
	return false
}
