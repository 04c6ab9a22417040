package sqlplan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"tidemark/analyze/catalog"
)

// epochRead is a number that a computed column reads as time since 1970.
type epochRead struct {
	column string // that holds the number
	digits int    // of a second that one unit of it is taken for: 0 s, 3 ms, 6 us, 9 ns
	call   token
}

// secondsCall represents the number that UNIX_TIMESTAMP gives: seconds.
const secondsCall = "UNIX_TIMESTAMP()"

// unitOfDigits are the units that a policy and the names of columns can say.
var unitOfDigits = map[int]string{0: "s", 3: "ms", 6: "us", 9: "ns"}

// epochOf finds how column col is made of a number; false where it is not, or not in a way that can be read.
func (t *table) epochOf(col string) (epochRead, bool) {
	c := t.column(col)
	if c == nil {
		return epochRead{}, false
	}
	if c.computed == nil {
		return epochRead{}, false
	}
	e := c.computed
	for i := range e {
		if i+1 >= len(e) || !e[i+1].isSymbol("(") {
			continue
		}
		args := elements(e[i+2 : closing(e, i+1)])
		digits := -1
		switch {
		case e[i].is("TO_TIMESTAMP_LTZ") && len(args) == 2 && len(args[1]) == 1:
			if n, err := strconv.Atoi(args[1][0].value); err == nil {
				digits = n
			}
		case e[i].is("FROM_UNIXTIME") && len(args) > 0:
			digits = 0
		}
		if digits < 0 {
			continue
		}
		if from, shift, ok := t.scaled(args[0], 0); ok {
			return epochRead{from, digits + shift, e[i]}, true
		}
	}
	if len(e) == 1 && e[0].isName() && e[0].value != col {
		return t.epochOf(e[0].value)
	}
	return epochRead{}, false
}

// scaled reads a column times or divided by powers of ten: shift is how many digits finer than the
// value the column is, 3 for x / 1000.
func (t *table) scaled(e []token, depth int) (col string, shift int, ok bool) {
	if len(e) == 0 || depth > 20 {
		return "", 0, false
	}
	if e[0].isSymbol("(") && closing(e, 0) == len(e)-1 {
		return t.scaled(e[1:len(e)-1], depth+1)
	}
	if (e[0].is("CAST") || e[0].is("TRY_CAST") || e[0].is("FLOOR")) && len(e) > 2 && e[1].isSymbol("(") && closing(e, 1) == len(e)-1 {
		inner := e[2 : len(e)-1]
		if i := topLevel(inner, 0, "AS"); i >= 0 {
			inner = inner[:i]
		}
		return t.scaled(inner, depth+1)
	}
	if n := len(e); n > 2 && (e[n-2].isSymbol("/") || e[n-2].isSymbol("*")) {
		zeros, isPower := powerOfTen(e[n-1].value)
		col, shift, ok = t.scaled(e[:n-2], depth+1)
		if e[n-2].isSymbol("*") {
			zeros = -zeros
		}
		return col, shift + zeros, ok && isPower
	}
	if e[0].is("UNIX_TIMESTAMP") && len(e) > 2 && e[1].isSymbol("(") && closing(e, 1) == len(e)-1 {
		return secondsCall, 0, true
	}
	path, next := nameAt(e, 0)
	if path == "" || next != len(e) {
		return "", 0, false
	}
	if c := t.column(path); c != nil && c.computed != nil {
		return t.scaled(c.computed, depth+1)
	}
	return path, 0, true
}

func powerOfTen(s string) (zeros int, ok bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	zeros = len(whole) - 1
	return zeros, whole == "1"+strings.Repeat("0", max(zeros, 0)) && strings.Trim(fraction, "0") == ""
}

// nameUnits are the last words of column names that say a unit.
var nameUnits = map[string]int{"s": 0, "sec": 0, "secs": 0, "second": 0, "seconds": 0, "ms": 3, "msec": 3, "milli": 3, "millis": 3, "millisecond": 3, "milliseconds": 3,
	"us": 6, "usec": 6, "micro": 6, "micros": 6, "microsecond": 6, "microseconds": 6, "ns": 9, "nsec": 9, "nano": 9, "nanos": 9, "nanosecond": 9, "nanoseconds": 9}

// unitInName is the unit that a column's name ends in, as digits of a second.
func unitInName(column string) (digits int, ok bool) {
	last := []rune(column[strings.LastIndexAny(column, "._-")+1:])
	for i := len(last) - 1; i > 0; i-- {
		if unicode.IsUpper(last[i]) && unicode.IsLower(last[i-1]) { // tsMillis
			last = last[i:]
			break
		}
	}
	word := strings.ToLower(string(last))
	if len(word) == 1 && len(column) < 3 { // a column s, of anything
		return 0, false
	}
	digits, ok = nameUnits[word]
	return digits, ok
}

// epochUnit notes the unit that the rowtime's number is read in, and reports a name that says another.
func (r *reader) epochUnit(s *Source, t table) {
	read, ok := t.epochOf(s.RowtimeColumn)
	if !ok {
		return
	}
	s.EpochColumn, s.EpochUnit = read.column, unitOfDigits[read.digits]
	named, ok := unitInName(read.column)
	says := "the name says"
	if read.column == secondsCall {
		s.EpochColumn, s.EpochUnit = "", ""
		named, ok, says = 0, true, "it gives"
	}
	if !ok || named == read.digits {
		return
	}
	readAs := unitOfDigits[read.digits]
	if readAs == "" {
		readAs = fmt.Sprintf("10^-%d s", read.digits)
	}
	at := s.Location
	if read.call.line > 0 && s.Location.Line > 0 {
		at = r.at(read.call)
	}
	f := r.finding("TM616", ofTable(s.Table), at)
	if f.Confidence = catalog.Likely; read.column == secondsCall {
		f.Confidence = catalog.Certain
	}
	f.Summary = fmt.Sprintf("Table %s reads %s as %s, and %s %s: event time would be off by a factor of 10^%d", name(s.Table), name(read.column), readAs, says, unitOfDigits[named], max(named-read.digits, read.digits-named))
	prove(&f, s.Table, "column "+read.column, read.call.value+" reads "+readAs)
	r.add(f)
}
