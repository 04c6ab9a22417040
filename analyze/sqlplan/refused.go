package sqlplan

import (
	"context"
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// mostProbes bounds the statements that are explained to find what a refused one suffers from.
const mostProbes = 60

// refusedDefinition reports CREATE, SET, … that Flink does not accept.
func (r *reader) refusedDefinition(s *statement, a action, refusal *Refusal) {
	origin := sent{text: a.send, prefix: a.shift, origin: s.first()}
	at := r.at(s.first())
	if line, col, ok := refusal.position(); ok {
		at = r.location(origin, line, col)
	}
	if words(s.tokens, "CREATE", "CATALOG") && refusal.kind() == refusedMissing {
		r.follow(*s)
		r.gone[s.target] = true
		r.incomplete("%s was not created: the gateway lacks its jar (put it into the gateway's lib, or ADD JAR before): %s", r.catalogWords(s.target), refusal.reason())
		return
	}
	what := head(*s)
	if s.target != "" {
		what += " " + name(s.target)
	}
	if r.withoutCatalog(s, what, refusal) {
		return
	}
	switch kind := refusal.kind(); kind {
	case refusedPrecision:
		if d := r.declaredAs(s.target); d != nil && d.watermark != nil {
			r.precision(d.name, r.at(d.watermark.col), d.watermark.column, typeIn(d.table, d.watermark.column), refusal)
			return
		}
		r.addRefused(s, r.subject(s), at, what, refusal)
	case refusedText:
		r.addUnparsed(r.subject(s), at, what, refusal)
	case refusedMissing:
		r.incomplete("%s was not %s: the gateway lacks a jar that the script needs: %s", what, done(s), refusal.reason())
	case refusedObject:
		if why, ok := r.absent[refusal.object()]; ok && refusal.object() != last(s.target) {
			r.incomplete("%s was not %s: it uses %s: %s", what, done(s), name(refusal.object()), why)
			return
		}
		r.addRefused(s, r.subject(s), at, what, refusal)
	default:
		r.addRefused(s, r.subject(s), at, what, refusal)
	}
}

// done is the participle of what a definition does.
func done(s *statement) string {
	if s.tokens[0].is("CREATE") {
		return "created"
	}
	return "executed"
}

func (r *reader) declaredAs(target string) *declared {
	for i := range r.tables {
		if r.tables[i].name == target {
			return &r.tables[i]
		}
	}
	return nil
}

func (r *reader) addUnparsed(subject catalog.Subject, at Location, what string, refusal *Refusal) {
	f := r.finding("TM612", subject, at)
	f.Summary = fmt.Sprintf("%s does not parse: %s", what, cut(refusal.reason(), 120))
	if strings.HasPrefix(what, "SET ") {
		f.Summary = what + " does not parse: a value with a blank needs quotes, and so does its key"
		f.Fix = catalog.Fix{Text: "Put both into quotes.", SQL: "SET 'table.exec.emit.late-fire.delay' = '10 s';"}
	}
	refused(&f, subject.Name, refusal)
	r.add(f)
}

// refusedQuery finds out why Flink refuses a query.
func (r *reader) refusedQuery(ctx context.Context, s *statement, q *Query, what sent, refusal *Refusal) error {
	q.Status, q.Reason = Refused, refusal.reason()
	at := q.Location
	if line, col, ok := refusal.position(); ok {
		at = r.location(what, line, col)
	}
	subject := ofQuery(q.Name)
	query := q.words()
	if r.withoutCatalog(s, query, refusal) {
		q.Status = Skipped
		return nil
	}
	switch refusal.kind() {
	case refusedTime:
		return r.lostTime(ctx, s, q, refusal)
	case refusedUpdates:
		consumer, producer := refusal.producer()
		n := &node{text: producer, kind: model.KindOf(producer)}
		l, ok := lossOf(n)
		if !ok && n.kind == model.KindDeduplicate { // to 2.0 the first row by event time is an update, too
			l, ok = loss{n, updates, "a deduplication", []string{"ROW_NUMBER"}}, true
		}
		if ok {
			r.lossRefused(s, q, l, consumer, refusal)
			return nil
		}
		if uses := r.changeUses(s); len(uses) > 0 {
			r.changes(s, q, uses, refusal)
			return nil
		}
		r.addRefused(s, subject, at, query, refusal)
	case refusedText:
		r.addUnparsed(subject, at, upper(q.words()), refusal)
	case refusedMissing:
		q.Status = Skipped
		r.changes(s, q, r.changeUses(s), nil)
		r.emits(s)
		r.incomplete("%s was not checked: the gateway lacks a jar that it needs: %s", query, refusal.reason())
	case refusedObject:
		if why, ok := r.absent[refusal.object()]; ok {
			q.Status, q.Reason = Skipped, fmt.Sprintf("it uses %s: %s", name(refusal.object()), why)
			r.incomplete("%s was not checked: %s", query, q.Reason)
			return nil
		}
		r.addRefused(s, subject, at, query, refusal)
	default:
		if known, ok := refusal.remedy(); ok && known.code == "TM619" && r.misaligned() {
			return nil // said of the table
		}
		r.addRefused(s, subject, at, query, refusal)
	}
	return nil
}

// lossRefused reports a refused query whose loss is known.
func (r *reader) lossRefused(s *statement, q *Query, l loss, consumer string, refusal *Refusal) {
	code, does := "TM601", "drops the time attribute"
	if l.how == updates {
		code, does = "TM606", "takes rows back later"
	}
	f := r.finding(code, ofQuery(q.Name), r.locate(s, l))
	f.Severity = catalog.Critical
	f.Summary = fmt.Sprintf("Flink refuses %s: %s (%s) stands before %s and %s", q.words(), l.what, l.node.name(), consumer, does)
	f.Operator = l.node.name()
	prove(&f, l.node.name(), "plan", l.node.text)
	refused(&f, q.Name, refusal)
	r.add(f)
}
