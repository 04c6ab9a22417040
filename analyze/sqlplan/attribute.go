package sqlplan

import (
	"regexp"
	"strconv"
	"strings"
)

// attributeKind says what a column of the syntax tree is for event time.
type attributeKind int

const (
	attributeUnknown attributeKind = iota
	ordinary                       // no time attribute
	rowtime
	processing
)

// attribute is where a column of the syntax tree comes from.
type attribute struct {
	kind   attributeKind
	table  string // path of the table that it is read from, "" where it is made in the query
	column string // its name there, or the name that the query gives it
	expr   string // the planner's expression where the query makes it
}

// columnsOf are the columns of an operator of the syntax tree with their expressions; nil where its text
// does not list them.
func (r *reader) columnsOf(n *node) (names, exprs []string) {
	switch n.name() {
	case "LogicalProject":
		return projection(n.text[len("LogicalProject("):])
	case "LogicalTableScan":
		path, ok := treePath(n)
		if c := r.byPath[path]; ok && c != nil {
			for _, col := range c.table.columns {
				names = append(names, col.name)
			}
		}
	case "LogicalFilter", "LogicalSort", "LogicalWatermarkAssigner", "LogicalSnapshot", "LogicalUnion":
		if len(n.inputs) > 0 {
			names, _ = r.columnsOf(n.inputs[0])
		}
	case "LogicalJoin", "LogicalCorrelate":
		for _, in := range n.inputs {
			more, _ := r.columnsOf(in)
			if more == nil {
				return nil, nil
			}
			names = append(names, more...)
		}
	}
	return names, nil
}

// projection reads "id=[$0], ts=[CAST($1):TIMESTAMP(3)])".
func projection(text string) (names, exprs []string) {
	for {
		i := strings.Index(text, "=[")
		if i < 0 {
			return names, exprs
		}
		depth, end := 1, i+2
		for end < len(text) && depth > 0 {
			switch text[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
			end++
		}
		names, exprs = append(names, strings.TrimPrefix(text[:i], ", ")), append(exprs, strings.TrimSuffix(text[i+2:end], "]"))
		text = text[end:]
	}
}

var (
	reference0 = regexp.MustCompile(`^\$(\d{1,4})$`)
	treeScan   = regexp.MustCompile(`^LogicalTableScan\(table=\[\[([^\[\]]*)\]\]`)
	references = regexp.MustCompile(`\$(\d{1,4})`)
)

func treePath(n *node) (string, bool) {
	m := treeScan.FindStringSubmatch(n.text)
	if m == nil {
		return "", false
	}
	return strings.ReplaceAll(m[1], ", ", "."), true
}

// trace follows column i of an operator of the syntax tree down to where it is made.
func (r *reader) trace(n *node, i int) attribute {
	names, exprs := r.columnsOf(n)
	if i < 0 || names != nil && i >= len(names) {
		return attribute{}
	}
	switch n.name() {
	case "LogicalProject":
		if i >= len(exprs) || len(n.inputs) != 1 {
			return attribute{}
		}
		if m := reference0.FindStringSubmatch(exprs[i]); m != nil {
			k, _ := strconv.Atoi(m[1])
			return r.trace(n.inputs[0], k)
		}
		a := attribute{kind: ordinary, column: names[i], expr: exprs[i]}
		if a.expr == "PROCTIME()" {
			a.kind = processing
			if len(n.inputs) == 1 { // a computed column of the table stands right above its scan
				a.table, _ = treePath(n.inputs[0])
			}
		}
		return a
	case "LogicalWatermarkAssigner":
		a := r.trace(n.inputs[0], i)
		if names != nil && strings.HasPrefix(n.text, "LogicalWatermarkAssigner(rowtime=["+names[i]+"]") {
			a.kind = rowtime
		}
		return a
	case "LogicalTableScan":
		a := attribute{kind: ordinary}
		a.table, _ = treePath(n)
		if names != nil {
			a.column = names[i]
		} else {
			a.kind = attributeUnknown
		}
		return a
	case "LogicalFilter", "LogicalSort", "LogicalSnapshot":
		return r.trace(n.inputs[0], i)
	case "LogicalJoin", "LogicalCorrelate":
		for _, in := range n.inputs {
			of, _ := r.columnsOf(in)
			if of == nil {
				return attribute{}
			}
			if i < len(of) {
				return r.trace(in, i)
			}
			i -= len(of)
		}
	}
	return attribute{}
}

var groupWindow = regexp.MustCompile(`=\[\$(?:TUMBLE|HOP|SESSION)\(\$(\d{1,4}),`)

// processingWindows reports that all group windows of a query are over PROCTIME(). The execution plan often
// shows no column of theirs that has a type.
func (r *reader) processingWindows(p plan) bool {
	found, all := false, true
	plan{exec: p.ast}.each(func(n *node) {
		if n.name() != "LogicalProject" || len(n.inputs) != 1 {
			return
		}
		for _, m := range groupWindow.FindAllStringSubmatch(n.text, -1) {
			i, _ := strconv.Atoi(m[1])
			found, all = true, all && r.trace(n.inputs[0], i).kind == processing
		}
	})
	return found && all
}
