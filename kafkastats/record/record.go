// Package record is what every measurement starts from: one Kafka record, wherever it was read,
// and the point of event time that is left of it once its timestamp is known.
package record

import (
	"context"
	"fmt"
	"strconv"

	"tidemark/internal/units"
)

// TimestampType says what the broker's record timestamp means. It is a property of the record:
// a topic whose configuration was changed holds both kinds.
type TimestampType int8

// The values are those of the Kafka record format (attribute bit 3; -1 before format v1).
const (
	NoTimestamp TimestampType = -1
	CreateTime  TimestampType = 0
	AppendTime  TimestampType = 1
)

func (t TimestampType) String() string {
	switch t {
	case CreateTime:
		return "CreateTime"
	case AppendTime:
		return "LogAppendTime"
	}
	return "none"
}

// Header is one record header; a null value is nil.
type Header struct {
	Key   string
	Value []byte
}

// Raw is one record as it was read. Key and Value are nil when null; with Headers they belong to the source:
// they are valid until the yield function returns.
type Raw struct {
	Topic     string
	Partition int32
	Offset    int64
	Timestamp int64 // ms; meaningless when Type is NoTimestamp
	Type      TimestampType
	Key       []byte
	Value     []byte
	Headers   []Header
	// PreRoll marks a record read only to learn the running maximum before the part that counts.
	PreRoll bool
	// First marks the first record of its partition after a gap in the reading.
	First bool
	// File and Line are set by file sources; Line counts from 1.
	File string
	Line int
}

// Place names the record for a message: file:line, or topic-partition@offset.
func (r *Raw) Place() string {
	if r.File != "" {
		return r.File + ":" + strconv.Itoa(r.Line)
	}
	return fmt.Sprintf("%q partition %d offset %d", r.Topic, r.Partition, r.Offset)
}

// MaxPartitions is how many partitions a file may name: far more than a topic has. What has more is mostly read
// by the wrong column.
const MaxPartitions = 100_000

// tooMany refuses a file by the place of the first partition beyond MaxPartitions.
func tooMany(name string, line int, hint string) error {
	return fmt.Errorf("%s:%d: more than %s partitions, which no topic has: %s", name, line, units.Count(MaxPartitions), hint)
}

// Source yields records, each partition in offset order. Read ends with nil when the source is
// exhausted, with ctx's error when interrupted and with the first error of yield unchanged.
type Source interface {
	Read(ctx context.Context, yield func(*Raw) error) error
}

// State says whether a record has an event time.
type State int8

// A record without a usable event time is counted, never fatal and never part of a maximum.
const (
	Usable      State = iota
	Tombstone         // null value
	Missing           // the field is absent or null
	Undecodable       // the payload or the text of the field cannot be read
	Sentinel          // -1, Long.MIN_VALUE, Long.MAX_VALUE, or zero and below on a topic of our days
	Snapshot          // a row that a connector copied from its table, and no change
)

func (s State) String() string {
	return [...]string{"usable", "tombstone", "missing", "undecodable", "sentinel", "snapshot row"}[s]
}

// Point is a record reduced to its times, in epoch ms. Arrival is the Kafka record timestamp (or
// the moment a live tail saw it); it is meaningless when Type is NoTimestamp. A million of them are
// kept for a replay, so the fields are ordered for size.
type Point struct {
	Offset    int64
	Arrival   int64
	Event     int64
	Partition int32
	Type      TimestampType
	State     State
	PreRoll   bool
	First     bool
}
