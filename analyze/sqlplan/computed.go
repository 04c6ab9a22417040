package sqlplan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// madeInQuery reports a column that a query makes by an expression and then asks event time of: no
// expression gives a time attribute. at is where event time is asked for.
func (r *reader) madeInQuery(s *statement, q *Query, column string, a attribute, at token, refusal *Refusal) bool {
	if a.kind != ordinary || a.expr == "" {
		return false
	}
	words, place := a.expr, r.at(at)
	if item := r.selected(s, a.column); item != nil {
		words, place = r.script[item[0].start:item[len(item)-1].end], r.at(item[0])
	}
	r.expression(q, column, words, place, refusal)
	return true
}

// expression reports that a column, or a window itself, is over an expression.
func (r *reader) expression(q *Query, column, words string, at Location, refusal *Refusal) {
	f := r.finding("TM601", ofQuery(q.Name), at)
	f.Summary = fmt.Sprintf("%s asks for event time on %s, which is made by %s: only the column of WATERMARK FOR is a time attribute, and only as it is, renamed at most", upper(q.words()), column, name(words))
	if refusal != nil {
		f.Severity = catalog.Critical
		refused(&f, q.Name, refusal)
	} else {
		f.Confidence = catalog.Likely
		f.Summary = fmt.Sprintf("%s compares times with %s, which is made by %s and so is no time attribute: it is planned as a regular join, which ignores watermarks and keeps every row", upper(q.words()), column, name(words))
	}
	f.Fix = catalog.Fix{
		Text: "Put the expression into CREATE TABLE as a computed column with the WATERMARK on it, and use that column unchanged; cast it behind the event-time operator.",
		SQL:  "CREATE TABLE orders (…, ts AS TO_TIMESTAMP_LTZ(epoch_ms, 3),\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)",
	}
	prove(&f, q.Name, "expression", words)
	r.add(f)
}

// selected finds "expression AS column" in the views that a statement uses, or in the statement.
func (r *reader) selected(s *statement, column string) []token {
	for _, from := range append(r.viewsOf(s), s) {
		t := from.tokens
		for i := max(from.body, 0) + 1; i+1 < len(t); i++ {
			if !t[i].is("AS") || !t[i+1].isName() || t[i+1].value != column {
				continue
			}
			start, depth := i-1, 0
			for ; start > from.body; start-- {
				if t[start].isSymbol(")") {
					depth++
				} else if t[start].isSymbol("(") {
					depth--
				}
				if depth < 0 || depth == 0 && (t[start].isSymbol(",") || t[start].is("SELECT")) {
					break
				}
			}
			if item := t[start+1 : i]; len(item) > 1 && !item[0].is("WITH") {
				return item
			}
		}
	}
	return nil
}

// asked is what an event-time operator of a query that is no window table function works on: the first
// argument of a group window, the ORDER BY of OVER and MATCH_RECOGNIZE, the time of a temporal join.
func asked(t []token) (column string, at token, expr []token) {
	for i := range t {
		rest := t[i+1:]
		switch {
		case isWindow(t[i]) && len(rest) > 1 && rest[0].isSymbol("(") && !rest[1].is("TABLE"):
			args := elements(t[i+2 : closing(t, i+1)])
			if len(args) == 0 || len(args[0]) == 0 {
				continue
			}
			if path, next := nameAt(args[0], 0); next == len(args[0]) {
				return last(path), t[i], nil
			}
			return "", t[i], args[0]
		case words(t[i:], "FOR", "SYSTEM_TIME", "AS", "OF") && len(rest) > 3:
			path, _ := nameAt(t, i+4)
			return last(path), t[i], nil
		case (t[i].is("OVER") || t[i].is("MATCH_RECOGNIZE")) && len(rest) > 0 && rest[0].isSymbol("("):
			for k := i + 2; k < closing(t, i+1); k++ {
				if words(t[k:], "ORDER", "BY") {
					path, _ := nameAt(t, k+2)
					return last(path), t[k], nil
				}
			}
		}
	}
	return "", token{}, nil
}

// tracedLoss follows the column that a refused query asks event time of through the syntax tree of its input.
func (r *reader) tracedLoss(s *statement, q *Query, p plan, pr probe, in block, refusal *Refusal) bool {
	column, at := pr.column, pr.at
	if column == "" {
		var expr []token
		if column, at, expr = asked(in.tokens); len(expr) > 0 {
			r.expression(q, "the window function "+strings.ToUpper(at.value), r.script[expr[0].start:expr[len(expr)-1].end], r.at(at), refusal)
			return true
		}
	}
	if column == "" {
		return false
	}
	for _, root := range p.ast {
		names, _ := r.columnsOf(root)
		for i, n := range names {
			if n == last(column) && r.madeInQuery(s, q, name(last(column)), r.trace(root, i), at, refusal) {
				return true
			}
		}
	}
	return false
}

var comparison = regexp.MustCompile(`(?:[<>]=?)\(`)

// compared are the attributes that the conditions of a query's joins compare as a range of time.
func (r *reader) compared(p plan) (out []attribute) {
	plan{exec: p.ast}.each(func(n *node) {
		condition, ok := model.Property(n.text, "condition")
		if !ok || n.name() != "LogicalJoin" && n.name() != "LogicalFilter" || !strings.Contains(condition, ":INTERVAL") {
			return
		}
		for _, at := range comparison.FindAllStringIndex(condition, -1) {
			depth, end := 1, at[1]
			for end < len(condition) && depth > 0 {
				switch condition[end] {
				case '(':
					depth++
				case ')':
					depth--
				}
				end++
			}
			for _, m := range references.FindAllStringSubmatch(condition[at[1]:end], -1) {
				i, _ := strconv.Atoi(m[1])
				out = append(out, r.trace(n, i))
			}
		}
	})
	return out
}
