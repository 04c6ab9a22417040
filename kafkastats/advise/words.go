package advise

import "tidemark/internal/units"

// Rough writes a long duration with two significant digits, for figures with little room.
func Rough(ms int64) string {
	for _, u := range []struct {
		ms   int64
		name string
	}{{86_400_000, "d"}, {3_600_000, "h"}, {60_000, "min"}} {
		if ms >= 2*u.ms {
			return units.Number(float64(ms)/float64(u.ms)) + " " + u.name
		}
	}
	return units.Duration(ms)
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return units.Count(n) + " " + what + "s"
}

// minute cuts an RFC 3339 time to the minute.
func minute(rfc3339 string) string {
	if len(rfc3339) < 16 || rfc3339[10] != 'T' {
		return rfc3339
	}
	return rfc3339[:10] + " " + rfc3339[11:16]
}
