package eventtime

import "regexp"

// refusals are ways to write a time that leave out necessary information.
var refusals = []struct {
	shape *regexp.Regexp
	why   string
}{
	{regexp.MustCompile(`^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b`), "a date whose first two numbers may be day and month or month and day: send ISO 8601 or epoch milliseconds"},
	{regexp.MustCompile(`^[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d( |$)`), "a time of syslog without its year: send RFC 5424 or ISO 8601"},
	{regexp.MustCompile(`^\d{1,2}:\d\d(:\d\d)?([.,]\d+)?( ?[AaPp][Mm])?$`), "a time of day without its date"},
	{regexp.MustCompile(`(?i)\d\d:\d\d:\d\d.* (EST|EDT|CST|CDT|MST|MDT|PST|PDT|CET|CEST|BST|IST|JST|AEST|MSK)( \d{4})?$`), "a time with the short name of a zone, which several zones share: send its offset"},
	{regexp.MustCompile(`^(19|20)\d{12}$`), "digits of a date and a time without anything between: send ISO 8601 or epoch milliseconds"},
}

// Refused says why a text that looks like a time cannot be read as one; empty for any other text.
func Refused(s string) string {
	for _, r := range refusals {
		if r.shape.MatchString(s) {
			return r.why
		}
	}
	return ""
}
