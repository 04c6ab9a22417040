package units

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestDurationsAreReadInEverySpelling(t *testing.T) {
	pattern := regexp.MustCompile(DurationPattern)
	for text, want := range map[string]time.Duration{
		"5s": 5 * time.Second, "5 min": 5 * time.Minute, "7d": 7 * 24 * time.Hour, "2 weeks": 14 * 24 * time.Hour, "1 h 30 min": 90 * time.Minute, "1h30m": 90 * time.Minute,
		"500 ms": 500 * time.Millisecond, "1.5s": 1500 * time.Millisecond, "1.335 s": 1335 * time.Millisecond, "0": 0, "0 s": 0, "3 hours": 3 * time.Hour, "1500us": 1500 * time.Microsecond,
		"7 µs": 7 * time.Microsecond, "9ns": 9, "PT5S": 5 * time.Second, "PT0.2S": 200 * time.Millisecond, "P2DT3H": 51 * time.Hour, "PT1M0.001S": 60_001 * time.Millisecond, "P1W": 168 * time.Hour,
		"1 d 30 s": 24*time.Hour + 30*time.Second, "106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
		if !pattern.MatchString(text) {
			t.Errorf("the pattern refuses %q", text)
		}
	}
	for text, want := range map[string]time.Duration{" 5 Seconds ": 5 * time.Second, "1H": time.Hour, "pt1m30s": 90 * time.Second} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestWhatIsNoDurationSaysWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"5":                      "add a unit, such as 5s",
		"1 h 30":                 "add a unit to 30, such as 30s",
		"":                       "write a duration such as 5s or 2 min",
		"s":                      "write a duration such as 5s or 2 min",
		"1e3s":                   `"e" is not a unit of time; write d, h, min, s or ms`,
		"1y":                     `"y" is not a unit of time; write d, h, min, s or ms`,
		"10 parsecs":             `"parsecs" is not a unit of time; write d, h, min, s or ms`,
		"-5s":                    "a duration is not negative",
		"PT-5S":                  "write a duration such as 5s or 2 min",
		"P":                      "write a duration such as 5s or 2 min",
		"PT":                     "write a duration such as 5s or 2 min",
		"5 +s":                   "add a unit to 5, such as 5s",
		"١s":                     "write a duration such as 5s or 2 min",
		"106752d":                "it is longer than 292 years",
		strings.Repeat("9", 70):  "add a unit, such as " + strings.Repeat("9", 70) + "s",
		strings.Repeat("1s", 60): "write a duration such as 5s or 2 min",
	} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %s", text, got)
		} else if err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Texts and results of Flink's TimeUtilsTest and of values that clusters give.
func TestFlinkDurationsAreReadAsFlinkDoes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10000": 10 * time.Second, "0": 0, "0 ms": 0, "10 s": 10 * time.Second, "200ms": 200 * time.Millisecond, "1 min": time.Minute, "1min": time.Minute, "2 h": 2 * time.Hour, "1 day": 24 * time.Hour,
		" 5 Seconds ": 5 * time.Second, "1500 us": 1500 * time.Microsecond, "PT10S": 10 * time.Second, "PT0S": 0, "3 milliseconds": 3 * time.Millisecond, "1m": time.Minute,
	} {
		if got, err := ParseFlinkDuration(text); err != nil || got != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "P", "PT", "s", "-1 s", "1.5 s", "10 s s", "1 h 30 min", "1 w", "10 parsecs", "99999999999999999999 s", "99999999999 days", "PT-1S"} {
		if got, err := ParseFlinkDuration(text); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestDurationForAReader(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 850: "850 ms", 1000: "1 s", 2100: "2.1 s", 2199: "2.2 s", 59_999: "1 min", 60_000: "1 min", 725_000: "12 min 5 s", 12_000_000: "3 h 20 min", 172_794_240: "2 d", 3_599_600: "1 h", 86_399_000: "1 d",
		-2100: "-2.1 s", 49 * 3_600_000: "2 d 1 h", 12 * 86_400_000: "12 d", 9 * 366 * 86_400_000: "9 years", math.MinInt64: "-292,271,023 years",
	} {
		if got := Duration(ms); got != want {
			t.Errorf("%d is %q, want %q", ms, got, want)
		}
	}
}

