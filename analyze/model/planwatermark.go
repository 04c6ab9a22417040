package model

import (
	"regexp"
	"strconv"
	"strings"

	"tidemark/internal/units"
)

// Declared is a watermark strategy as plan text shows it (WatermarkPushDownSpec#getDigests for a scan, 1.17 to 2.2;
// WatermarkAssigner for an operator, all versions). Times are ms.
type Declared struct {
	Expr       string
	DelayMs    int64 // event time, ms
	DelayKnown bool  // false for a user function
	Source     bool  // SOURCE_WATERMARK(): the connector decides
	IdleMs     int64 // 0 = not set
	IdleKnown  bool  // false where the text does not show it: WatermarkAssigner never does
	OnEvent    bool
	Group      string // alignment group
	DriftMs    int64
	UpdateMs   int64
}

// ParseDeclared reads a TableSourceScan or WatermarkAssigner text; ok is false where it declares none.
func ParseDeclared(text string) (d Declared, ok bool) {
	expr, found := Property(text, "watermark")
	if !found {
		return d, false
	}
	d.Expr = expr
	d.IdleKnown = strings.HasPrefix(text, "TableSourceScan(")
	if strings.EqualFold(strings.TrimSpace(expr), "SOURCE_WATERMARK()") {
		d.Source = true
	} else {
		d.DelayMs, d.DelayKnown = DelayOf(expr)
	}
	if s, found := Property(text, "idletimeout"); found {
		d.IdleMs, _ = strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	}
	if s, found := Property(text, "watermarkEmitStrategy"); found {
		d.OnEvent = strings.EqualFold(s, "on-event")
	}
	if s, found := Property(text, "watermarkAlignment"); found {
		if parts := strings.Split(s, ","); len(parts) == 3 {
			d.Group = strings.TrimSpace(parts[0])
			drift, _ := units.ParseDuration(parts[1]) // Duration#toString
			update, _ := units.ParseDuration(parts[2])
			d.DriftMs, d.UpdateMs = drift.Milliseconds(), update.Milliseconds()
		}
	}
	return d, true
}

var intervalLiteral = regexp.MustCompile(`^(-?\d{1,18}):INTERVAL ([A-Z]+(?:\(\d+\))?(?: TO [A-Z]+)?)(?:\(\d+\))*$`)

// DelayOf is the delay of a watermark expression, ms of event time. The planner writes infix in exec-node texts,
// "(ts - 5000:INTERVAL SECOND)", and prefix inside a scan, "-(ts, 5000:INTERVAL SECOND)"; the number is milliseconds
// whatever unit follows. ok is false for a call of a function.
func DelayOf(expr string) (ms int64, ok bool) {
	return delayOf(strings.TrimSpace(expr), 0)
}

func delayOf(e string, depth int) (int64, bool) {
	if e == "" || depth > 50 {
		return 0, false
	}
	if strings.HasPrefix(e, "(") && closes(e, 0) == len(e)-1 {
		return delayOf(strings.TrimSpace(e[1:len(e)-1]), depth+1)
	}
	for _, sign := range []struct {
		prefix string
		factor int64
	}{{"-(", 1}, {"+(", -1}} {
		if strings.HasPrefix(e, sign.prefix) && closes(e, 1) == len(e)-1 {
			args := splitTop(e[2:len(e)-1], ",")
			if len(args) != 2 {
				return 0, false
			}
			return foldDelay(args[0], args[1], sign.factor, depth)
		}
	}
	if left, right, factor, ok := lastTopOperator(e); ok {
		return foldDelay(left, right, factor, depth)
	}
	return 0, isTimeColumn(e)
}

func foldDelay(left, right string, factor int64, depth int) (int64, bool) {
	m := intervalLiteral.FindStringSubmatch(strings.TrimSpace(right))
	if m == nil || strings.HasPrefix(m[2], "YEAR") || strings.HasPrefix(m[2], "MONTH") {
		return 0, false
	}
	base, ok := delayOf(strings.TrimSpace(left), depth+1)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return base + factor*n, err == nil
}

// lastTopOperator finds the last " - " or " + " outside brackets.
func lastTopOperator(e string) (left, right string, factor int64, ok bool) {
	depth := 0
	for i := 0; i+2 < len(e); i++ {
		switch e[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ' ':
			if depth == 0 && (e[i+1] == '-' || e[i+1] == '+') && e[i+2] == ' ' {
				left, right, ok = e[:i], e[i+3:], true
				factor = 1
				if e[i+1] == '+' {
					factor = -1
				}
			}
		}
	}
	return left, right, factor, ok
}

// closes is the index of the bracket that closes the one at open, -1 where none does.
func closes(e string, open int) int {
	depth := 0
	for i := open; i < len(e); i++ {
		switch e[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

var (
	column    = regexp.MustCompile("^[`\\p{L}_$][`\\p{L}\\p{N}_$. ]*$")
	timeCalls = regexp.MustCompile(`^(TO_TIMESTAMP_LTZ|TO_TIMESTAMP|CAST|Reinterpret|REINTERPRET)\(`)
)

// isTimeColumn accepts a column, or a conversion that only builds a timestamp from one.
func isTimeColumn(e string) bool {
	return column.MatchString(e) || timeCalls.MatchString(e)
}
