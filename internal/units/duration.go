// Package units writes and parses what a person reads as text: durations, shares, counts, sizes
// and times, with one writer and one parser each. It knows nothing about the rest of the project.
//
// An error of a parser is the second half of a line that starts with the input: the caller writes
// `--interval is "5": ` and the parser `add a unit, such as 5s`.
package units

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"time"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// durationUnits are Go's units, the labels of Flink's TimeUtils.TimeUnit, plurals included, and weeks.
var durationUnits = map[string]time.Duration{
	"w": week, "week": week, "weeks": week,
	"d": day, "day": day, "days": day,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond, "micro": time.Microsecond, "micros": time.Microsecond, "microsecond": time.Microsecond, "microseconds": time.Microsecond,
	"ns": time.Nanosecond, "nano": time.Nanosecond, "nanos": time.Nanosecond, "nanosecond": time.Nanosecond, "nanoseconds": time.Nanosecond,
}

// DurationPattern is what ParseDuration reads, as a regular expression of a JSON Schema. The parser
// itself takes capitals as well.
const DurationPattern = `^(0|([0-9]+(\.[0-9]+)? *(w|weeks?|d|days?|h|hours?|m|min|minutes?|s|secs?|seconds?|ms|millis?|milliseconds?|us|µs|micros?|microseconds?|ns|nanos?|nanoseconds?) *)+` +
	`|P([0-9]+W)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?)$`

var (
	durationPart = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([^0-9\s.+-]*)\s*`)
	isoDuration  = regexp.MustCompile(`^p(?:([0-9]+)w)?(?:([0-9]+)d)?(?:t(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+(?:\.[0-9]+)?)s)?)?$`)
	isoUnits     = []time.Duration{week, day, time.Hour, time.Minute, time.Second}
)

// longestDuration limits the length of the text, which bounds the work on its numbers.
const longestDuration = 80

// ParseDuration reads a duration as Go writes it (1h30m, 1.5s), as Flink does (5 min, 500 ms, 7
// d), as people do (1 h 30 min, 2 weeks) or as ISO 8601 does (PT5S, P1DT2H). Only 0 needs no
// unit; negative durations are refused.
func ParseDuration(text string) (time.Duration, error) { return parseDuration(text, false) }

// ParseFlinkDuration reads a value of Flink's configuration as Flink does: one whole number and
// one unit, ms without a unit, or ISO 8601 (TimeUtils#parseDuration, 1.17 to 2.3).
func ParseFlinkDuration(text string) (time.Duration, error) { return parseDuration(text, true) }

func parseDuration(text string, flink bool) (time.Duration, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	switch {
	case s == "" || len(s) > longestDuration:
		return 0, errors.New("write a duration such as 5s or 2 min")
	case strings.HasPrefix(s, "-"):
		return 0, errors.New("a duration is not negative")
	}
	if m := isoDuration.FindStringSubmatch(s); m != nil && !strings.HasSuffix(s, "p") && !strings.HasSuffix(s, "t") {
		return sum(m[1:], isoUnits)
	}
	var numbers []string
	var units []time.Duration
	for rest := s; rest != ""; {
		m := durationPart.FindStringSubmatch(rest)
		if m == nil {
			return 0, errors.New("write a duration such as 5s or 2 min")
		}
		unit, known := durationUnits[m[2]]
		switch {
		case m[2] == "" && (flink || s == "0"):
			unit = time.Millisecond
		case m[2] == "" && m[0] == s:
			return 0, fmt.Errorf("add a unit, such as %ss", m[1])
		case m[2] == "":
			return 0, fmt.Errorf("add a unit to %s, such as %ss", m[1], m[1])
		case !known || flink && unit == week:
			return 0, fmt.Errorf("%q is not a unit of time; write d, h, min, s or ms", m[2])
		}
		if flink && (m[0] != s || strings.Contains(m[1], ".")) {
			return 0, errors.New("write one whole number and one unit, as Flink takes it: 90 s")
		}
		numbers, units, rest = append(numbers, m[1]), append(units, unit), rest[len(m[0]):]
	}
	return sum(numbers, units)
}

// sum adds numbers of units exactly: 1.335 s are 1335 ms. An empty number is none.
func sum(numbers []string, units []time.Duration) (time.Duration, error) {
	total := new(big.Rat)
	for i, number := range numbers {
		if r, ok := new(big.Rat).SetString(number); ok {
			total.Add(total, r.Mul(r, new(big.Rat).SetInt64(int64(units[i]))))
		}
	}
	ns := new(big.Int).Quo(total.Num(), total.Denom())
	if !ns.IsInt64() {
		return 0, errors.New("it is longer than 292 years")
	}
	return time.Duration(ns.Int64()), nil
}
