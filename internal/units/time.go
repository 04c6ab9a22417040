package units

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Time writes epoch milliseconds as RFC 3339 in UTC; where the year has no four digits, which no clock
// shows, as the number and the year.
func Time(ms int64) string {
	t := time.UnixMilli(ms).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Sprintf("%d ms (year %d)", ms, y)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// ParseTime reads a moment as RFC 3339 writes it, with its zone.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(text))
	if err != nil {
		return time.Time{}, errors.New("write a time such as 2026-01-31T22:00:00Z")
	}
	return t, nil
}
