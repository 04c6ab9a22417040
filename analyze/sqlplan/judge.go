package sqlplan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// judge reads an accepted plan.
func (r *reader) judge(ctx context.Context, s *statement, q *Query, p plan) error {
	r.dropped(s, q, p)
	r.mixedBranches(s, q, p)
	if err := r.scans(ctx, q, p); err != nil {
		return err
	}
	seen := map[*node]bool{}
	p.each(func(n *node) {
		switch {
		case n.kind == model.KindRegularJoin && model.JoinsOnTimeRange(n.text):
			r.rangeJoin(s, q, p, n)
		case n.kind.UsesEventTime() && !r.procTime(q, p, n):
			l, found := lossBelow(n)
			if n.kind == model.KindOver && found && !r.isRowtime(q, orderColumn(n)) {
				return // since 2.x OVER sorts by any column
			}
			q.EventTime = true
			if found && !seen[l.node] {
				seen[l.node] = true
				r.lossBefore(s, q, n, l)
			}
		}
		r.notClosed(s, q, n)
		r.hold(s, q, n)
	})
	return nil
}

// lossBefore reports an operator before an event-time operator of an accepted plan.
func (r *reader) lossBefore(s *statement, q *Query, n *node, l loss) {
	at := r.locate(s, l)
	f := r.finding("TM601", ofQuery(q.Name), at)
	f.Summary = fmt.Sprintf("%s has %s (%s), which drops the time attribute, and %s behind it works on event time", upper(q.words()), l.what, l.node.name(), n.name())
	if l.how == updates {
		f = r.finding("TM606", ofQuery(q.Name), at)
		f.Summary = fmt.Sprintf("%s has %s (%s), which takes rows back later, and %s behind it closes its results by event time", upper(q.words()), l.what, l.node.name(), n.name())
	}
	f.Operator, f.Confidence = l.node.name(), catalog.Likely
	prove(&f, l.node.name(), "plan", l.node.text)
	prove(&f, n.name(), "plan", n.text)
	r.add(f)
}

// rangeJoin reports a join on a time range that is no interval join: one of its columns is no time
// attribute, which a table without WATERMARK explains.
func (r *reader) rangeJoin(s *statement, q *Query, p plan, n *node) {
	compared := r.compared(p)
	if r.mixedJoin(s, q, n, compared) {
		return
	}
	if table, ok := r.withoutWatermark(n); ok {
		r.noWatermark(q, table, "the join on a time range needs its event time", catalog.Warning)
		return
	}
	for _, a := range compared {
		if r.madeInQuery(s, q, name(a.column), a, s.first(), nil) {
			return
		}
	}
	f := r.finding("TM601", ofQuery(q.Name), r.locate(s, loss{node: n, keywords: []string{"JOIN"}}))
	f.Summary = fmt.Sprintf("%s joins on a time range, but as a regular join: its time columns are no time attributes, so it ignores watermarks and keeps every row", upper(q.words()))
	if l, found := lossBelow(n); found && l.how == lost {
		f.Summary += fmt.Sprintf("; %s (%s) before it took them", l.what, l.node.name())
	}
	f.Operator, f.Confidence = n.name(), catalog.Likely
	where, _ := model.Property(n.text, "where")
	prove(&f, n.name(), "plan: where", where)
	r.add(f)
}

// notClosed reports a window function whose rows go into an operator that does not wait for the end
// of the window: the planner makes one where window_start and window_end are not both among its keys.
func (r *reader) notClosed(s *statement, q *Query, n *node) {
	var l loss
	switch n.kind {
	case model.KindAggregate, model.KindRegularJoin, model.KindRank:
		l, _ = lossOf(n)
	default:
		return
	}
	for _, in := range n.inputs {
		for len(in.inputs) == 1 && (in.name() == "Exchange" || in.name() == "Calc" || strings.HasPrefix(in.name(), "Local")) {
			in = in.inputs[0]
		}
		if in.name() != "WindowTableFunction" {
			continue
		}
		f := r.finding("TM614", ofQuery(q.Name), r.locate(s, l))
		f.Summary = fmt.Sprintf("%s has %s (%s) right behind a window function: without both window_start and window_end among its keys it updates its result with every row, and keeps all of them", upper(q.words()), l.what, n.name())
		f.Operator = n.name()
		prove(&f, n.name(), "plan", n.text)
		prove(&f, in.name(), "plan", in.text)
		r.add(f)
		return
	}
}

