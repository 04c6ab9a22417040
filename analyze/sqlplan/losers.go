package sqlplan

import (
	"regexp"
	"strings"

	"tidemark/analyze/model"
)

// loss is an operator that leaves an event-time operator without a usable time attribute.
type loss struct {
	node     *node
	how      lossKind
	what     string   // in words: a regular join
	keywords []string // where to look for it in the script
}

type lossKind int

const (
	lost    lossKind = iota // the result has no time attribute
	updates                 // the result is updated: rows are taken back
)

// lossOf says what an operator does to the time attribute of its input.
func lossOf(n *node) (loss, bool) {
	switch n.kind {
	case model.KindRegularJoin:
		return joinLoss(n), true
	case model.KindAggregate:
		return aggregateLoss(n), true
	case model.KindRank:
		what := "Top-N"
		if !strings.HasPrefix(n.text, "Rank(") {
			what = "ORDER BY … LIMIT"
		}
		return loss{n, updates, what, []string{"ROW_NUMBER", "RANK", "DENSE_RANK", "LIMIT", "FETCH"}}, true
	case model.KindDeduplicate:
		if keep, _ := model.Property(n.text, "keep"); keep == "LastRow" {
			return loss{n, updates, "a deduplication that keeps the last row", []string{"ROW_NUMBER"}}, true
		}
	case model.KindMatch:
		if measures, _ := model.Property(n.text, "measures"); !strings.Contains(measures, "MATCH_ROWTIME(") {
			return loss{n, lost, "MATCH_RECOGNIZE without MATCH_ROWTIME", []string{"MATCH_RECOGNIZE"}}, true
		}
	}
	return loss{}, false
}

// joinLoss names the SQL that became a regular join.
func joinLoss(n *node) loss {
	switch join, _ := model.Property(n.text, "joinType"); join {
	case "LeftSemiJoin", "LeftAntiJoin":
		return loss{n, lost, "a subquery with IN or EXISTS", []string{"EXISTS", "IN", "JOIN"}}
	}
	return loss{n, lost, "a regular join", []string{"JOIN"}}
}

// aggregateLoss names the SQL that became a non-window aggregation: a set operation is planned as a
// union, semi-join or anti-join under an aggregation without functions.
func aggregateLoss(n *node) loss {
	group, _ := model.Property(n.text, "groupBy")
	selected, _ := model.Property(n.text, "select")
	if group == "" || group != selected {
		return loss{n, lost, "an aggregation without a window", []string{"GROUP", "DISTINCT"}}
	}
	below := n
	for len(below.inputs) == 1 && (below == n || below.name() == "Exchange" || below.name() == "Calc") {
		below = below.inputs[0]
	}
	join, _ := model.Property(below.text, "joinType")
	switch {
	case below.name() == "Union":
		return loss{n, lost, "UNION, which removes duplicates", []string{"UNION"}}
	case join == "LeftSemiJoin":
		return loss{n, lost, "INTERSECT", []string{"INTERSECT", "DISTINCT"}}
	case join == "LeftAntiJoin":
		return loss{n, lost, "EXCEPT", []string{"EXCEPT", "MINUS", "DISTINCT"}}
	}
	return loss{n, lost, "DISTINCT", []string{"DISTINCT", "GROUP"}}
}

// windowLoss is the loss behind a window aggregation whose result continues without window_time.
func windowLoss(n *node) (loss, bool) {
	switch n.kind {
	case model.KindWindow, model.KindLocalWindow:
		if strings.Contains(n.name(), "Aggregate") {
			return loss{n, lost, "a window aggregation whose result is not grouped by window_time", []string{"GROUP"}}, true
		}
	}
	return loss{}, false
}

var castTime = regexp.MustCompile(` AS TIMESTAMP[A-Z_]*\(\d\)\) AS ([^,\]()]+)[,\]]`)

// castLoss is a projection that makes an ordinary timestamp of a column.
func castLoss(n *node, column string) (loss, bool) {
	if n.name() != "Calc" {
		return loss{}, false
	}
	for _, m := range castTime.FindAllStringSubmatch(n.text, -1) {
		if strings.TrimSpace(m[1]) == column {
			return loss{n, lost, "a CAST of the time attribute", []string{"CAST"}}, true
		}
	}
	return loss{}, false
}

// topLoss finds what took the time attribute, nearest to the result of a plan. column is the one that
// an event-time operator asked for, "" where that is not known.
func topLoss(p plan, column string) (loss, bool) {
	for _, root := range p.exec {
		if l, ok := searchLoss(root, column, map[*node]bool{}); ok {
			return l, true
		}
	}
	return loss{}, false
}

func searchLoss(n *node, column string, seen map[*node]bool) (loss, bool) {
	if seen[n] || n.kind == model.KindAssigner {
		return loss{}, false
	}
	seen[n] = true
	if l, ok := lossOf(n); ok && l.how == lost {
		return l, true
	}
	if l, ok := windowLoss(n); ok {
		return l, true
	}
	for _, in := range n.inputs {
		if l, ok := searchLoss(in, column, seen); ok {
			return l, true
		}
	}
	// A cast below a join or aggregation only shows what that does; on its own it is the cause.
	return castLoss(n, column)
}

// lossBelow finds what an accepted plan puts between an event-time operator and its sources. It does
// not look behind another event-time operator, which is judged by itself.
func lossBelow(n *node) (loss, bool) { return below(n, map[*node]bool{}) }

func below(n *node, seen map[*node]bool) (loss, bool) {
	if seen[n] {
		return loss{}, false
	}
	seen[n] = true
	for i, in := range n.inputs {
		if in.kind == model.KindAssigner {
			continue
		}
		if n.kind == model.KindTemporalJoin && i == 1 {
			continue // its versions are updates by design: a deduplication there is a versioned view
		}
		if l, ok := lossOf(in); ok {
			return l, true
		}
		if in.kind.UsesEventTime() {
			continue
		}
		if l, ok := below(in, seen); ok {
			return l, true
		}
	}
	return loss{}, false
}

var orderBy = regexp.MustCompile(`orderBy=\[([^\s\],]+)`)

// orderColumn is the first column of an operator's ORDER BY.
func orderColumn(n *node) string {
	if m := orderBy.FindStringSubmatch(n.text); m != nil {
		return m[1]
	}
	return ""
}
