package sqlplan

import "strings"

// alterAt is the index of the name in ALTER TABLE [IF EXISTS] name.
func alterAt(s *statement) int {
	if words(s.tokens[2:], "IF", "EXISTS") {
		return 4
	}
	return 2
}

// alterTarget is the table of an ALTER TABLE, "" for other statements.
func alterTarget(s *statement) string {
	if !words(s.tokens, "ALTER", "TABLE") {
		return ""
	}
	target, _ := nameAt(s.tokens, alterAt(s))
	return target
}

// altered follows ALTER TABLE of a table of the script: SET, RESET, RENAME, and what is added, modified and
// dropped of columns and the watermark. false: what it does is not followed.
func (r *reader) altered(s *statement) bool {
	t := s.tokens
	d := r.declaredAs(alterTarget(s))
	if d == nil {
		return false
	}
	_, i := nameAt(t, alterAt(s))
	if i >= len(t) {
		return false
	}
	rest := t[i+1:]
	inner, bracketed := rest, false
	if len(rest) > 0 && rest[0].isSymbol("(") {
		inner, bracketed = rest[1:closing(rest, 0)], true
	}
	switch {
	case t[i].is("SET") && bracketed:
		d.readOptions(inner)
		return true
	case t[i].is("RESET") && bracketed:
		for _, k := range inner {
			delete(d.options, strings.ToLower(k.value))
		}
		return true
	case t[i].is("RENAME") && words(rest, "TO") && len(rest) > 1:
		d.name, _ = nameAt(rest, 1)
		return true
	case t[i].is("DROP") && words(rest, "WATERMARK") && len(rest) == 1:
		d.watermark = nil
		return true
	case t[i].is("ADD"), t[i].is("MODIFY"):
		return r.alteredColumns(d, inner, s)
	}
	return false
}

// alteredColumns follows ADD and MODIFY of columns and the watermark; nothing is taken over where a part is
// not understood.
func (r *reader) alteredColumns(d *declared, inner []token, s *statement) bool {
	var own table
	items := elements(inner)
	for _, e := range items {
		if words(e, "CONSTRAINT") || words(e, "PRIMARY") || words(e, "DISTRIBUTION") || words(e, "PARTITION") || len(e) < 2 {
			return false
		}
		if words(e, "COLUMN") {
			e = e[1:]
		}
		own.element(e, *s)
	}
	if w := own.watermark; w != nil {
		if whole := r.resolved(d.table, 0); whole.column(w.column) == nil && own.column(w.column) == nil && w.column != rowtimeColumn {
			return false
		}
		d.watermark = w
	}
	for _, c := range own.columns {
		if have := d.column(c.name); have != nil {
			*have = c
		} else {
			d.columns = append(d.columns, c)
		}
	}
	d.infer()
	return len(items) > 0
}
