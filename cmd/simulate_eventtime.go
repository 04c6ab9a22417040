package cmd

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"tidemark/kafkastats/record"
)

// eventTime says where a record carries its event time.
type eventTime struct {
	format    string // json, csv, text or kafka
	field     string // JSON path, or column of a CSV value counted from 1
	separator string
	unit      string // s, ms, us, ns of a number
	zone      string // of a time without one
	location  *time.Location
	column    int
}

func (e *eventTime) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.format, "format", "", "what a value is: json, csv, text (the value is the time) or kafka (the record's own timestamp)")
	f.StringVar(&e.field, "field", "", "where the event time is: a JSON path, or a column number of a CSV value")
	f.StringVar(&e.separator, "separator", ",", "between the columns of a CSV value")
	f.StringVar(&e.unit, "unit", "ms", "of a number: s, ms, us or ns")
	f.StringVar(&e.zone, "zone", "UTC", "of a time that names none")
	fixed(c, "format", "json", "csv", "text", "kafka")
	fixed(c, "unit", "s", "ms", "us", "ns")
}

// prepare resolves the format that the input suggests where none was named.
func (e *eventTime) prepare(columns bool) error {
	switch {
	case e.format == "" && columns:
		e.format = "text"
	case e.format == "" && e.field != "" && isColumn(e.field):
		e.format = "csv"
	case e.format == "" && e.field != "":
		e.format = "json"
	case e.format == "":
		return usagef("where is the event time? --field PATH of a JSON value, --format csv --field COLUMN, --format text, or --format kafka for the record's own timestamp")
	}
	if err := oneOf("--format", e.format, "json", "csv", "text", "kafka"); err != nil {
		return err
	}
	if err := oneOf("--unit", e.unit, "s", "ms", "us", "ns"); err != nil {
		return err
	}
	var err error
	if e.location, err = time.LoadLocation(e.zone); err != nil {
		return usagef("--zone is %q; it takes a zone such as UTC or Europe/Berlin", e.zone)
	}
	switch e.format {
	case "csv":
		if !isColumn(e.field) || e.separator == "" {
			return usagef("--field is %q; with --format csv it takes a column number from 1, and --separator a text", e.field)
		}
		e.column, _ = strconv.Atoi(e.field) // isColumn looked
	case "json":
		if e.field == "" {
			return usagef("--format json needs --field PATH")
		}
	}
	return nil
}

func isColumn(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n < 10_000
}

// of is the event time of a record in ms; the error says why it has none, without its place.
func (e *eventTime) of(r *record.Raw) (int64, error) {
	if e.format == "kafka" {
		if r.Type == record.NoTimestamp {
			return 0, fmt.Errorf("the record has no Kafka timestamp")
		}
		return r.Timestamp, nil
	}
	if r.Value == nil {
		return 0, fmt.Errorf("no event time: the value is null")
	}
	switch e.format {
	case "json":
		found := gjson.GetBytes(r.Value, e.field)
		switch found.Type {
		case gjson.Number:
			return e.number(found.Raw)
		case gjson.String:
			return e.text(found.Str)
		}
		if !gjson.ValidBytes(r.Value) {
			return 0, fmt.Errorf("the value is not JSON: %s", clip(r.Value))
		}
		return 0, fmt.Errorf("no field %q in %s", e.field, clip(r.Value))
	case "csv":
		rest := r.Value
		for i := 1; i < e.column; i++ {
			_, after, ok := bytes.Cut(rest, []byte(e.separator))
			if !ok {
				return 0, fmt.Errorf("no column %d in %s", e.column, clip(r.Value))
			}
			rest = after
		}
		cell, _, _ := bytes.Cut(rest, []byte(e.separator))
		return e.text(strings.Trim(string(cell), "\" \t"))
	}
	return e.text(strings.TrimSpace(string(r.Value)))
}

// maxEventTime keeps event times where a bound, a window or a lag can still be added.
const maxEventTime = int64(1) << 61

func (e *eventTime) text(s string) (int64, error) {
	if s == "" {
		return 0, fmt.Errorf("no event time: the field is empty")
	}
	if digits := strings.TrimLeft(s, "+-"); digits != "" && strings.Trim(digits, "0123456789.") == "" {
		return e.number(s)
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.ParseInLocation(layout, s, e.location); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, fmt.Errorf("event time is %s, neither a number nor a time", clip([]byte(s)))
}

// number scales a number of the unit to ms; digits after the point are finer than any window and cut.
func (e *eventTime) number(s string) (int64, error) {
	if e.unit == "s" {
		whole, fraction, _ := strings.Cut(s, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || n > maxEventTime/1000 || n < -maxEventTime/1000 {
			return 0, outOfRange(s)
		}
		ms, err := strconv.ParseInt((fraction + "000")[:3], 10, 64)
		if err != nil {
			return 0, outOfRange(s)
		}
		if strings.HasPrefix(whole, "-") {
			ms = -ms
		}
		return n*1000 + ms, nil
	}
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > maxEventTime || n < -maxEventTime {
		return 0, outOfRange(s)
	}
	switch e.unit {
	case "us":
		return floorDiv(n, 1000), nil
	case "ns":
		return floorDiv(n, 1_000_000), nil
	}
	return n, nil
}

func outOfRange(s string) error {
	return fmt.Errorf("event time %s is out of range: Flink's smallest and largest watermarks leave no room around it", clip([]byte(s)))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func clip(b []byte) string {
	const most = 80
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
