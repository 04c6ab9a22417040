package sqlplan

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tidemark/analyze/catalog"
	_ "tidemark/analyze/checks" // puts the checks of jobs into the catalogue: some of their codes stand here as well
)

func (r *reader) finish() Answer {
	r.declarations()
	a := r.answer
	for i := range a.Sources {
		for _, foreign := range []*string{&a.Sources[i].Table, &a.Sources[i].Topic, &a.Sources[i].Connector, &a.Sources[i].RowtimeColumn, &a.Sources[i].RowtimeType, &a.Sources[i].WatermarkExpr, &a.Sources[i].AlignGroup} {
			*foreign = oneLine(*foreign)
		}
	}
	sort.SliceStable(a.Findings, func(i, k int) bool {
		x, y := a.Findings[i], a.Findings[k]
		if x.Location.Line != y.Location.Line {
			return x.Location.Line < y.Location.Line
		}
		if x.Location.Column != y.Location.Column {
			return x.Location.Column < y.Location.Column
		}
		return x.Code < y.Code
	})
	if r.gw == nil && len(a.Queries) > 0 {
		a.Incomplete = append(a.Incomplete, fmt.Sprintf("the %s (%s) %s not planned, which needs a SQL gateway (--sql-gateway URL): whether Flink takes %s, whether windows and joins get event time, and what is held back is not known; only the text was read",
			counted(len(a.Queries), "query", "queries"), linesOf(a.Queries), map[bool]string{true: "was", false: "were"}[len(a.Queries) == 1], map[bool]string{true: "it", false: "them"}[len(a.Queries) == 1]))
	}
	return a
}

// linesOf names the first lines of queries, at most five.
func linesOf(queries []Query) string {
	var lines []string
	for i, q := range queries {
		if i == 5 {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, strconv.Itoa(q.Location.Line))
	}
	return map[bool]string{true: "line ", false: "lines "}[len(queries) == 1] + strings.Join(lines, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (r *reader) incomplete(format string, args ...any) {
	if why := fmt.Sprintf(format, args...); !slices.Contains(r.answer.Incomplete, why) {
		r.answer.Incomplete = append(r.answer.Incomplete, why)
	}
}

// at is the place of a token.
func (r *reader) at(t token) Location { return Location{File: r.file, Line: t.line, Column: t.col} }

func (r *reader) subject(s *statement) catalog.Subject {
	switch {
	case s.isQuery():
		return ofQuery(s.queryName())
	case s.target != "":
		return ofTable(s.target)
	}
	return ofQuery(r.file)
}

func ofQuery(name string) catalog.Subject { return catalog.Subject{Kind: "query", Name: oneLine(name)} }

func ofTable(name string) catalog.Subject { return catalog.Subject{Kind: "table", Name: oneLine(name)} }

// finding starts a finding of a check with the check's own words.
func (r *reader) finding(code string, subject catalog.Subject, at Location) catalog.Finding {
	f := catalog.NewFinding(code, nil)
	f.Subject, f.Location = subject, at
	f.Fix.DataStream = "" // a script is SQL
	return f
}

func (r *reader) add(f catalog.Finding) { r.answer.Findings = append(r.answer.Findings, f) }

func prove(f *catalog.Finding, subject, metric, value string) {
	f.Prove(nil, oneLine(subject), metric, cut(oneLine(value), 200))
}

// said reports whether something was reported before; from now on it was.
func (r *reader) said(key string) bool {
	before := r.reported[key]
	r.reported[key] = true
	return before
}

// refused proves a finding by what Flink said.
func refused(f *catalog.Finding, subject string, r *Refusal) {
	prove(f, subject, "refused: "+r.deepest().Class, r.reason())
}
