// Package decode finds the event time of a record: in a JSON, Avro, Protobuf, CSV or Debezium
// payload, in a header, in the key, or in the Kafka timestamp itself.
package decode

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// Formats that a payload can have.
const (
	JSON       = "json"
	JSONSchema = "jsonschema"
	Avro       = "avro"
	Protobuf   = "protobuf"
	CSV        = "csv"
	Debezium   = "debezium"
	Header     = "header"
	Key        = "key"
	Timestamp  = "timestamp"
	Raw        = "raw"
)

// reading reads the event time of a record.
type reading = func(*record.Raw) (any, error)

// format says how a record is read, which settings the format takes besides those of every payload,
// and whether a field must be named.
type format struct {
	name       string
	open       func(context.Context, Options) (reading, error)
	takes      []string
	needsField bool
}

// registrySettings are the settings that say how to reach a schema registry.
var registrySettings = []string{"schema-registry", "schema-registry-ca", "schema-registry-cert", "schema-registry-key"}

var formats = []format{
	{JSON, each(func(r *record.Raw, o Options) (any, error) { return jsonField(r.Value, o.Field) }), []string{"field"}, true},
	{JSONSchema, each(func(r *record.Raw, o Options) (any, error) { return jsonField(unframe(r.Value), o.Field) }), append(registrySettings, "field"), true},
	{Avro, inTree(avroTree), append(registrySettings, "field", "payload-schema"), true},
	{Protobuf, inTree(protoTree), append(registrySettings, "field", "payload-schema", "message"), true},
	{CSV, csvColumn, []string{"field", "separator"}, true},
	{Debezium, changeEvent, append(registrySettings, "field", "payload-schema"), false},
	{Header, each(headerValue), []string{"field"}, true},
	{Key, each(keyValue), []string{"field"}, false},
	{Timestamp, each(kafkaTime), nil, false},
	{Raw, each(rawText), nil, false},
}

// each opens a format that needs no preparation.
func each(read func(*record.Raw, Options) (any, error)) func(context.Context, Options) (reading, error) {
	return func(_ context.Context, o Options) (reading, error) {
		return func(r *record.Raw) (any, error) { return read(r, o) }, nil
	}
}

// Formats are the names of the formats.
var Formats = func() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}()

func needsField(name string) bool {
	f, err := formatNamed(name)
	return err == nil && f.needsField
}

// opened returns the reader of the format; a field need not be named.
func opened(ctx context.Context, o Options) (reading, error) {
	f, err := formatNamed(o.Format)
	if err != nil {
		return nil, err
	}
	return f.open(ctx, o)
}

func formatNamed(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("format %q is none of %s", name, strings.Join(Formats, ", "))
}

// Options of an extractor.
type Options struct {
	Format    string // one of Formats
	Field     string // path in the payload, header name, or CSV column from 1
	Unit      eventtime.Unit
	Zone      *time.Location // for text without a zone; nil: UTC
	Schema    string         // text of a local Avro schema or .proto file
	Message   string         // Protobuf message; empty: the first
	Delimiter byte           // CSV; 0: comma
	Registry  *sr.Client     // nil: none

	snapshots *envelope // recognises snapshot rows; nil: there are none
}
