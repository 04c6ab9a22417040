package render

import (
	"fmt"
	"strings"
	"time"

	"tidemark/flinkapi"
)

// Duration writes milliseconds for people: "350 ms", "2.1 s", "12 min 5 s", "3 h", "2 d 4 h",
// "10 years". A negative duration keeps its sign.
func Duration(ms int64) string {
	if ms < 0 {
		if ms == -ms { // the smallest int64 has no positive twin
			ms++
		}
		return "-" + Duration(-ms)
	}
	switch {
	case ms < 1000:
		return fmt.Sprintf("%d ms", ms)
	case ms < 59_950:
		return trimZero(fmt.Sprintf("%.1f", float64(ms)/1000)) + " s"
	}
	s := ms/1000 + (ms%1000+500)/1000
	switch {
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 24*3600:
		return two(s/3600, "h", s%3600/60, "min")
	case s < 730*24*3600:
		return two(s/(24*3600), "d", s%(24*3600)/3600, "h")
	}
	return fmt.Sprintf("%d years", s/(365*24*3600))
}

func two(a int64, ua string, b int64, ub string) string {
	if b == 0 {
		return fmt.Sprintf("%d %s", a, ua)
	}
	return fmt.Sprintf("%d %s %d %s", a, ua, b, ub)
}

func trimZero(s string) string {
	if n := len(s); n > 2 && s[n-2:] == ".0" {
		return s[:n-2]
	}
	return s
}

// lagText writes a lag; a watermark ahead of the clock says so.
func lagText(ms *int64) string {
	switch {
	case ms == nil:
		return "-"
	case *ms <= -1000:
		return strings.Replace(Duration(*ms)[1:], " years", " y", 1) + " ahead" // fits its column
	}
	return Duration(*ms)
}

// watermarkText says what a gauge told: a time of day where it is on the day of now (epoch ms, 0 =
// unknown), a date elsewhere, or the state in words.
func watermarkText(w flinkapi.Watermark, now int64) string {
	ms, ok := w.Millis()
	if !ok {
		switch w.State() {
		case flinkapi.None:
			return "none (never emitted)"
		case flinkapi.End:
			return "end of input"
		case flinkapi.Failed:
			return "could not be read"
		}
		return "no such metric"
	}
	t := time.UnixMilli(ms).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Sprintf("year %d", y)
	}
	if now != 0 && t.Format(time.DateOnly) == time.UnixMilli(now).UTC().Format(time.DateOnly) {
		return t.Format("15:04:05.000")
	}
	return t.Format("2006-01-02 15:04:05")
}

func movingText(m *bool) string {
	switch {
	case m == nil:
		return "?"
	case *m:
		return "yes"
	}
	return "no"
}

// epoch reads the RFC 3339 time of a report; 0 where it is none.
func epoch(rfc3339 string) int64 {
	t, err := time.Parse(time.RFC3339Nano, rfc3339)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// clock writes the RFC 3339 time of a report for people.
func clock(rfc3339 string) string {
	if ms := epoch(rfc3339); ms != 0 {
		return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return "at an unknown time"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
