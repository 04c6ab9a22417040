package sqlplan

import (
	"fmt"
	"regexp"
	"strings"

	"tidemark/analyze/catalog"
)

var madeRowtime = regexp.MustCompile(`CAST\((PROCTIME\(\)|[^()]+) AS (TIMESTAMP\w*)\(\d\) \*ROWTIME\*\) AS ([^,\]]+)`)

// mixedBranches reports branches of UNION ALL whose time attribute is cast into that of another.
func (r *reader) mixedBranches(s *statement, q *Query, p plan) {
	p.each(func(n *node) {
		m := madeRowtime.FindStringSubmatch(n.text)
		if m == nil || n.name() != "Calc" {
			return
		}
		var table string
		for _, in := range sourcesOf(n) {
			if path, ok := scanned(in); ok {
				table = r.tableName(path)
			}
		}
		if r.said("TM620 " + table + m[3]) {
			return
		}
		f := r.finding("TM620", ofQuery(q.Name), r.locate(s, loss{node: n, keywords: []string{"UNION"}}))
		f.Summary = fmt.Sprintf("%s joins PROCTIME() of table %s with event time in column %s of UNION ALL: the branch emits no watermark, so event time never starts behind it", upper(q.words()), name(table), name(m[3]))
		if m[1] != "PROCTIME()" {
			f.Severity, f.Confidence = catalog.Warning, catalog.Likely
			f.Summary = fmt.Sprintf("%s makes a %s of column %s of table %s in UNION ALL: rows shift by the offset of the session's time zone, and the watermark of that table does not", upper(q.words()), m[2], name(m[1]), name(table))
			if zone := r.set["table.local-time-zone"]; zone == "UTC" {
				f.Severity = catalog.Info
				f.Summary += "; the session is in UTC, where both are the same"
			}
		} else {
			r.reported["TM605 "+table] = true // it has no WATERMARK because it is meant to have none
		}
		f.Operator = n.name()
		prove(&f, table, "plan", n.text)
		r.add(f)
	})
}

// mixedJoin reports a join on a time range between PROCTIME() and event time.
func (r *reader) mixedJoin(s *statement, q *Query, n *node, compared []attribute) bool {
	var row, proc *attribute
	for i := range compared {
		switch a := &compared[i]; a.kind {
		case rowtime:
			row = a
		case processing:
			proc = a
		}
	}
	if row == nil || proc == nil {
		return false
	}
	f := r.finding("TM620", ofQuery(q.Name), r.locate(s, loss{node: n, keywords: []string{"BETWEEN", "JOIN"}}))
	f.Severity = catalog.Warning
	f.Summary = fmt.Sprintf("%s joins event time %s with PROCTIME() %s on a time range: it is planned as a regular join, which ignores watermarks and keeps every row", upper(q.words()), r.attributeName(row), r.attributeName(proc))
	f.Operator = n.name()
	prove(&f, n.name(), "plan", n.text)
	r.add(f)
	return true
}

// attributeName is a column with its table, as far as it is known.
func (r *reader) attributeName(a *attribute) string {
	return strings.TrimSpace(name(a.column) + map[bool]string{true: " of table " + name(r.tableName(a.table))}[a.table != ""])
}
