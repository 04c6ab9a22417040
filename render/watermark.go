package render

import (
	"fmt"
	"strings"
	"time"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// lagText writes a lag; a watermark ahead of the clock says so.
func lagText(ms *int64) string {
	switch {
	case ms == nil:
		return "-"
	case *ms <= -1000:
		return strings.Replace(units.Duration(*ms)[1:], " years", " y", 1) + " ahead" // fits its column
	}
	return units.Duration(*ms)
}

// watermarkText writes what a gauge shows: a time of day where it is on the day of now (epoch ms, 0 = unknown), else a
// date, or the state in words.
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
	if y := time.UnixMilli(ms).UTC().Year(); y < 0 || y > 9999 {
		return fmt.Sprintf("year %d", y)
	}
	if now != 0 && units.Day(ms) == units.Day(now) {
		return units.ClockMillis(ms)
	}
	return units.DayClock(ms)
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
