package units

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	secondMs = 1000
	minuteMs = 60 * secondMs
	hourMs   = 60 * minuteMs
	dayMs    = 24 * hourMs
	yearMs   = 365*dayMs + dayMs/4
)

// Duration writes milliseconds with the two largest units: "850 ms", "2.1 s", "12 min 5 s", "3 h
// 20 min", "12 d", "9 years". For a value that is declared or compared exactly, use Exact.
func Duration(ms int64) string {
	if ms < 0 {
		if ms == -ms { // the smallest number has no positive counterpart
			ms++
		}
		return "-" + Duration(-ms)
	}
	nearest := func(unit int64) int64 { return ms/unit + ms%unit*2/unit } // without overflow
	seconds, minutes, hours := nearest(secondMs), nearest(minuteMs), nearest(hourMs)
	switch {
	case ms < secondMs:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < minuteMs-50:
		return strings.TrimSuffix(strconv.FormatFloat(float64(ms)/secondMs, 'f', 1, 64), ".0") + " s"
	case seconds < 3600:
		return amounts(seconds/60, "min", seconds%60, "s")
	case minutes < 24*60:
		return amounts(minutes/60, "h", minutes%60, "min")
	case hours < 2*365*24:
		return amounts(hours/24, "d", hours%24, "h")
	}
	return Count(nearest(yearMs)) + " years"
}

// Exact writes milliseconds so that ParseDuration reads the same back: "8.2 s", "1.335 s",
// "1 min 30 s", "16 min 40 s", "1 d 12 h".
func Exact(ms int64) string {
	if ms < 0 {
		if ms == -ms {
			ms++
		}
		return "-" + Exact(-ms)
	}
	if ms < secondMs {
		return strconv.FormatInt(ms, 10) + " ms"
	}
	text := amounts(ms/dayMs, "d", ms%dayMs/hourMs, "h", ms%hourMs/minuteMs, "min")
	if rest := ms % minuteMs; rest != 0 {
		text += " " + strconv.FormatFloat(float64(rest)/secondMs, 'f', -1, 64) + " s"
	}
	return strings.TrimPrefix(text, " ")
}

// Said writes a duration as a person may have given it, to repeat it in a message: "1 min 30 s"; what is shorter
// than a millisecond stays "1.5µs".
func Said(d time.Duration) string {
	if d%time.Millisecond != 0 {
		return d.String()
	}
	return Exact(d.Milliseconds())
}

// amounts joins numbers and their units, leaving out what is 0.
func amounts(pairs ...any) string {
	var parts []string
	for i := 0; i < len(pairs); i += 2 {
		if n := pairs[i].(int64); n != 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, pairs[i+1]))
		}
	}
	return strings.Join(parts, " ")
}

// Count writes a whole number with commas between thousands: "2,800".
func Count[N ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64](n N) string {
	return group(fmt.Sprint(n))
}

// Number writes a number with at most one decimal: "2,800", "0.5".
func Number(x float64) string {
	return group(strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0"))
}

// group puts commas between the thousands of a decimal number.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}
