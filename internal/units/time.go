package units

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Time writes epoch milliseconds as RFC 3339 in UTC. A time whose year does not have four digits
// is written as the number and the year.
func Time(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Sprintf("%d ms (year %d)", ms, y)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// ParseMoment reads a moment, or a duration as that long before now.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	if at, err := ParseTime(text); err == nil {
		return at, nil
	}
	ago, err := ParseDuration(text)
	if err != nil && strings.Contains(text, "-") || err != nil && !strings.ContainsAny(text, "0123456789") {
		return time.Time{}, errors.New("write a time such as 2026-01-31T22:00:00Z, or how long ago, such as 7d")
	}
	return now.Add(-ago), err
}

// ParsePast reads a time in the past: a time, a time of day in the zone of now (the latest one),
// how long ago (with or without a minus sign), or seconds since 1970 as @1796000000.
func ParsePast(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "now" {
		return now, nil
	}
	if seconds, ok := strings.CutPrefix(text, "@"); ok {
		n, err := strconv.ParseInt(seconds, 10, 64)
		at := time.Unix(n, 0)
		switch {
		case err != nil:
			return at, errors.New("write seconds since 1970 as @1796000000")
		case at.After(now):
			return at, errors.New("is in the future")
		}
		return at, nil
	}
	for _, layout := range []string{"15:04", "15:04:05"} {
		if clock, err := time.Parse(layout, text); err == nil {
			at := time.Date(now.Year(), now.Month(), now.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, now.Location())
			if at.After(now) {
				at = at.AddDate(0, 0, -1)
			}
			return at, nil
		}
	}
	at, err := ParseTime(text)
	if err != nil {
		ago, wrong := ParseDuration(strings.TrimPrefix(text, "-"))
		if wrong != nil {
			return at, errors.New("write a time such as 2026-01-31T03:00:00Z, a time of day such as 03:00, or how long ago, such as -2h")
		}
		at = now.Add(-ago)
	}
	if at.After(now) {
		return at, errors.New("is in the future")
	}
	return at, nil
}

// ParseTime reads an RFC 3339 time with its zone.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	if err != nil {
		return time.Time{}, errors.New("write a time such as 2026-01-31T22:00:00Z")
	}
	return t, nil
}
