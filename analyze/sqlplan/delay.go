package sqlplan

import (
	"math"
	"strconv"
	"strings"
)

// delayOf folds a WATERMARK expression of a script, "ts - INTERVAL '5' SECOND", to its delay in ms
// of event time; ok is false where a function decides. The planner's notation is analyze.DelayOf's.
func delayOf(e []token) (ms int64, ok bool) { return foldDelay(e, 0) }

func foldDelay(e []token, depth int) (int64, bool) {
	if len(e) == 0 || depth > 50 {
		return 0, false
	}
	if e[0].isSymbol("(") && closing(e, 0) == len(e)-1 {
		return foldDelay(e[1:len(e)-1], depth+1)
	}
	for i, level := len(e)-1, 0; i > 0; i-- {
		switch {
		case e[i].isSymbol(")"):
			level++
		case e[i].isSymbol("("):
			level--
		case level == 0 && (e[i].isSymbol("-") || e[i].isSymbol("+")) && !e[i-1].is("INTERVAL"):
			n, ok := interval(e[i+1:])
			if !ok {
				return 0, false
			}
			base, ok := foldDelay(e[:i], depth+1)
			if e[i].isSymbol("+") {
				n = -n
			}
			return base + n, ok
		}
	}
	if _, next := nameAt(e, 0); next == len(e) {
		return 0, true
	}
	call := e[0].kind == word && len(e) > 2 && e[1].isSymbol("(") && closing(e, 1) == len(e)-1
	switch strings.ToUpper(e[0].value) {
	case "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP", "CAST", "TRY_CAST":
		return 0, call
	}
	return 0, false
}

// interval reads INTERVAL '5' SECOND or INTERVAL '1:30' MINUTE TO SECOND in ms. Months and years
// have no length.
func interval(e []token) (ms int64, ok bool) {
	for len(e) > 1 && e[0].isSymbol("(") && closing(e, 0) == len(e)-1 {
		e = e[1 : len(e)-1]
	}
	if len(e) < 3 || !e[0].is("INTERVAL") {
		return 0, false
	}
	e = e[1:]
	sign := int64(1)
	if e[0].isSymbol("-") && len(e) > 2 {
		sign, e = -1, e[1:]
	}
	if e[0].kind != text {
		return 0, false
	}
	literal := strings.TrimSpace(e[0].value)
	if rest, negative := strings.CutPrefix(literal, "-"); negative {
		sign, literal = -sign, rest
	}
	var units []string
	for _, t := range e[1:] {
		if t.kind == word && !t.is("TO") {
			units = append(units, strings.TrimSuffix(strings.ToUpper(t.value), "S"))
		}
	}
	if len(units) == 0 || len(units) > 2 {
		return 0, false
	}
	ms, ok = clock(literal, units[0], units[len(units)-1])
	return sign * ms, ok
}

var unitMs = map[string]int64{"WEEK": 7 * 86_400_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1000, "MILLISECOND": 1}

// clock reads "90", "1.5", "01:30", "1 02:03:04.5" whose first part has the unit from and whose last
// the unit to.
func clock(literal, from, to string) (int64, bool) {
	order := []string{"DAY", "HOUR", "MINUTE", "SECOND"}
	parts := strings.FieldsFunc(literal, func(r rune) bool { return r == ':' || r == ' ' })
	var units []string
	if from == to {
		units = []string{from}
	} else {
		on := false
		for _, u := range order {
			on = on || u == from
			if on {
				units = append(units, u)
			}
			if u == to {
				break
			}
		}
	}
	if len(parts) != len(units) {
		return 0, false
	}
	total := 0.0
	for i, p := range parts {
		unit, known := unitMs[units[i]]
		x, err := strconv.ParseFloat(p, 64)
		if !known || err != nil || x < 0 {
			return 0, false
		}
		total += x * float64(unit)
	}
	if total > math.MaxInt64/4 || math.IsNaN(total) {
		return 0, false
	}
	return int64(math.Round(total)), true
}