func TestExactDuration(t *testing.T) {
	for ms, want := range map[int64]string{
		0: "0 ms", 850: "850 ms", 1335: "1.335 s", 90_000: "1 min 30 s", 83_400: "1 min 23.4 s", 1_000_000: "16 min 40 s", 129_600_000: "1 d 12 h", 86_400_001: "1 d 0.001 s", -90_000: "-1 min 30 s",
		math.MinInt64: "-106751991167 d 7 h 12 min 55.807 s",
	} {
		if got := Exact(ms); got != want {
			t.Errorf("%d is %q, want %q", ms, got, want)
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"1 h 30 min", "PT1M0.001S", "5", "-5s", "1.5s", "P1W"} {
		f.Add(s, int64(1335))
	}
	pattern := regexp.MustCompile(DurationPattern)
	f.Fuzz(func(t *testing.T, text string, ms int64) {
		if ms >= 0 && ms < math.MaxInt64/1_000_000 {
			if d, err := ParseDuration(Exact(ms)); err != nil || d.Milliseconds() != ms {
				t.Errorf("%d is written %q, read as %s, %v", ms, Exact(ms), d, err)
			}
		}
		d, err := ParseDuration(text)
		if err == nil && d < 0 {
			t.Errorf("%q is %s", text, d)
		}
		if err != nil && len(text) < 60 && pattern.MatchString(text) && !strings.Contains(err.Error(), "292 years") && text != "P" && !strings.HasSuffix(text, "T") {
			t.Errorf("the pattern takes %q, the parser says %v", text, err)
		}
		flink, flinkErr := ParseFlinkDuration(text)
		if flinkErr == nil && err == nil && flink != d {
			t.Errorf("%q is %s, in Flink %s", text, d, flink)
		}
	})
}

func TestSharesNeedTheirSign(t *testing.T) {
	pattern := regexp.MustCompile(SharePattern)
	for text, want := range map[string]string{"0.1%": "1/1000", "10 %": "1/10", " 0.82%": "41/5000", "0": "0/1", "0%": "0/1", "100%": "1/1", "0.000000000001%": "1/100000000000000"} {
		got, err := ParseShare(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
		if !pattern.MatchString(strings.TrimSpace(text)) {
			t.Errorf("the pattern refuses %q", text)
		}
	}
	for text, want := range map[string]string{
		"0.1": "add the percent sign: write 10% or 0.1%", "0.001": "add the percent sign: write 0.1% or 0.001%", "1": "add the percent sign: write 100% or 1%", ".5": "add the percent sign: write 50% or 0.5%",
		"5": "add the percent sign: write 5%", "99.9": "add the percent sign: write 99.9%", "100.1%": "a share is at most 100%", "101": "write a share such as 0.1%",
		"": "write a share such as 0.1%", "%": "write a share such as 0.1%", "-1%": "write a share such as 0.1%", "1e-3": "write a share such as 0.1%", "1/2": "write a share such as 0.1%", "NaN": "write a share such as 0.1%",
	} {
		if got, err := ParseShare(text); err == nil {
			t.Errorf("%q is %s", text, got)
		} else if err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestShare(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0 %", 0.0082: "0.82 %", 0.123456: "12.3 %", 1: "100 %", 0.9999: "99.99 %", 0.99999999: "99.9999 %", 1e-9: "0.0000001 %", 0.5: "50 %", 0.001: "0.1 %",
	} {
		if got := Share(f); got != want {
			t.Errorf("%g is %q, want %q", f, got, want)
		}
	}
}

func TestCountsAndNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 2800: "2,800", -1234567: "-1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Count(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	for x, want := range map[float64]string{0: "0", 0.25: "0.2", 2800: "2,800", -12345.67: "-12,345.7", math.NaN(): "NaN"} {
		if got := Number(x); got != want {
			t.Errorf("%g is %q", x, got)
		}
	}
}

func TestTime(t *testing.T) {
	for ms, want := range map[int64]string{
		1796011286197: "2026-11-30T04:01:26.197Z", 0: "1970-01-01T00:00:00.000Z", -1: "1969-12-31T23:59:59.999Z",
		1796011286197 * 1000: "1796011286197000 ms (year 58883)", math.MinInt64 + 1: "-9223372036854775807 ms (year -292275055)",
	} {
		if got := Time(ms); got != want {
			t.Errorf("%d: %s, want %s", ms, got, want)
		}
	}
	if at, err := ParseTime(Time(1796011286197)); err != nil || at.UnixMilli() != 1796011286197 {
		t.Errorf("read as %s, %v", at, err)
	}
	now := time.UnixMilli(1796011286197)
	for text, want := range map[string]string{"7d": "2026-11-23T04:01:26.197Z", "2026-11-30T08:00:00+02:00": "2026-11-30T06:00:00.000Z"} {
		if at, err := ParseMoment(text, now); err != nil || Time(at.UnixMilli()) != want {
			t.Errorf("%s is %s, %v", text, at, err)
		}
	}
	for text, want := range map[string]string{"7": "add a unit, such as 7s", "noon": "write a time such as 2026-01-31T22:00:00Z, or how long ago, such as 7d", "2026-11-30": "write a time such as 2026-01-31T22:00:00Z, or how long ago, such as 7d"} {
		if _, err := ParseMoment(text, now); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseTime("yesterday"); err == nil || err.Error() != "write a time such as 2026-01-31T22:00:00Z" {
		t.Error(err)
	}
}
