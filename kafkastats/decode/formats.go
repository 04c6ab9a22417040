// Package decode finds the event time of a record: in a JSON, Avro, Protobuf, CSV or Debezium
// payload, in a header, in the key, or in the Kafka timestamp itself.
package decode

import (
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"tidemark/kafkastats/eventtime"
)

// Formats a payload can have.
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

// Formats lists them for usage texts.
var Formats = []string{JSON, JSONSchema, Avro, Protobuf, CSV, Debezium, Header, Key, Timestamp, Raw}

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

	snapshots *envelope // marks rows of a snapshot; nil: there are none to tell apart
}
