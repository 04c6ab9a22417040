package sqlplan

import (
	"regexp"
	"strconv"
	"strings"
)

// readType reads a data type as Flink's DESCRIBE writes it, TIMESTAMP_LTZ(3), and gives what follows.
func readType(t []token) (string, []token) {
	if len(t) == 0 {
		return "", t
	}
	var b strings.Builder
	b.WriteString(strings.ToUpper(t[0].value))
	i := 1
	switch {
	case i < len(t) && t[i].isSymbol("<"):
		depth := 0
		for ; i < len(t); i++ {
			b.WriteString(t[i].value)
			if t[i].isSymbol("<") {
				depth++
			} else if t[i].isSymbol(">") {
				if depth--; depth == 0 {
					i++
					break
				}
			} else if i+1 < len(t) && t[i].isName() && t[i+1].isName() {
				b.WriteByte(' ')
			}
		}
	case i < len(t) && t[i].isSymbol("("):
		end := closing(t, i)
		for ; i <= end && i < len(t); i++ {
			b.WriteString(t[i].value)
		}
	}
	rest := t[min(i, len(t)):]
	out := b.String()
	switch {
	case words(rest, "WITH", "LOCAL", "TIME", "ZONE"):
		out, rest = strings.Replace(out, "TIMESTAMP", "TIMESTAMP_LTZ", 1), rest[4:]
	case words(rest, "WITHOUT", "TIME", "ZONE"):
		rest = rest[3:]
	case words(rest, "WITH", "TIME", "ZONE"):
		out, rest = strings.Replace(out, "TIMESTAMP", "TIMESTAMP_TZ", 1), rest[3:]
	}
	return out, rest
}

// typeOf is the type of a computed column whose outermost call fixes it; "" where only Flink can tell.
func (t *table) typeOf(e []token) string {
	switch {
	case len(e) == 1 && e[0].isName():
		if c := t.column(e[0].value); c != nil && c.typ != "" {
			return c.typ
		}
		if e[0].is("CURRENT_TIMESTAMP") {
			return "TIMESTAMP_LTZ(3)"
		}
		if e[0].is("LOCALTIMESTAMP") {
			return "TIMESTAMP(3)"
		}
	case len(e) > 2 && e[1].isSymbol("(") && closing(e, 1) == len(e)-1:
		switch strings.ToUpper(e[0].value) {
		case "TO_TIMESTAMP_LTZ", "CURRENT_ROW_TIMESTAMP":
			return "TIMESTAMP_LTZ(3)"
		case "TO_TIMESTAMP":
			return "TIMESTAMP(3)"
		case "PROCTIME":
			return "TIMESTAMP_LTZ(3) *PROCTIME*"
		case "CAST", "TRY_CAST":
			if i := topLevel(e[2:len(e)-1], 0, "AS"); i >= 0 {
				typ, _ := readType(e[2 : len(e)-1][i+1:])
				return typ
			}
		}
	}
	return ""
}

var timestampType = regexp.MustCompile(`^TIMESTAMP(_LTZ)?(?:\((\d)\))?$`)

// Timestamp is what a column's type says about event time.
type Timestamp struct {
	Zoned     bool // TIMESTAMP_LTZ: a point in time. TIMESTAMP is a reading of a clock somewhere
	Precision int  // digits of a second, 0 to 9; 6 where the type does not say
}

// ParseTimestamp reads a type as DESCRIBE or DDL writes it, with or without *ROWTIME* and NOT NULL;
// ok is false for other types.
func ParseTimestamp(typ string) (ts Timestamp, ok bool) {
	typ = strings.TrimSpace(strings.NewReplacer("*ROWTIME*", "", "*PROCTIME*", "", "NOT NULL", "").Replace(strings.ToUpper(typ)))
	m := timestampType.FindStringSubmatch(typ)
	if m == nil {
		return ts, false
	}
	ts.Zoned, ts.Precision = m[1] != "", 6
	if m[2] != "" {
		ts.Precision, _ = strconv.Atoi(m[2])
	}
	return ts, true
}
