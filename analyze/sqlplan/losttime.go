package sqlplan

import (
	"context"
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// lostTime handles a refused query that asks for a time attribute where there is none. The innermost
// query that is refused alike holds the event-time operator; the plan of its input, which is accepted,
// shows who took the attribute.
func (r *reader) lostTime(ctx context.Context, s *statement, q *Query, refusal *Refusal) error {
	left := mostProbes
	culprit, err := r.culprit(ctx, s, &left)
	if err != nil {
		return err
	}
	for _, pr := range probes(culprit, r.script) {
		if left--; left < 0 {
			break
		}
		p, _, err := r.explain(ctx, "EXPLAIN "+pr.text)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		if l, ok := topLoss(*p, pr.column); ok {
			consumer := "an event-time operator"
			if pr.column != "" {
				consumer = "an event-time operator on " + name(pr.column)
			}
			r.lossRefused(s, q, l, consumer, refusal)
			return nil
		}
		if err := r.scans(ctx, q, *p); err != nil {
			return err
		}
		if r.columnAtFault(q, *p, pr) || r.tracedLoss(s, q, *p, pr, culprit, refusal) {
			return nil
		}
	}
	f := r.finding("TM601", ofQuery(q.Name), q.Location)
	f.Severity, f.Confidence = catalog.Critical, catalog.Likely
	f.Summary = fmt.Sprintf("Flink refuses %s, which needs a time attribute where there is none: %s", q.words(), refusal.reason())
	refused(&f, q.Name, refusal)
	r.add(f)
	return nil
}

// culprit is the innermost query, of the statement and the views it uses, that is refused for lack of
// a time attribute.
func (r *reader) culprit(ctx context.Context, s *statement, left *int) (block, error) {
	var candidates []block
	for _, v := range r.viewsOf(s) {
		candidates = append(candidates, blocks(v)...)
	}
	own := blocks(s)
	candidates = append(candidates, own...)
	for i, b := range candidates {
		if i == len(candidates)-1 || *left <= 0 {
			break
		}
		*left--
		_, refusal, err := r.explain(ctx, "EXPLAIN "+b.text(r.script))
		if err != nil {
			return block{}, err
		}
		if refusal != nil && refusal.kind() == refusedTime {
			return b, nil
		}
	}
	return own[len(own)-1], nil
}

// viewsOf lists the script's views that a statement uses, each behind those that it uses itself.
func (r *reader) viewsOf(s *statement) (out []*statement) {
	var visit func(s *statement)
	visit = func(s *statement) {
		for _, t := range s.tokens[max(s.body, 0):] {
			if v := r.views[t.value]; t.isName() && v != nil && v != s && v.first().start < s.first().start && !slices.Contains(out, v) {
				visit(v)
				out = append(out, v)
			}
		}
	}
	visit(s)
	return out
}

// columnAtFault reports tables without WATERMARK, or with one on another column than is asked for.
func (r *reader) columnAtFault(q *Query, p plan, pr probe) bool {
	done := false
	p.each(func(n *node) {
		path, ok := scanned(n)
		if !ok || done {
			return
		}
		c := r.byPath[path]
		switch {
		case !c.watermark && (pr.column == "" || c.table.column(pr.column) != nil || len(c.table.columns) == 0):
			r.noWatermark(q, c, q.words()+" needs its event time", catalog.Critical)
			done = true
		case c.watermark && pr.column != "" && c.table.watermark != nil && c.table.watermark.column != pr.column && c.table.column(pr.column) != nil:
			r.otherColumn(q, c, pr)
			done = true
		}
	})
	return done
}

// locate finds where in the script a loss is written: the first of its keywords in the views that a
// statement uses, or in the statement; else the statement itself.
func (r *reader) locate(s *statement, l loss) Location {
	for _, from := range append(r.viewsOf(s), s) {
		for _, k := range l.keywords {
			for i := max(from.body, 0); i < len(from.tokens); i++ {
				if !from.tokens[i].is(k) || k == "UNION" && i+1 < len(from.tokens) && from.tokens[i+1].is("ALL") && l.how == lost && l.node.kind == model.KindAggregate {
					continue
				}
				return r.at(from.tokens[i])
			}
		}
	}
	return r.at(s.first())
}