// hold reports an operator that holds event time, or rows, by design.
func (r *reader) hold(s *statement, q *Query, n *node) {
	if n.kind == model.KindMatch {
		r.within(s, q)
		return
	}
	ms, ok := model.HoldOf(&model.Operator{Kind: n.kind, Text: n.text})
	if !ok || ms == 0 {
		return
	}
	if h := (Hold{n.name(), ms}); slices.Contains(q.Holds, h) {
		return // a mini-batch stands behind every source
	} else {
		q.Holds = append(q.Holds, h)
	}
	if ms < 1000 {
		return
	}
	at := q.Location
	if n.kind == model.KindIntervalJoin {
		at = r.locate(s, loss{node: n, keywords: []string{"BETWEEN", "JOIN"}})
	}
	f := r.finding("TM302", ofQuery(q.Name), at)
	f.Summary = fmt.Sprintf("%s in %s holds event time back by up to %s by design", n.name(), q.words(), units.Duration(ms))
	f.Operator = n.name()
	prove(&f, n.name(), "plan", n.text)
	r.add(f)
}

// within reports WITHIN, which plans do not show: it is read from the statement and its views.
func (r *reader) within(s *statement, q *Query) {
	for _, from := range append(r.viewsOf(s), s) {
		t := from.tokens
		for i := max(from.body, 0); i+3 < len(t); i++ {
			end := i + 4
			for end < len(t) && (t[end].is("TO") || t[end-1].is("TO")) {
				end++
			}
			ms, ok := interval(t[i+1 : end])
			if !t[i].is("WITHIN") || !ok || r.said("within "+fmt.Sprint(t[i].start)) {
				continue
			}
			q.Holds = append(q.Holds, Hold{"Match", ms})
			f := r.finding("TM302", ofQuery(q.Name), r.at(t[i]))
			f.Summary = fmt.Sprintf("MATCH_RECOGNIZE in %s waits up to %s (WITHIN) for the rows of a match: its results may come that much later", q.words(), units.Duration(ms))
			f.Operator = "Match"
			prove(&f, "Match", "WITHIN", units.Duration(ms))
			r.add(f)
		}
	}
}

// dropped reports a set operation written directly into a window table function: the planner keeps
// its first branch and drops the others silently (1.18.1, 1.20.3, 2.3.0).
func (r *reader) dropped(s *statement, q *Query, p plan) {
	ast := plan{exec: p.ast}
	ast.each(func(n *node) {
		invocation, ok := model.Property(n.text, "invocation")
		if !ok || len(n.inputs) < 2 || n.name() != "LogicalTableFunctionScan" {
			return
		}
		call := invocation[:indexOr(invocation, "(")]
		if call != "TUMBLE" && call != "HOP" && call != "CUMULATE" && call != "SESSION" {
			return // a user's function may take several tables
		}
		f := r.finding("TM613", ofQuery(q.Name), r.locate(s, loss{node: n, keywords: []string{"UNION", "INTERSECT", "EXCEPT", "MINUS"}}))
		f.Summary = fmt.Sprintf("%s gives %s a set operation of %d branches, of which Flink reads only the first", upper(q.words()), call, len(n.inputs))
		f.Operator = call
		prove(&f, call, "syntax tree: inputs", fmt.Sprint(len(n.inputs)))
		r.add(f)
	})
}
