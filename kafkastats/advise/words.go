package advise

import (
	"fmt"
	"math"
	"strconv"
)

// Grouped writes a count with its thousands apart: 4 812 330.
func Grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Percent writes a share with three significant digits; what is not zero never reads as zero.
func Percent(f float64) string {
	x, _ := strconv.ParseFloat(strconv.FormatFloat(100*f, 'g', 3, 64), 64)
	if f < 1 && x >= 100 || f > 0.999 && f < 1 {
		return strconv.FormatFloat(math.Floor(1e6*f)/1e4, 'f', -1, 64) + " %"
	}
	return strconv.FormatFloat(x, 'f', -1, 64) + " %"
}

// Rough writes a long duration with two significant digits.
func Rough(ms int64) string {
	if ms < 1000 {
		return Human(ms)
	}
	unit := int64(1)
	for ms/unit >= 100 {
		unit *= 10
	}
	for _, u := range []struct {
		ms   int64
		name string
	}{{86_400_000, "d"}, {3_600_000, "h"}, {60_000, "min"}} {
		if ms >= 2*u.ms {
			return strconv.FormatFloat(math.Round(10*float64(ms)/float64(u.ms))/10, 'f', -1, 64) + " " + u.name
		}
	}
	return Human((ms + unit/2) / unit * unit)
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// minute cuts an RFC 3339 time to the minute.
func minute(rfc3339 string) string {
	if len(rfc3339) < 16 || rfc3339[10] != 'T' {
		return rfc3339
	}
	return rfc3339[:10] + " " + rfc3339[11:16]
}
