package sqlplan

import (
	"regexp"
	"strings"

	"tidemark/analyze/model"
)

// plan is an answer of EXPLAIN: the abstract syntax tree, and the optimized execution plan (1.17 to
// 2.3). A statement set has several roots.
type plan struct {
	ast, exec []*node
}

// node is an operator with what feeds it.
type node struct {
	text   string
	kind   model.Kind
	inputs []*node
}

// name is the operator without its properties: "GroupAggregate".
func (n *node) name() string { return n.text[:indexOr(n.text, "(")] }

const (
	astTitle  = "== Abstract Syntax Tree =="
	execTitle = "== Optimized Execution Plan =="
)

// readPlan parses the text of EXPLAIN; ok is false for anything else.
func readPlan(text string) (p plan, ok bool) {
	ast, okAst := section(text, astTitle)
	exec, okExec := section(text, execTitle)
	if !okAst || !okExec {
		return plan{}, false
	}
	p.ast, p.exec = trees(ast), trees(exec)
	return p, len(p.exec) > 0
}

func section(text, title string) (string, bool) {
	_, rest, ok := strings.Cut(text, title+"\n")
	if i := strings.Index(rest, "\n== "); i >= 0 {
		rest = rest[:i]
	}
	return rest, ok
}

var (
	reuseID   = regexp.MustCompile(`\(reuse_id=\[(\d+)\]\)$`)
	reference = regexp.MustCompile(`^Reused\(reference_id=\[(\d+)\]\)`)
)

// trees reads the roots of a section, which blank lines part, and ties reused parts to their users.
func trees(text string) []*node {
	var roots []*node
	var all []*node
	for _, block := range strings.Split(strings.TrimRight(text, "\n"), "\n\n") {
		block = strings.Trim(block, "\n")
		if block == "" {
			continue
		}
		var nodes []*node
		for _, op := range model.ParsePlanTree(block) {
			n := &node{text: op.Text, kind: model.KindOf(op.Text)}
			nodes = append(nodes, n)
			if op.Parent < 0 {
				roots = append(roots, n)
			} else {
				nodes[op.Parent].inputs = append(nodes[op.Parent].inputs, n)
			}
		}
		all = append(all, nodes...)
	}
	tie(all)
	return roots
}

func tie(all []*node) {
	byID := map[string]*node{}
	for _, n := range all {
		if m := reuseID.FindStringSubmatch(n.text); m != nil {
			byID[m[1]] = n
			n.text = n.text[:len(n.text)-len(m[0])]
		}
	}
	for _, n := range all {
		for i, in := range n.inputs {
			if m := reference.FindStringSubmatch(in.text); m != nil && byID[m[1]] != nil && byID[m[1]] != n && !reaches(byID[m[1]], n) {
				n.inputs[i] = byID[m[1]]
			}
		}
	}
}

// reaches guards against a text whose references run in a circle.
func reaches(from, to *node) bool {
	seen := map[*node]bool{}
	var walk func(n *node) bool
	walk = func(n *node) bool {
		if n == to {
			return true
		}
		if seen[n] {
			return false
		}
		seen[n] = true
		for _, in := range n.inputs {
			if walk(in) {
				return true
			}
		}
		return false
	}
	return walk(from)
}

// each visits every operator once, consumers before what feeds them.
func (p plan) each(visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for _, in := range n.inputs {
			walk(in)
		}
	}
	for _, r := range p.exec {
		walk(r)
	}
}

var scanPath = regexp.MustCompile(`^(?:TableSourceScan|LegacyTableSourceScan|DataStreamScan)\(table=\[\[([^\[\]]*)`)

// scanned is the table a scan reads, catalog.database.table, without what was pushed into the scan.
func scanned(n *node) (string, bool) {
	m := scanPath.FindStringSubmatch(n.text)
	if m == nil {
		return "", false
	}
	parts := strings.Split(m[1], ", ")
	for i, p := range parts {
		if strings.Contains(p, "=") && i >= 3 {
			parts = parts[:i]
			break
		}
	}
	return strings.Join(parts[:min(len(parts), 3)], "."), true
}
