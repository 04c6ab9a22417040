package flinkapi

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration as Flink's configuration writes it: "10 s", "1min", "10000"
// (milliseconds where no unit is given), or ISO 8601 "PT10S" (TimeUtils#parseDuration, 1.17 to 2.3).
func ParseDuration(text string) (time.Duration, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if strings.HasPrefix(s, "pt") {
		d, err := time.ParseDuration(s[2:])
		if err != nil || d < 0 {
			return 0, fmt.Errorf("%q is no duration", text)
		}
		return d, nil
	}
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseInt(s[:digits], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration: it starts with no number", text)
	}
	unit, known := durationUnits[strings.TrimSpace(s[digits:])]
	if !known {
		return 0, fmt.Errorf("%q is no duration: the unit is none of d, h, min, s, ms, us, ns", text)
	}
	if n > math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("%q is longer than 292 years", text)
	}
	return time.Duration(n) * unit, nil
}

// durationUnits are the labels of TimeUtils.TimeUnit, plurals included.
var durationUnits = map[string]time.Duration{
	"":  time.Millisecond,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"h": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"ms": time.Millisecond, "milli": time.Millisecond, "millis": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"µs": time.Microsecond, "micro": time.Microsecond, "micros": time.Microsecond, "microsecond": time.Microsecond, "microseconds": time.Microsecond,
	"us": time.Microsecond,
	"ns": time.Nanosecond, "nano": time.Nanosecond, "nanos": time.Nanosecond, "nanosecond": time.Nanosecond, "nanoseconds": time.Nanosecond,
}
