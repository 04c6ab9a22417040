package sqlplan

import (
	"context"
	"strings"
	"unicode/utf8"
)

// sent is a statement as a gateway gets it, with the way back from its positions to the script's.
type sent struct {
	text   string
	prefix int   // characters before the part that is the script's, on its first line
	origin token // where that part begins
}

// location maps a position in the statement that was sent.
func (r *reader) location(s sent, line, column int) Location {
	if line <= 1 {
		return Location{File: r.file, Line: s.origin.line, Column: s.origin.col + max(column-1-s.prefix, 0)}
	}
	return Location{File: r.file, Line: s.origin.line + line - 1, Column: column}
}

// explaining is EXPLAIN for a query. Of CREATE TABLE AS only the query is explained: older versions
// take no more, and its plan is the same.
func (r *reader) explaining(s *statement) (sent, bool) {
	prefix, from := "EXPLAIN ", s.first()
	switch s.kind {
	case KindSet:
		i := find(s.tokens, 0, "INSERT")
		if i < 0 || !s.tokens[len(s.tokens)-1].is("END") {
			return sent{}, false
		}
		prefix, from = "EXPLAIN STATEMENT SET BEGIN ", s.tokens[i]
	case KindCreateAs:
		from = s.tokens[s.body]
	}
	end := s.tokens[len(s.tokens)-1].stop()
	return sent{prefix + r.script[from.start:end], utf8.RuneCountInString(prefix), from}, true
}

func (r *reader) query(ctx context.Context, s *statement) error {
	q := Query{Kind: s.kind, Name: s.queryName(), Location: r.at(s.first()), Status: Explained}
	q.Name = oneLine(q.Name)
	what, ok := r.explaining(s)
	if !ok {
		f := r.finding("TM612", r.subject(s), r.at(s.first()))
		f.Summary = "The statement set does not parse: it needs an INSERT and ends with END"
		r.add(f)
		q.Status, q.Reason = Refused, "it does not parse"
		r.answer.Queries = append(r.answer.Queries, q)
		return nil
	}
	p, refusal, err := r.explain(ctx, what.text)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		err = r.refusedQuery(ctx, s, &q, what, refusal)
	case p == nil:
		q.Status, q.Reason = Skipped, "EXPLAIN gave no plan that can be read"
		r.incomplete("%s was not checked: %s", q.words(), q.Reason)
	case strings.EqualFold(r.set["execution.runtime-mode"], "batch"):
		q.Reason = "in batch mode watermarks do not apply"
	default:
		err = r.judge(ctx, s, &q, *p)
		r.changes(s, &q, r.changeUses(s), nil)
	}
	if s.kind == KindCreateAs {
		r.absent[last(s.target)] = "CREATE TABLE AS would start a job and was not executed"
	}
	r.answer.Queries = append(r.answer.Queries, q)
	return err
}

// explain asks for a plan; nil, nil, nil where the answer is none.
func (r *reader) explain(ctx context.Context, statement string) (*plan, *Refusal, error) {
	rows, err := r.gw.Run(ctx, statement)
	if err != nil {
		refusal, ok := asRefusal(err)
		if !ok {
			return nil, nil, err
		}
		return nil, refusal, nil
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, nil, nil
	}
	p, ok := readPlan(rows[0][0])
	if !ok {
		return nil, nil, nil
	}
	return &p, nil, nil
}

// executePlan says that the job of a compiled plan was not judged, unless the script compiles it itself.
func (r *reader) executePlan(s *statement) {
	if r.compiled[s.plan] {
		return
	}
	q := Query{Kind: s.kind, Name: oneLine(s.plan), Location: r.at(s.first()), Status: Skipped, Reason: "its plan is not read: check the script that it was compiled from"}
	r.answer.Queries = append(r.answer.Queries, q)
	r.incomplete("EXECUTE PLAN in line %d was not checked: %s", s.first().line, q.Reason)
}
