package decode

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
	"tidemark/request"
)

// Where says, in the user's terms, where in a record its event time is. What is left out is
// detected or has its default.
type Where struct {
	Format    string     `flag:"format" doc:"where the event time is: json, jsonschema, avro, protobuf, csv, debezium, header, key, timestamp, raw (raw: the value is the time; timestamp: the record's own)"`
	Field     string     `flag:"field" doc:"path of the event time in the payload, header name or column number of a CSV value; recommend and observe detect it if it is not given"`
	Separator string     `flag:"separator" doc:"character between the columns of a CSV value"`
	Unit      string     `flag:"unit" doc:"unit of a number: auto, s, ms, us, ns" words:"auto,s,ms,us,ns"`
	Zone      string     `flag:"zone" doc:"time zone of a text without one (default UTC; the report says so)"`
	Schema    string     `flag:"payload-schema" alias:"schema" doc:"file with an Avro schema or .proto, instead of a registry" file:"true"`
	Message   string     `flag:"message" doc:"Protobuf message in --payload-schema"`
	Registry  *sr.Client // nil: none
}

// Detected leaves everything to detection; the unit of a number is guessed from its size. Flink
// reads milliseconds: every conversion is reported.
func Detected() Where { return Where{Separator: ",", Unit: "auto"} }

// aliases are other names of formats.
var aliases = map[string]string{"text": Raw, "kafka": Timestamp}

// FormatGiven is the requested format, by its canonical name; empty: none.
func (w Where) FormatGiven() string {
	if name, ok := aliases[w.Format]; ok {
		return name
	}
	return w.Format
}

// Location is the zone of a text without one; nil: not given.
func (w Where) Location() (*time.Location, error) {
	if w.Zone == "" {
		return nil, nil
	}
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return nil, request.Wrong("zone", "is %q; it takes a zone such as UTC, Europe/Berlin or Etc/GMT-2, which is UTC+02:00", w.Zone)
	}
	return zone, nil
}

// Options converts the settings to the options of an extractor. A field without a format means
// JSON; a missing format or field is left to Resolve.
func (w Where) Options() (Options, error) {
	o := Options{Format: w.FormatGiven(), Field: w.Field, Message: w.Message, Registry: w.Registry}
	var err error
	if o.Format != "" && !slices.Contains(Formats, o.Format) {
		return o, request.Wrong("format", "is %q; it takes %s", w.Format, strings.Join(Formats, ", "))
	}
	if o.Unit, err = eventtime.ParseUnit(w.Unit); err != nil {
		return o, request.Wrong("unit", "is %q; it takes auto, s, ms, us, ns", w.Unit)
	}
	if o.Zone, err = w.Location(); err != nil {
		return o, err
	}
	switch w.Separator {
	case "", ",": // the default, or what the texts suggest
	case "tab", `\t`:
		o.Delimiter = '\t'
	default:
		if o.Delimiter = w.Separator[0]; len(w.Separator) > 1 {
			return o, request.Wrong("separator", "is %q; it takes one ASCII character, or tab", w.Separator)
		}
	}
	if w.Schema != "" {
		text, err := os.ReadFile(w.Schema)
		if err != nil {
			return o, request.Wrong("payload-schema", "cannot be read: %w", err)
		}
		o.Schema = string(text)
	}
	if o.Format == "" && o.Field != "" {
		o.Format = JSON
	}
	return o, nil
}

// Unused refuses a setting that the format does not use; a format that is still to be detected
// uses all.
func (w Where) Unused(given request.Given, format string) error {
	why := "the event time is read as " + format
	var unused []string
	if f, err := formatNamed(format); err == nil {
		for _, setting := range append(append([]string{"separator", "message", "payload-schema"}, registrySettings...), "field") {
			if !slices.Contains(f.takes, setting) {
				unused = append(unused, setting)
			}
		}
	}
	if format == Timestamp {
		unused = append(unused, "unit", "zone")
	}
	return given.Unused(fmt.Sprintf("%s (--format)", why), unused...)
}

// Extractor detects what was left out, from a sample, and prepares to read; an error of a setting
// is a request.Mistake.
func (w Where) Extractor(ctx context.Context, given request.Given, sample []record.Raw) (e *Extractor, f Found, err error) {
	o, err := w.Options()
	if err != nil {
		return nil, f, err
	}
	if f, err = Resolve(ctx, o, sample); err != nil {
		return nil, f, request.Bad(err)
	}
	if err := w.Unused(given, f.Format); err != nil {
		return nil, f, err
	}
	e, err = New(ctx, f.Options)
	return e, f, request.Bad(err)
}
