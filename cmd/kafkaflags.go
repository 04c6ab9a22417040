package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
)

// kafkaFlags say where a topic is and where in a record its event time is.
type kafkaFlags struct {
	brokers       []string
	config        string
	rack          string
	readCommitted bool
	bytesPerSec   int64
	registry      string
	registryTLS   tlsFiles
	format        string
	field         string
	unit          string
	zone          string
	schema        string
	message       string
	maxErrors     int64
}

func (f *kafkaFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&f.brokers, "brokers", nil, "Kafka brokers, host:port (TIDEMARK_BROKERS)")
	flags.StringVar(&f.config, "kafka-config", "", "client.properties file as the Java tools read it (TIDEMARK_KAFKA_CONFIG)")
	flags.StringVar(&f.rack, "rack", "", "fetch from the replica in this rack")
	flags.BoolVar(&f.readCommitted, "read-committed", false, "see only committed transactions, as the job does")
	flags.Int64Var(&f.bytesPerSec, "max-bytes-per-second", 0, "limit the load on the brokers")
	flags.StringVar(&f.registry, "schema-registry", "", "schema registry URL (TIDEMARK_SCHEMA_REGISTRY; login by TIDEMARK_SCHEMA_REGISTRY_AUTH=user:password or a bearer token)")
	flags.StringVar(&f.registryTLS.ca, "schema-registry-ca", "", "certificate authority of the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CA)")
	flags.StringVar(&f.registryTLS.cert, "schema-registry-cert", "", "client certificate for the schema registry, PEM file (TIDEMARK_SCHEMA_REGISTRY_CERT)")
	flags.StringVar(&f.registryTLS.key, "schema-registry-key", "", "key of that certificate, PEM file (TIDEMARK_SCHEMA_REGISTRY_KEY)")
	flags.StringVar(&f.format, "format", "", "where the event time is: "+strings.Join(decode.Formats, ", "))
	flags.StringVar(&f.field, "field", "", "path of the event time in the payload, header name or CSV column; found and stated when missing")
	flags.StringVar(&f.unit, "unit", "auto", "unit of a number: auto, s, ms, us, ns")
	flags.StringVar(&f.zone, "zone", "", "zone of a text without one, and of --hours (default UTC, stated)")
	flags.StringVar(&f.schema, "schema", "", "file with an Avro schema or .proto, instead of a registry")
	flags.StringVar(&f.message, "message", "", "Protobuf message in --schema")
	flags.Int64Var(&f.maxErrors, "max-errors", 1000, "undecodable records before giving up; -1: never")
}

// conn gives the connection options and whether only committed records are wanted.
func (f *kafkaFlags) conn(g *globals) ([]kgo.Opt, bool, error) {
	o, err := g.kafkaOptions(f.brokers, f.config)
	if err != nil {
		return nil, false, err
	}
	o.Rack = f.rack
	opts, err := o.Opts()
	return opts, f.readCommitted || o.Settings.ReadCommitted(), err
}

// decoding turns the flags into decoder options; a missing format or field is found from a sample.
func (f *kafkaFlags) decoding(ctx context.Context, g *globals) (decode.Options, error) {
	o := decode.Options{Format: f.format, Field: f.field, Message: f.message}
	var err error
	if o.Unit, err = eventtime.ParseUnit(f.unit); err != nil {
		return o, fmt.Errorf("--unit: %w", err)
	}
	if f.zone != "" {
		if o.Zone, err = time.LoadLocation(f.zone); err != nil {
			return o, fmt.Errorf("--zone: %w", err)
		}
	}
	if f.schema != "" {
		text, err := os.ReadFile(f.schema)
		if err != nil {
			return o, fmt.Errorf("--schema: %w", err)
		}
		o.Schema = string(text)
	}
	if o.Registry, err = g.schemaRegistry(ctx, f.registry, f.registryTLS, len(f.brokers) > 0 || f.config != ""); err != nil {
		return o, err
	}
	if o.Format == "" && o.Field != "" {
		o.Format = decode.JSON
	}
	return o, nil
}

// lookSize is how many records are looked at to find the event time or check a field.
const lookSize = 300

var errEnough = errors.New("enough")

// resolve fills in format and field from the first records and says what it chose. A named field
// that none of them has is an error that lists those found.
func resolve(ctx context.Context, o decode.Options, sample []record.Raw) (_ decode.Options, note string, err error) {
	switch o.Format {
	case decode.Timestamp, decode.Raw, decode.Debezium, decode.Key:
		return o, "", nil
	}
	if len(sample) == 0 {
		if o.Format == "" {
			o.Format = decode.Timestamp
		}
		return o, "", nil
	}
	if o.Field != "" {
		e, err := decode.New(ctx, o)
		if err != nil {
			return o, "", err
		}
		undecodable, first := 0, error(nil)
		for i := range sample {
			p, err := e.Point(&sample[i])
			if p.State == record.Usable {
				return o, "", nil
			}
			if p.State == record.Undecodable && err != nil {
				undecodable++
				if first == nil {
					first = err
				}
			}
		}
		// A registry that refuses, or another format, is not a question of the field.
		if undecodable == len(sample) && o.Format != decode.JSON {
			return o, "", fmt.Errorf("none of the first %d records can be read: %w", len(sample), first)
		}
	}
	found, err := decode.Find(ctx, o, sample)
	if err != nil {
		return o, "", err
	}
	var names []string
	for _, c := range found[:min(5, len(found))] {
		names = append(names, c.String())
	}
	list := strings.Join(names, "; ")
	switch {
	case o.Field != "" && list == "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records, and no other field looks like one", o.Field, len(sample))
	case o.Field != "":
		return o, "", fmt.Errorf("no event time in field %q of the first %d records; found: %s", o.Field, len(sample), list)
	case len(found) == 0 && o.Format != "":
		return o, "", fmt.Errorf("no field of the first %d records looks like an event time: name it with --field", len(sample))
	case len(found) == 0:
		o.Format = decode.Timestamp
		return o, "no field of the payload looks like an event time: the Kafka timestamp is taken (name one with --field)", nil
	}
	o.Format, o.Field = found[0].Format, found[0].Field
	return o, "event time chosen: " + list, nil
}

// sampleOf keeps the first records of a source.
func sampleOf(read func(func(*record.Raw) error) error) ([]record.Raw, error) {
	var out []record.Raw
	err := read(func(r *record.Raw) error {
		c := *r
		c.Key, c.Value = append([]byte(nil), r.Key...), append([]byte(nil), r.Value...)
		if r.Value == nil {
			c.Value = nil
		}
		c.Headers = append([]record.Header(nil), r.Headers...)
		out = append(out, c)
		if len(out) >= lookSize {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// sampleTopic reads the first records of each partition's range.
func sampleTopic(ctx context.Context, t topic.Options, ranges []topic.Range) ([]record.Raw, error) {
	t.Ranges = nil
	each := int64(lookSize/max(1, len(ranges)) + 1)
	for _, r := range ranges {
		t.Ranges = append(t.Ranges, topic.Range{Partition: r.Partition, PreRoll: r.From, From: r.From, To: min(r.To, r.From+each)})
	}
	return sampleOf(func(yield func(*record.Raw) error) error {
		_, err := topic.Read(ctx, t, yield)
		return err
	})
}
