package sqlplan

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
)

const (
	earlyFire = "table.exec.emit.early-fire"
	lateFire  = "table.exec.emit.late-fire"
	lateness  = "table.exec.emit.allow-lateness"
)

// emits judges early and late firing by the text alone: what is set when a query stands in the script, which
// windows it has, and what its sink takes. Where the query is planned Flink tells.
func (r *reader) emits(s *statement) {
	fires := ""
	for _, key := range []string{earlyFire, lateFire} {
		if strings.EqualFold(r.set[key+".enabled"], "true") && fires == "" {
			fires = key
		}
	}
	if fires == "" {
		return
	}
	group, function := false, false
	for _, from := range append(r.viewsOf(s), s) {
		t := from.tokens[max(from.body, 0):]
		for i := range t {
			_, tvf := asksInserts(t, i)
			function = function || tvf
			group = group || !tvf && i+1 < len(t) && isWindow(t[i]) && t[i+1].isSymbol("(")
		}
	}
	why := ""
	switch sink := r.declaredAs(s.target); {
	case function && !group:
		why = "works with group windows only, and this is a window table function"
	case !group:
		return
	case r.set[fires+".delay"] == "":
		why = "needs " + fires + ".delay"
	case strings.EqualFold(r.set[lateFire+".enabled"], "true") && r.set[lateness] == "":
		why = "needs " + lateness + ", which says how long a window is kept for late rows"
	case sink != nil && r.insertsOnly(*sink):
		why = "sends a result again when it changes, and sink " + name(sink.name) + " takes only rows that are inserted"
	default:
		return
	}
	f := r.finding("TM621", r.subject(s), r.at(s.first()))
	f.Confidence = catalog.Likely
	f.Summary = fmt.Sprintf("%s is on; it %s: Flink refuses the query", fires+".enabled", why)
	prove(&f, f.Subject.Name, fires+".enabled", r.set[fires+".enabled"])
	r.add(f)
}

// insertsOnly reports a sink of Flink's own connectors that takes no updates.
func (r *reader) insertsOnly(d declared) bool {
	t := r.resolved(d.table, 0)
	switch t.options["connector"].value {
	case "kafka":
		return t.changelog() == ""
	case "filesystem", "kinesis", "firehose", "pulsar":
		return true
	}
	return false
}
