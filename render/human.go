package render

import (
	"fmt"
	"strings"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// Duration writes milliseconds for people, as the sentences of the findings do.
func Duration(ms int64) string { return units.Duration(ms) }

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
