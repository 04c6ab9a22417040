package units

import (
	"fmt"
	"regexp"
	"strings"
)

// Java writes milliseconds as Java, in the largest unit that holds them: Duration.ofMinutes(5),
// Duration.ofMillis(8200).
func Java(ms int64) string {
	for _, u := range []struct {
		ms   int64
		call string
	}{{minuteMs, "ofMinutes"}, {secondMs, "ofSeconds"}} {
		if ms >= u.ms && ms%u.ms == 0 && ms/u.ms < 1000 {
			return fmt.Sprintf("Duration.%s(%d)", u.call, ms/u.ms)
		}
	}
	if ms > 1<<31-1 {
		return fmt.Sprintf("Duration.ofMillis(%dL)", ms)
	}
	return fmt.Sprintf("Duration.ofMillis(%d)", ms)
}

// Option writes milliseconds as the value of a Flink option: "60 s", "5 min", "200 ms".
func Option(ms int64) string {
	switch {
	case ms >= 2*minuteMs && ms%minuteMs == 0:
		return fmt.Sprintf("%d min", ms/minuteMs)
	case ms >= secondMs && ms%secondMs == 0:
		return fmt.Sprintf("%d s", ms/secondMs)
	}
	return fmt.Sprintf("%d ms", ms)
}

// maxIntervalDays is the largest interval of Flink SQL: its planner refuses a leading field with
// more than three digits ("DAY_INTERVAL_TYPES precision is not supported", seen on 1.18 to 2.3),
// at the first query and not when the table is declared.
const maxIntervalDays = 999

// Interval writes milliseconds as a SQL interval literal that Flink accepts, below 1000 days. A
// leading field of three digits needs an explicit precision: Calcite's default is two.
func Interval(ms int64) string {
	for _, u := range []struct {
		ms   int64
		name string
	}{{86_400_000, "DAY"}, {3_600_000, "HOUR"}, {60_000, "MINUTE"}} {
		if ms >= u.ms && ms%u.ms == 0 && ms/u.ms <= 99 {
			return fmt.Sprintf("INTERVAL '%d' %s", ms/u.ms, u.name)
		}
	}
	seconds, fraction := ms/1000, ""
	if ms%1000 != 0 {
		fraction = fmt.Sprintf(".%03d", ms%1000)
	}
	switch {
	case seconds <= 99:
		return fmt.Sprintf("INTERVAL '%d%s' SECOND", seconds, fraction)
	case seconds <= 999:
		return fmt.Sprintf("INTERVAL '%d%s' SECOND(3)", seconds, fraction)
	}
	precision := ""
	if seconds >= 100*86_400 {
		precision = "(3)"
	}
	return fmt.Sprintf("INTERVAL '%d %02d:%02d:%02d%s' DAY%s TO SECOND", seconds/86_400, seconds/3600%24, seconds/60%60, seconds%60, fraction, precision)
}

// Watermark is the WATERMARK clause for a delay (ms). A delay of 0 needs no interval; any other
// subtracts one. For a delay that no interval can hold it is a comment that says so.
func Watermark(column string, ms int64) string {
	quoted := "`" + strings.ReplaceAll(column, "`", "``") + "`"
	switch {
	case ms == 0:
		return fmt.Sprintf("WATERMARK FOR %s AS %s", quoted, quoted)
	case ms >= (maxIntervalDays+1)*86_400_000:
		return fmt.Sprintf("-- a delay of %s is more than the %d days an interval of Flink SQL can hold", Exact(ms), maxIntervalDays)
	}
	return fmt.Sprintf("WATERMARK FOR %s AS %s - %s", quoted, quoted, Interval(ms))
}

// plainWord is a word in which no POSIX shell reads anything but letters.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9._/:=@%,+-]+$`)

// Shell writes a word so that a POSIX shell passes it on unchanged.
func Shell(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
