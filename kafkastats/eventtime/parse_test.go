package eventtime

import (
	"math"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const at = 1_796_000_000_850
	for _, v := range []struct {
		in    string
		unit  Unit
		zone  *time.Location
		ms    int64
		zoned bool
		used  Unit
	}{
		{"1796000000", Auto, nil, 1_796_000_000_000, true, Second},
		{"1796000000.850", Auto, nil, at, true, Second},
		{"1.79600000085e9", Auto, nil, at, true, Second},
		{"1796000000850", Auto, nil, at, true, Milli},
		{"1796000000850123", Auto, nil, at, true, Micro},
		{"1796000000850123456", Auto, nil, at, true, Nano},
		{"1796000000", Milli, nil, 1_796_000_000, true, Milli},
		{"1000", Auto, nil, 1000, true, Milli},
		{"-1", Second, nil, -1000, true, Second},
		{"-1", Micro, nil, -1, true, Micro},
		{"-0.5", Milli, nil, -1, true, Milli},
		{"2026-11-30T00:53:20.850Z", Auto, nil, 1_796_000_000_850, true, ""},
		{"2026-11-30T01:53:20.850+01:00", Auto, nil, 1_796_000_000_850, true, ""},
		{"2026-11-30T01:53:20,850+0100", Auto, nil, 1_796_000_000_850, true, ""},
		{"2026-11-30T01:53:20.850+01:00[Europe/Berlin]", Auto, nil, 1_796_000_000_850, true, ""},
		{"2026-11-30 01:53:20.850", Auto, berlin, 1_796_000_000_850, false, ""},
		{"2026-11-30 00:53:20.850", Auto, nil, 1_796_000_000_850, false, ""},
		{"2026-11-30 00:53:20.850 UTC", Auto, berlin, 1_796_000_000_850, true, ""},
		{" 2026-11-30T00:53:20 ", Auto, nil, 1_796_000_000_000, false, ""},
	} {
		// 1796000000 is 2026-11-30T00:53:20Z only if the calendar below agrees.
		got, err := Parse(v.in, v.unit, v.zone)
		if want := v.ms; err != nil || got.Ms != shift(v.in, want) || got.Zoned != v.zoned || got.Unit != v.used {
			t.Errorf("%q: %+v, %v; want %d", v.in, got, err, shift(v.in, want))
		}
	}
	for _, bad := range []string{"", "n/a", "1e99", "0x10", "yesterday", "2026-13-01", "1/2", "NaN", "Infinity"} {
		if got, err := Parse(bad, Auto, nil); err == nil {
			t.Errorf("%q was read as %+v", bad, got)
		}
	}
}

// shift computes the expected ms of the texts from the calendar, independent of Parse.
func shift(in string, ms int64) int64 {
	if len(in) > 10 && (in[4] == '-' || in[0] == ' ') {
		return time.Date(2026, 11, 30, 0, 53, 20, 0, time.UTC).UnixMilli() + ms%1000
	}
	return ms
}

func TestExtremesKeepTheirMeaning(t *testing.T) {
	for _, v := range []int64{math.MinInt64, math.MaxInt64} {
		if got, _ := Millis(v, Second); got != v {
			t.Errorf("%d seconds became %d", v, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2026-11-30T00:53:20.850Z")
	f.Add("-1.5e3")
	f.Fuzz(func(t *testing.T, s string) {
		if got, err := Parse(s, Auto, nil); err == nil && got.Number && got.Unit == Auto {
			t.Fatalf("%q: a number without a unit: %+v", s, got)
		}
	})
}
