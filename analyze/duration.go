package analyze

import (
	"strconv"
	"strings"

	"tidemark/flinkapi"
)

// ParseFlinkDuration reads a Flink configuration duration, "10 s", "200ms", "PT1M" or a bare number
// of ms (TimeUtils#parseDuration), in ms.
func ParseFlinkDuration(s string) (ms int64, ok bool) {
	s = strings.TrimSpace(s)
	if ms, ok := parseISODuration(s); ok && s != "P" && s != "PT" {
		return ms, true
	}
	d, err := flinkapi.ParseDuration(s)
	return d.Milliseconds(), err == nil
}

// FormatDuration writes ms as a person would: "850 ms", "2.1 s", "12 min 5 s", "3 h 20 min", "12 d".
func FormatDuration(ms int64) string {
	if ms < 0 {
		if ms == -ms { // Long.MIN_VALUE has no positive twin
			ms++
		}
		return "-" + FormatDuration(-ms)
	}
	two := func(a int64, au string, b int64, bu string) string {
		if b == 0 {
			return strconv.FormatInt(a, 10) + " " + au
		}
		return strconv.FormatInt(a, 10) + " " + au + " " + strconv.FormatInt(b, 10) + " " + bu
	}
	switch s := ms/1000 + (ms%1000+500)/1000; { // the nearest second, without overflow
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 59_950:
		return strings.TrimSuffix(strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64), ".0") + " s"
	case s < 3600:
		return two(s/60, "min", s%60, "s")
	case s < 24*3600:
		return two(s/3600, "h", s%3600/60, "min")
	case s < 2*365*86400:
		return two(s/86400, "d", s%86400/3600, "h")
	default:
		const year = 365*86400 + 86400/4
		return strconv.FormatInt((s+year/2)/year, 10) + " years"
	}
}
