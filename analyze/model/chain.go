package model

import (
	"regexp"
	"sort"
	"strings"

	"tidemark/flinkapi"
)

// buildChain lists the operators of a vertex. Its metric ids say which there are, its name ("a -> b -> (c, d)") their
// order, its plan text what each does.
func buildChain(name string, plan []PlanOperator, metrics map[string]bool, source bool) []*Operator {
	ops := orderByName(name, metrics)
	assignTexts(ops, plan)
	if len(ops) == 0 {
		for _, p := range plan {
			ops = append(ops, &Operator{Name: p.Text, Text: p.Text, Parent: p.Parent, Metric: flinkapi.FilterName(p.Text)})
		}
	}
	for i, op := range ops {
		op.Kind = classify(op.Text, op.Name, i == 0, source)
		op.Leaf = true
	}
	for _, op := range ops {
		if op.Parent >= 0 {
			ops[op.Parent].Leaf = false
		}
	}
	return ops
}

// orderByName finds each operator in the vertex name and sorts by position. An operator name may contain " -> " or
// commas, so the vertex name is not split: each operator name is searched for as a whole.
func orderByName(vertexName string, metrics map[string]bool) []*Operator {
	filtered := filterAll(vertexName)
	type placed struct {
		op  *Operator
		pos int
	}
	var all []placed
	for m := range metrics {
		pos := boundaryIndex(filtered, m)
		op := &Operator{Metric: m, Name: m}
		if pos >= 0 {
			op.Name = strings.TrimSpace(vertexName[pos:min(pos+len(m), len(vertexName))])
		} else {
			pos = len(filtered)
		}
		all = append(all, placed{op, pos})
	}
	sort.Slice(all, func(i, k int) bool {
		return all[i].pos < all[k].pos || all[i].pos == all[k].pos && all[i].op.Metric < all[k].op.Metric
	})
	ops := make([]*Operator, len(all))
	for i, p := range all {
		ops[i] = p.op
		ops[i].Parent = i - 1
	}
	return ops
}

// filterAll spells a whole vertex name as metric ids do, byte for byte, so that positions agree.
func filterAll(s string) string {
	return strings.NewReplacer(" ", "_", ".", "_", ":", "_", ",", "_").Replace(s)
}

func boundaryIndex(name, op string) int {
	for from := 0; from <= len(name); {
		i := strings.Index(name[from:], op)
		if i < 0 {
			return -1
		}
		i += from
		before, after := name[:i], name[i+len(op):]
		starts := before == "" || strings.HasSuffix(before, "->_") || strings.HasSuffix(before, "(") || strings.HasSuffix(before, "__") || strings.HasSuffix(before, "]_")
		ends := after == "" || strings.HasPrefix(after, "_->_") || strings.HasPrefix(after, ")") || strings.HasPrefix(after, "__") || strings.HasPrefix(after, "_[") || len([]rune(op)) >= 80
		if starts && ends {
			return i
		}
		from = i + 1
	}
	return -1
}

// assignTexts gives operators their line of the plan: by position where both lists are equally long, else by SQL node id
// or by equal names.
func assignTexts(ops []*Operator, plan []PlanOperator) {
	if len(ops) == len(plan) {
		for i, p := range plan {
			ops[i].Text, ops[i].Parent = p.Text, p.Parent
		}
		return
	}
	for _, op := range ops {
		id := nodeIDOf(op.Name)
		for _, p := range plan {
			if p.ID != 0 && p.ID == id && sameOperator(op.Name, p.Text) || flinkapi.FilterName(p.Text) == op.Metric {
				op.Text = p.Text
				break
			}
		}
	}
}

func nodeIDOf(name string) int {
	open, end := strings.LastIndexByte(name, '['), strings.LastIndexByte(name, ']')
	if open < 0 || end < open {
		return 0
	}
	id := 0
	for _, c := range name[open+1 : end] {
		if c < '0' || c > '9' || id > 1e8 {
			return 0
		}
		id = id*10 + int(c-'0')
	}
	return id
}

// sameOperator tells apart operators with the same node id, such as Match[31] and StreamRecordTimestampInserter[31].
// Scans and sinks are named after their table instead.
func sameOperator(name, text string) bool {
	head, _, _ := strings.Cut(name, "[")
	return strings.HasPrefix(text, head+"(") || strings.HasPrefix(text, head+":") ||
		strings.HasPrefix(text, "TableSourceScan(") || strings.HasPrefix(text, "Sink(")
}

// sqlText matches the description of an exec node of the planner: "Calc(select=[…])".
var sqlText = regexp.MustCompile(`^[A-Z][A-Za-z]+\([A-Za-z]+=\[`)

// IsSQL reports an operator of the Flink SQL planner.
func (op *Operator) IsSQL() bool { return nodeIDOf(op.Name) > 0 || sqlText.MatchString(op.Text) }
