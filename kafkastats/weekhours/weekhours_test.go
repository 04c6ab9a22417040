package weekhours

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// hours counts how many hours of a stretch are in the set.
func hours(t *testing.T, h Hours, from, to string) (n int, first string) {
	t.Helper()
	a, err := time.Parse(time.RFC3339, from)
	if err != nil {
		t.Fatal(err)
	}
	b, err := time.Parse(time.RFC3339, to)
	if err != nil {
		t.Fatal(err)
	}
	for hour := a.Unix() / 3600; hour < b.Unix()/3600; hour++ {
		if h.Has(hour) {
			if n == 0 {
				first = time.Unix(hour*3600, 0).UTC().Format(time.RFC3339)
			}
			n++
		}
	}
	return n, first
}

func TestSpansOfTheWeek(t *testing.T) {
	// Monday 2026-03-02 to Sunday 2026-03-08, UTC.
	const monday, next = "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"
	for text, want := range map[string]struct {
		n     int
		first string
	}{
		"mon-sun":                 {168, monday},
		"00-24":                   {168, monday},
		"mon-fri":                 {120, monday},
		"Sat, Sunday":             {48, "2026-03-07T00:00:00Z"},
		"fri-mon 10-12":           {8, "2026-03-02T10:00:00Z"},
		"22-06":                   {56, monday},
		"mon-fri 22-06":           {40, "2026-03-02T22:00:00Z"}, // Friday's night ends on Saturday at six, Sunday's is not in it
		"sun 22-06":               {8, monday},                  // Monday's first six hours belong to Sunday's night
		"mon 08:00-09:00, 08-09":  {7, "2026-03-02T08:00:00Z"},
		"wed 23-24":               {1, "2026-03-04T23:00:00Z"},
		"tuesday 0-1, tues 1-2  ": {2, "2026-03-03T00:00:00Z"},
	} {
		h, err := Parse(text, time.UTC)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if n, first := hours(t, h, monday, next); n != want.n || first != want.first {
			t.Errorf("%q: %d hours from %s, want %d from %s", text, n, first, want.n, want.first)
		}
	}
}

func TestSummerTimeMovesTheHoursWithTheClock(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	h, err := Parse("02-03", berlin)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name, from, to string
		n              int
		first          string
	}{
		{"winter", "2026-01-14T23:00:00Z", "2026-01-15T23:00:00Z", 1, "2026-01-15T01:00:00Z"},
		{"summer", "2026-07-14T22:00:00Z", "2026-07-15T22:00:00Z", 1, "2026-07-15T00:00:00Z"},
		{"the day without it", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 0, ""},
		{"the day with two", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 2, "2026-10-25T00:00:00Z"},
	} {
		if n, first := hours(t, h, v.from, v.to); n != v.n || first != v.first {
			t.Errorf("%s: %d from %q, want %d from %q", v.name, n, first, v.n, v.first)
		}
	}
	nights, err := Parse("mon-fri 22-06", berlin)
	if err != nil {
		t.Fatal(err)
	}
	if n, first := hours(t, nights, "2026-10-25T00:00:00Z", "2026-11-02T00:00:00Z"); n != 40 || first != "2026-10-26T21:00:00Z" {
		t.Errorf("weekday nights after the change: %d from %s", n, first)
	}
}

func TestZonesBetweenTheHours(t *testing.T) {
	for name, want := range map[string]string{
		"Asia/Kolkata":    "2026-03-02T03:00:00Z", // 08:30 to 09:30 there: its middle is nine
		"Asia/Kathmandu":  "2026-03-02T03:00:00Z", // 08:45 to 09:45
		"America/Caracas": "2026-03-02T13:00:00Z",
	} {
		h, err := Parse("mon 09-10", zone(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if n, first := hours(t, h, "2026-03-02T00:00:00Z", "2026-03-03T12:00:00Z"); n != 1 || first != want {
			t.Errorf("%s: %d from %s, want %s", name, n, first, want)
		}
	}
}

func TestWhatIsNoSpan(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", ",": "empty", "mon,": "empty", "monkey": `"monkey" is no day`, "mon-frog": "is no day", "mo": "is no day", "m": "is no day",
		"mon 25-26": `"25" is no full hour`, "22": `"22" is no span`, "mon 7": "is no span", "22-22": "is empty", "24-03": "is empty", "08:30-09": "is no full hour",
		"mon 22-06 x": `"x" is too much`, "-1-3": "is no full hour", "22-": "is no full hour", "montags": "is no day",
	} {
		if _, err := Parse(text, time.UTC); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "mon-fri 22-06") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("mon-fri 22-06, sat")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text, time.UTC)
		if err != nil {
			return
		}
		n := 0
		for hour := range int64(168) {
			if h.Has(hour) {
				n++
			}
		}
		if n == 0 {
			t.Fatalf("%q names no hour", text)
		}
	})
}
