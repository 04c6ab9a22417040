package figure

import (
	"math"

	"tidemark/internal/units"
)

func optional(f *float64) string {
	if f == nil {
		return "-"
	}
	return units.Share(*f)
}

func optionalMs(ms *int64) string {
	if ms == nil {
		return "-"
	}
	return units.Exact(*ms)
}

// markText says why a delay is in the curve.
func markText(m string) string {
	return map[string]string{"need": "smallest for the target", "rounded": "recommended", "drops": "if only drops count", "sla": "what the latency target leaves"}[m]
}

// bar is the length of a share on a log scale, in so many characters per decade, down to one in a million.
func bar(f float64, decade int) int {
	if f <= 0 {
		return 0
	}
	return max(0, int(math.Round(float64(decade)*(math.Log10(f)+6))))
}
