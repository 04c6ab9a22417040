package sqlplan

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// changelogFormats are the formats whose records are changes of rows, by the beginning of their names.
var changelogFormats = []string{"debezium-", "canal-", "maxwell-", "ogg-"}

// changelog says what makes a table a stream of updates, "" where its rows are only inserted as far as
// its options tell.
func (t table) changelog() string {
	connector := t.options["connector"].value
	if strings.EqualFold(t.options["scan.read-changelog-as-append-only.enabled"].value, "true") {
		return ""
	}
	if strings.HasSuffix(connector, "-cdc") || connector == "upsert-kafka" {
		return "connector " + name(connector)
	}
	for _, key := range []string{"format", "value.format"} {
		format := t.options[key].value
		if slices.ContainsFunc(changelogFormats, func(p string) bool { return strings.HasPrefix(format, p) }) {
			return "format " + name(format)
		}
	}
	return ""
}

// changeUse is an event-time operator of a statement that reads a changelog.
type changeUse struct {
	table, source string // source: what makes it one
	at            token
	what          string
	window        bool   // a window table function
	inserts       string // what is behind that window and takes no updates in any version, "" for an aggregation
}

// carrier is a table of the script, or a view over one, whose rows are changes.
type carrier struct{ name, table, source string }

// carriers are the changelog tables of the script and the views that pass their changes on.
func (r *reader) carriers(views []*statement) (out []carrier) {
	for _, d := range r.tables {
		if source := r.resolved(d.table, 0).changelog(); source != "" {
			out = append(out, carrier{last(d.name), d.name, source})
		}
	}
	for _, v := range views {
		t := v.tokens[max(v.body, 0):]
		for _, c := range out {
			if reads(t, c.name) && !slices.ContainsFunc(t, isWindow) {
				out = append(out, carrier{last(v.target), c.table, c.source})
				break
			}
		}
	}
	return out
}

// changeUses finds in the text of a query, and of the views that it uses, where changes of rows meet an
// operator that is made for inserts.
func (r *reader) changeUses(s *statement) (out []changeUse) {
	views := r.viewsOf(s)
	carriers := r.carriers(views)
	for _, from := range append(views, s) {
		t := from.tokens[max(from.body, 0):]
		for _, c := range carriers {
			if !reads(t, c.name) {
				continue
			}
			for i := range t {
				what, window := asksInserts(t, i)
				if what != "" && (!window || windowOver(t, i, c.name) || !r.windowNames(t, i)) {
					out = append(out, changeUse{c.table, c.source, t[i], what, window, behindWindow(t)})
				}
			}
		}
	}
	return out
}

// reads reports a table's name behind FROM, JOIN, TABLE or a comma. The versions of a temporal join are no
// read: what comes out of it are the rows of its other side.
func reads(t []token, table string) bool {
	for i := range t {
		if t[i].isName() && t[i].value == table && i > 0 && !words(t[i+1:], "FOR", "SYSTEM_TIME") && (t[i-1].is("FROM") || t[i-1].is("JOIN") || t[i-1].is("TABLE") || t[i-1].isSymbol(".") || t[i-1].isSymbol(",")) {
			return true
		}
	}
	return false
}

// asksInserts names the operator that token i begins.
func asksInserts(t []token, i int) (what string, window bool) {
	switch {
	case i+2 < len(t) && t[i+1].isSymbol("(") && isWindow(t[i]) && find(t[i+2:min(i+6, len(t))], 0, "TABLE") >= 0:
		return "the window table function " + strings.ToUpper(t[i].value), true
	case t[i].is("OVER") && i+1 < len(t) && !ranks(t, i):
		return "OVER", false
	case t[i].is("MATCH_RECOGNIZE"):
		return "MATCH_RECOGNIZE", false
	case t[i].is("BETWEEN") && find(t, 0, "JOIN") >= 0 && find(t[i:min(i+16, len(t))], 0, "INTERVAL") > 0:
		return "the interval join", false
	case comparesTimes(t, i):
		return "the interval join", false
	}
	return "", false
}

