package units

import (
	"strings"
	"testing"
	"time"
)

func TestMomentsOfThePast(t *testing.T) {
	zone := time.FixedZone("CET", 3600)
	now := time.Date(2026, 11, 30, 14, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"2026-11-30T03:00:00Z": "2026-11-30T03:00:00Z",
		"03:00":                "2026-11-30T02:00:00Z", // of the zone of now
		"14:30":                "2026-11-30T13:30:00Z",
		"14:31":                "2026-11-29T13:31:00Z", // not yet today
		"03:00:30":             "2026-11-30T02:00:30Z",
		"-2h":                  "2026-11-30T11:30:00Z",
		"2h":                   "2026-11-30T11:30:00Z",
		" -1 min ":             "2026-11-30T13:29:00Z",
		"@1796000000":          "2026-11-30T00:53:20Z",
		"now":                  "2026-11-30T13:30:00Z",
	} {
		got, err := ParsePast(text, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q is %s (%v), want %s", text, got.UTC().Format(time.RFC3339), err, want)
		}
	}
	for text, want := range map[string]string{"yesterday": "03:00", "25:00": "03:00", "": "03:00", "@soon": "@1796000000", "@99999999999": "future", "--2h": "03:00", "2027-01-01T00:00:00Z": "future"} {
		if at, err := ParsePast(text, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %s, %v", text, at, err)
		}
	}
}
