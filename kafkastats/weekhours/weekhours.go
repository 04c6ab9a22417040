// Package weekhours parses hours of the week, such as weekday nights, in a time zone.
package weekhours

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Hours is a set of hours of the week in a zone.
type Hours struct {
	in   [7][24]bool // by weekday, Sunday first
	zone *time.Location
}

var days = map[string]int{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}

// Parse reads parts separated by commas, each [DAYS] [HH-HH]: "mon-fri 22-06, sat, 12-13".
// Without days it is every day, without hours the whole day. A span from 22 to 06 passes midnight
// and belongs to the day on which it starts.
func Parse(text string, zone *time.Location) (Hours, error) {
	h := Hours{zone: zone}
	for _, part := range strings.Split(strings.ToLower(text), ",") {
		if err := h.add(strings.Fields(part)); err != nil {
			return h, fmt.Errorf("hours %q: %w; write days and hours as in 'mon-fri 22-06' or 'sat, sun 00-12'", text, err)
		}
	}
	return h, nil
}

func (h *Hours) add(words []string) error {
	firstDay, lastDay, from, to := 0, 6, 0, 24
	var err error
	if len(words) > 0 && words[0][0] >= 'a' {
		if firstDay, lastDay, err = span(words[0], parseDay); err != nil {
			return err
		}
		words = words[1:]
	} else if len(words) == 0 {
		return fmt.Errorf("a part is empty")
	}
	switch {
	case len(words) == 1:
		if from, to, err = span(words[0], parseHour); err != nil {
			return err
		}
		if !strings.Contains(words[0], "-") {
			return fmt.Errorf("%q is no span of hours", words[0])
		}
		if from == to || from == 24 {
			return fmt.Errorf("%q is empty", words[0])
		}
		if to < from {
			to += 24
		}
	case len(words) > 1:
		return fmt.Errorf("%q is too much", strings.Join(words[1:], " "))
	}
	if lastDay < firstDay {
		lastDay += 7
	}
	for day := firstDay; day <= lastDay; day++ {
		for hour := from; hour < to; hour++ {
			h.in[(day+hour/24)%7][hour%24] = true
		}
	}
	return nil
}

// span reads one value, or two with a dash between them.
func span(text string, one func(string) (int, error)) (from, to int, err error) {
	a, b, two := strings.Cut(text, "-")
	if from, err = one(a); err != nil || !two {
		return from, from, err
	}
	to, err = one(b)
	return from, to, err
}

func parseDay(text string) (int, error) {
	if len(text) < 3 || len(text) > 9 {
		return 0, fmt.Errorf("%q is no day", text)
	}
	day, ok := days[text[:3]]
	if full := strings.ToLower(time.Weekday(day).String()); !ok || !strings.HasPrefix(full, text) {
		return 0, fmt.Errorf("%q is no day", text)
	}
	return day, nil
}

func parseHour(text string) (int, error) {
	text = strings.TrimSuffix(text, ":00")
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 24 || len(text) > 2 {
		return 0, fmt.Errorf("%q is no full hour from 00 to 24", text)
	}
	return n, nil
}

// Has reports whether an hour since the epoch (UTC) is in the set. In a zone that is not whole
// hours from UTC, the middle of the hour decides.
func (h Hours) Has(hour int64) bool {
	local := time.Unix(hour*3600+1800, 0).In(h.zone)
	return h.in[local.Weekday()][local.Hour()]
}
