// Package eventtime reads event times as people write them: numbers in s, ms, us or ns, and text
// with or without a zone. Results are epoch milliseconds, rounded towards the past.
package eventtime

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Unit of a number.
type Unit string

// Auto decides by magnitude: 1e9 is seconds of recent years, 1e12 ms, 1e15 us, 1e18 ns.
const (
	Auto   Unit = ""
	Second Unit = "s"
	Milli  Unit = "ms"
	Micro  Unit = "us"
	Nano   Unit = "ns"
)

// ParseUnit reads a unit; "auto" and "" are Auto.
func ParseUnit(s string) (Unit, error) {
	switch u := Unit(strings.ToLower(s)); u {
	case Auto, "auto":
		return Auto, nil
	case Second, Milli, Micro, Nano:
		return u, nil
	case "µs":
		return Micro, nil
	}
	return Auto, fmt.Errorf("unit %q is none of auto, s, ms, us, ns", s)
}

// Guess is the unit that a number's size suggests. Below 1e8 there is none: Auto.
func Guess(v float64) Unit {
	switch a := math.Abs(v); {
	case a < 1e8:
		return Auto
	case a < 1e11:
		return Second
	case a < 1e14:
		return Milli
	case a < 1e17:
		return Micro
	}
	return Nano
}

// Millis converts a whole number. Auto reads a number without a suggested unit as ms.
func Millis(v int64, u Unit) (ms int64, used Unit) {
	if v == math.MaxInt64 || v == math.MinInt64 {
		return v, u // Long.MAX_VALUE and MIN_VALUE are not times in any unit
	}
	if u == Auto {
		if u = Guess(float64(v)); u == Auto {
			u = Milli
		}
	}
	switch u {
	case Second:
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			return v, u // a sentinel in any unit
		}
		return v * 1000, u
	case Micro:
		return floorDiv(v, 1000), u
	case Nano:
		return floorDiv(v, 1_000_000), u
	}
	return v, u
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Time is one event time as it was written. Ms is epoch ms.
type Time struct {
	Ms     int64
	Unit   Unit // of a number; empty for text
	Zoned  bool // text with a zone, or a number
	Number bool
}

var errEmpty = errors.New("empty")

// Parse reads a number or a text; zone applies to text without one.
func Parse(s string, u Unit, zone *time.Location) (Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Time{}, errEmpty
	}
	if len(s) > 10 && s[4] == '-' && s[7] == '-' {
		return text(s, zone) // a date is not a number, and trying first would cost more than reading it
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		ms, used := Millis(n, u)
		return Time{Ms: ms, Unit: used, Zoned: true, Number: true}, nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return Time{}, fmt.Errorf("%s is out of range", quote(s))
	}
	if c := s[0]; (c >= '0' && c <= '9' || c == '-' || c == '.' || c == '+') && len(s) < 40 {
		if t, ok := decimal(s, u); ok {
			return t, nil
		}
	}
	return text(s, zone)
}

// decimal reads fractions and exponents exactly: 1796000000.123 is seconds with milliseconds.
func decimal(s string, u Unit) (Time, bool) {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > 30 || e < -30 {
			return Time{}, false
		}
	}
	if strings.ContainsAny(s, "/_xXpP") {
		return Time{}, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return Time{}, false
	}
	f, _ := r.Float64()
	if u == Auto {
		if u = Guess(f); u == Auto {
			u = Milli
		}
	}
	switch u {
	case Second:
		r.Mul(r, big.NewRat(1000, 1))
	case Micro:
		r.Quo(r, big.NewRat(1000, 1))
	case Nano:
		r.Quo(r, big.NewRat(1_000_000, 1))
	}
	whole := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: towards the past for a positive divisor
	if !whole.IsInt64() {
		return Time{}, false
	}
	return Time{Ms: whole.Int64(), Unit: u, Zoned: true, Number: true}, true
}

var zoned = []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00", "2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999 UTC",
	"2006-01-02T15:04Z07:00", "20060102T150405.999999999Z07:00", "20060102T150405.999999999Z0700", "2/Jan/2006:15:04:05 -0700",
	"Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700",
	time.RFC850, "Mon Jan _2 15:04:05 MST 2006", "Mon Jan _2 15:04:05 -0700 2006"}

var local = []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04",
	"20060102T150405.999999999", "2006/01/02 15:04:05.999999999", "2006-01-02", "2/Jan/2006:15:04:05", "2 Jan 2006 15:04:05.999999999", time.ANSIC}

// commaFraction is the comma that ISO 8601 and many logs write before the fraction of a second.
var commaFraction = regexp.MustCompile(`(:\d\d),(\d)`)

func text(s string, zone *time.Location) (Time, error) {
	if strings.IndexByte(s, ',') > 0 {
		s = commaFraction.ReplaceAllString(s, "$1.$2")
	}
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		s = s[:i] // 2026-01-02T03:04:05+01:00[Europe/Berlin]: the offset decides
	}
	for _, layout := range zoned {
		if t, err := time.Parse(layout, s); err == nil && zoneKnown(layout, t) {
			return Time{Ms: t.UnixMilli(), Zoned: true}, nil
		}
	}
	if zone == nil {
		zone = time.UTC
	}
	for _, layout := range local {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return Time{Ms: t.UnixMilli()}, nil
		}
	}
	return Time{}, unread(s)
}

// zoneKnown excludes short zone names, which parse as UTC whatever they mean.
func zoneKnown(layout string, t time.Time) bool {
	if !strings.Contains(layout, "MST") {
		return true
	}
	name, _ := t.Zone()
	return name == "UTC" || name == "GMT" || name == "Z"
}

func unread(s string) error {
	if why := Refused(s); why != "" {
		return fmt.Errorf("%s is %s", quote(s), why)
	}
	return fmt.Errorf("%s is neither a number nor a time", quote(s))
}

func quote(s string) string {
	if len(s) > 60 {
		return strconv.Quote(s[:60]) + "…"
	}
	return strconv.Quote(s)
}
