package sqlplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// rowtimeColumn is the system column of every table of Confluent Cloud.
const rowtimeColumn = "$rowtime"

// mark is a part of a statement that only Confluent Cloud has.
type mark struct {
	at   token
	what string // in words, with what it is there
}

// platformMarks finds what open-source Flink does not have. A column that the script itself declares
// as $rowtime is the script's own.
func (r *reader) platformMarks(s *statement) []mark {
	var out []mark
	add := func(t token, format string, args ...any) {
		m := mark{t, fmt.Sprintf(format, args...)}
		if !slices.ContainsFunc(out, func(o mark) bool { return o.what == m.what }) {
			out = append(out, m)
		}
	}
	for i, t := range s.tokens {
		switch {
		case t.isName() && t.value == rowtimeColumn && !r.ownRowtime(s):
			add(t, "$rowtime, its system column with the timestamp of the Kafka record")
		case t.isName() && strings.HasSuffix(t.value, "$late"):
			add(t, "%s, its table of late records", name(t.value))
		case i+1 < len(s.tokens) && s.tokens[i+1].isSymbol("=") && (t.kind == text || s.kind == KindSession):
			key, value := strings.ToLower(t.value), ""
			if i+2 < len(s.tokens) {
				value = strings.ToLower(s.tokens[i+2].value)
			}
			switch {
			case key == "late-handling.mode":
				add(t, "late-handling.mode, its handling of late records at the source")
			case key == "connector" && value == "confluent":
				add(t, "connector 'confluent'")
			case key == "changelog.mode", strings.HasSuffix(key, "format") && strings.HasSuffix(value, "-registry"):
				add(t, "its option %s", name(t.value))
			case strings.HasPrefix(key, "kafka.") && s.kind != KindSession, s.kind == KindSession && (strings.HasPrefix(key, "sql.tables.") || strings.HasPrefix(key, "sql.current-") || key == "sql.state-ttl"):
				add(t, "its setting %s", name(t.value))
			}
		}
	}
	return out
}

// ownRowtime reports a $rowtime that the statement or an earlier table declares as a column.
func (r *reader) ownRowtime(s *statement) bool {
	if s.kind == KindCreateTable {
		own := readTable(*s)
		return own.column(rowtimeColumn) != nil
	}
	return slices.ContainsFunc(r.tables, func(d declared) bool { return d.column(rowtimeColumn) != nil })
}

// ofPlatform reports the statement as Confluent Cloud's.
func (r *reader) ofPlatform(s *statement, marks []mark) {
	var parts []string
	for _, m := range marks {
		parts = append(parts, m.what)
	}
	subject := r.subject(s)
	if target := alterTarget(s); target != "" {
		subject = ofTable(target)
	}
	f := r.finding("TM615", subject, r.at(marks[0].at))
	f.Summary = fmt.Sprintf("%s is written for Confluent Cloud (%s): open-source Flink has none of it", strings.TrimSpace(head(*s)+" "+quotedName(cmp.Or(s.target, alterTarget(s)))), strings.Join(parts, "; "))
	for _, m := range marks {
		prove(&f, f.Subject.Name, fmt.Sprintf("line %d", m.at.line), m.at.value)
	}
	r.add(f)
	r.incomplete("%s in line %d is written for Confluent Cloud, whose watermarks cannot be judged here", head(*s), s.first().line)
	if r.gw != nil {
		r.lose(s, "its statement is written for Confluent Cloud")
		if s.isQuery() {
			r.answer.Queries = append(r.answer.Queries, Query{Kind: s.kind, Name: oneLine(s.queryName()), Location: r.at(s.first()), Status: Skipped, Reason: "it is written for Confluent Cloud"})
		}
	}
}

// topicTable is what an ALTER TABLE of a table that the script does not declare may mean.
func (r *reader) topicTable(s *statement) string {
	if i := find(s.tokens, 0, "WATERMARK"); i > 0 && s.kind == KindAlter {
		return "; Confluent Cloud makes a table of each topic by itself, open-source Flink (1.17 and newer) alters only tables that a catalog has"
	}
	return ""
}
