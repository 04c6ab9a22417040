package eventtime

import (
	"strings"
	"time"
)

// Line reads the time at the start of a log line, or in its first brackets, as web servers write
// it: `10.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "GET /"`.
func Line(s string, zone *time.Location) (Time, error) {
	if open := strings.IndexByte(s, '['); open >= 0 {
		if length := strings.IndexByte(s[open:], ']'); length > 0 {
			if t, err := text(strings.TrimSpace(s[open+1:open+length]), zone); err == nil {
				return t, nil
			}
		}
	}
	// The longest prefix that reads as a time: it includes a zone or a fraction.
	best, found := Time{}, false
	for i, words := 0, 0; words < 6 && i <= len(s) && i < 60; i++ {
		if i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != '|' && s[i] != ';' {
			continue
		}
		words++
		if t, err := text(strings.TrimSuffix(s[:i], ":"), zone); err == nil {
			best, found = t, true
		}
	}
	if !found {
		return Time{}, unread(s)
	}
	return best, nil
}
