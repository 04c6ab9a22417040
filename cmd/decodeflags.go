package cmd

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
)

// decodeFlags say where in a record its event time is, for every command that reads records.
type decodeFlags struct {
	registry    string
	registryTLS tlsFiles
	format      string
	field       string
	unit        string
	zone        string
	schema      string
	message     string
	separator   string

	ready    *sr.Client // the registry, once the context was asked
	resolved bool
}

// registerDecoding adds the flags; unit is what a number is in unless the user says, schema the name of
// the flag for a local schema.
func (f *decodeFlags) registerDecoding(c *cobra.Command, unit, missing, schema string) {
	flags := c.Flags()
	flags.StringVar(&f.registry, "schema-registry", "", "schema registry URL (TIDEMARK_SCHEMA_REGISTRY; login by TIDEMARK_SCHEMA_REGISTRY_AUTH=user:password or a bearer token)")
	flags.StringVar(&f.registryTLS.ca, "schema-registry-ca", "", "certificate authority of the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CA)")
	flags.StringVar(&f.registryTLS.cert, "schema-registry-cert", "", "client certificate for the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CERT)")
	flags.StringVar(&f.registryTLS.key, "schema-registry-key", "", "key of that certificate, PEM file (TIDEMARK_SCHEMA_REGISTRY_KEY)")
	flags.StringVar(&f.format, "format", "", "where the event time is: "+strings.Join(decode.Formats, ", ")+" (raw: the value is the time; timestamp: the record's own)")
	flags.StringVar(&f.field, "field", "", "path of the event time in the payload, header name or column number of a CSV value"+missing)
	flags.StringVar(&f.separator, "separator", ",", "character between the columns of a CSV value")
	flags.StringVar(&f.unit, "unit", unit, "unit of a number: auto, s, ms, us, ns")
	flags.StringVar(&f.zone, "zone", "", "zone of a text without one (default UTC, stated)")
	flags.StringVar(&f.schema, schema, "", "file with an Avro schema or .proto, instead of a registry")
	flags.StringVar(&f.message, "message", "", "Protobuf message in --"+schema)
	fixed(c, "format", decode.Formats...)
	fixed(c, "unit", "auto", "s", "ms", "us", "ns")
}

// aliases are names that formats also go by.
var aliases = map[string]string{"text": decode.Raw, "kafka": decode.Timestamp}

// decoding turns the flags into decoder options; a missing format or field is found from a sample.
func (f *decodeFlags) decoding(e env) (decode.Options, error) {
	o := decode.Options{Format: f.format, Field: f.field, Message: f.message}
	if name, ok := aliases[f.format]; ok {
		o.Format = name
	}
	var err error
	if o.Unit, err = eventtime.ParseUnit(f.unit); err != nil {
		return o, fmt.Errorf("--unit: %w", err)
	}
	if f.zone != "" {
		if o.Zone, err = time.LoadLocation(f.zone); err != nil {
			return o, fmt.Errorf("--zone is %q; it takes a zone such as UTC, Europe/Berlin or Etc/GMT-2, which is UTC+02:00", f.zone)
		}
	}
	switch f.separator {
	case "":
	case "tab", `\t`:
		o.Delimiter = '\t'
	default:
		if o.Delimiter = f.separator[0]; len(f.separator) > 1 {
			return o, fmt.Errorf("--separator is %q; it takes one ASCII character, or tab", f.separator)
		}
	}
	if f.schema != "" {
		text, err := os.ReadFile(f.schema)
		if err != nil {
			return o, fmt.Errorf("--schema: %w", err)
		}
		o.Schema = string(text)
	}
	if o.Registry, err = f.client(e); err != nil {
		return o, err
	}
	if o.Format == "" && o.Field != "" {
		o.Format = decode.JSON
	}
	return o, nil
}

// client speaks to the schema registry; nil when none was named. Without fromContext only flags and
// environment count.
func (f *decodeFlags) client(e env) (*sr.Client, error) {
	if f.resolved {
		return f.ready, nil
	}
	return (&globals{env: e}).schemaRegistry(f.registry, f.registryTLS, true)
}

// fromContext lets the context of the configuration name the registry. It does not where the records
// come from brokers named elsewhere.
func (f *decodeFlags) fromContext(g *globals, elsewhere bool) (err error) {
	f.ready, err = g.schemaRegistry(f.registry, f.registryTLS, elsewhere)
	f.resolved = true
	return err
}
