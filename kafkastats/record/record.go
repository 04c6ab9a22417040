// Package record defines the input of every measurement: one Kafka record, wherever it was read,
// and the point of event time that remains once its timestamp is known.
package record

import (
	"context"
	"fmt"
	"strconv"

	"tidemark/internal/units"
)

// TimestampType is the meaning of the broker's record timestamp. It is a property of the record:
// a topic whose configuration was changed has both types.
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

// Raw is one record as it was read. Key and Value are nil if null. They and the Headers belong to
// the source: they are valid until the yield function returns.
type Raw struct {
	Topic     string
	Partition int32
	Offset    int64
	Timestamp int64 // ms; meaningless when Type is NoTimestamp
	Type      TimestampType
	Key       []byte
	Value     []byte
	Headers   []Header
	// PreRoll marks a record that is read only for the running maximum before the counted part.
	PreRoll bool
	// First marks the first record of its partition after a gap in the reading.
	First bool
	// File and Line are set by file sources; Line counts from 1.
	File string
	Line int
}

// Place describes the record's position for a message: file:line, or topic-partition@offset.
func (r *Raw) Place() string {
	if r.File != "" {
		return r.File + ":" + strconv.Itoa(r.Line)
	}
	return fmt.Sprintf("%q partition %d offset %d", r.Topic, r.Partition, r.Offset)
}

// MaxPartitions is the largest number of partitions in a file: far more than a topic has. If
// there are more, the wrong column was probably read.
const MaxPartitions = 100_000

// tooMany refuses a file, with the place of the first partition beyond MaxPartitions.
func tooMany(name string, line int, hint string) error {
	return fmt.Errorf("%s:%d: more than %s partitions, which no topic has: %s", name, line, units.Count(MaxPartitions), hint)
}

// Source yields records, each partition in offset order. Read returns nil at the end of the
// source, ctx's error if interrupted, and the first error of yield unchanged.
type Source interface {
	Read(ctx context.Context, yield func(*Raw) error) error
}

// State says whether a record has an event time.
type State int8

// A record without a usable event time is counted. It is never fatal and never part of a maximum.
const (
	Usable      State = iota
	Tombstone         // null value
	Missing           // the field is absent or null
	Undecodable       // the payload or the text of the field cannot be read
	Sentinel          // -1, Long.MIN_VALUE, Long.MAX_VALUE, or zero and below in a recent topic
	Snapshot          // a row that a connector copied from its table, not a change
)

func (s State) String() string {
	return [...]string{"usable", "tombstone", "missing", "undecodable", "sentinel", "snapshot row"}[s]
}

// Point is a record reduced to its times, in epoch ms. Arrival is the Kafka record timestamp (or
// the time at which a live tail saw it); it is meaningless if Type is NoTimestamp. A million of
// them are kept for a replay, so the fields are ordered for size.
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