// comparesTimes reports a.ts >= b.ts - INTERVAL … at its first comparison of the text.
func comparesTimes(t []token, i int) bool {
	at := func(i int) bool {
		if i < 3 || !(t[i].isSymbol("<") || t[i].isSymbol(">")) || !t[i-2].isSymbol(".") {
			return false
		}
		k := i + 1
		if k < len(t) && t[k].isSymbol("=") {
			k++
		}
		return k+4 < len(t) && t[k].isName() && t[k].value != t[i-3].value && t[k+1].isSymbol(".") && (t[k+3].isSymbol("-") || t[k+3].isSymbol("+")) && t[k+4].is("INTERVAL")
	}
	if !at(i) {
		return false
	}
	for before := range i {
		if at(before) {
			return false
		}
	}
	return true
}

// isWindow reports the name of a window function.
func isWindow(t token) bool {
	return t.is("TUMBLE") || t.is("HOP") || t.is("CUMULATE") || t.is("SESSION")
}

// ranks reports the OVER of ROW_NUMBER, RANK and DENSE_RANK, which is a Top-N and takes updates.
func ranks(t []token, over int) bool {
	for i := over - 1; i >= 0 && i >= over-4; i-- {
		if t[i].is("ROW_NUMBER") || t[i].is("RANK") || t[i].is("DENSE_RANK") {
			return true
		}
	}
	return false
}

// windowOver reports that the window function at token i is over this table.
func windowOver(t []token, i int, table string) bool {
	return reads(t[i:closing(t, i+1)+1], table)
}

// windowNames reports that the window function at token i is over a table or view that the script declares.
func (r *reader) windowNames(t []token, i int) bool {
	for view := range r.views {
		if windowOver(t, i, view) {
			return true
		}
	}
	return slices.ContainsFunc(r.tables, func(d declared) bool { return windowOver(t, i, last(d.name)) })
}

// insertOnly are the operators behind a window function that take no updates in any version to 2.3, by the
// planner's name.
var insertOnly = map[string]string{"WindowRank": "a window Top-N", "WindowDeduplicate": "a window deduplication", "WindowJoin": "a window join"}

// behindWindow names what the text puts behind the window functions of a query, where that takes no updates.
func behindWindow(t []token) string {
	windows := 0
	for i := range t {
		if _, window := asksInserts(t, i); window {
			windows++
		}
		if t[i].is("OVER") && ranks(t, i) {
			end := closing(t, min(i+1, len(t)-1))
			if find(t[i:min(end+1, len(t))], 0, "window_end") > 0 {
				return "a window Top-N or deduplication"
			}
		}
	}
	if windows > 1 && find(t, 0, "JOIN") > 0 && find(t, find(t, 0, "JOIN"), "window_end") > 0 {
		return "a window join"
	}
	return ""
}

// changes reports the changelogs before event-time operators of a query. refusal is what Flink said,
// nil where it did not refuse.
func (r *reader) changes(s *statement, q *Query, uses []changeUse, refusal *Refusal) {
	for _, u := range uses {
		if r.said(fmt.Sprint("TM618 ", u.table, u.at.start)) {
			continue
		}
		f := r.finding("TM618", ofQuery(s.queryName()), r.at(u.at))
		does := "its updates of rows that are behind the watermark are dropped"
		switch {
		case refusal != nil:
			f.Severity, does = catalog.Critical, "Flink "+r.answer.FlinkVersion+" refuses that"
			consumer, _ := refusal.producer()
			switch insertsOnly := insertOnly[consumer]; {
			case insertsOnly != "":
				does = insertsOnly + " behind it takes only inserted rows: Flink " + r.answer.FlinkVersion + " refuses that, and so do all versions to 2.3"
			case u.window && !model.ParseVersion(r.answer.FlinkVersion).AtLeast(1, 19, 0):
				does += "; 1.19 and newer take updates there"
			}
			refused(&f, q.Name, refusal)
		case q.planned():
		case u.window && u.inserts != "":
			f.Confidence, does = catalog.Likely, u.inserts+" behind it takes only inserted rows: Flink refuses updates there"
		case u.window:
			f.Confidence, does = catalog.Likely, "Flink refuses that to 1.18; from 1.19 on "+does
		default:
			f.Confidence, does = catalog.Likely, "which takes rows that are only inserted: Flink refuses updates there"
		}
		f.Summary = fmt.Sprintf("Table %s sends updates and deletes (%s), and %s reads it: %s", name(u.table), u.source, u.what, does)
		prove(&f, u.table, "changelog", u.source)
		r.add(f)
	}
}
