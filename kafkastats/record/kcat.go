package record

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/tidwall/gjson"
)

// Kcat reads the lines of `kcat -J`: one JSON object per record with topic, partition, offset,
// tstype, ts, key, payload, headers. Path "-" is Stdin; gzip is detected from the content.
type Kcat struct {
	Path  string
	Stdin io.Reader
}

// Read implements Source. Every error names file:line.
func (k Kcat) Read(ctx context.Context, yield func(*Raw) error) error {
	name := k.Path
	if name == "-" {
		name = "stdin"
	}
	seen := map[int32]*int64{}
	var raw Raw
	var fast kcatLine
	return eachLine(ctx, k.Path, k.Stdin, func(line []byte, n int) error {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		raw = Raw{File: name, Line: n, Offset: -1, Type: NoTimestamp, Headers: raw.Headers[:0]}
		if !fast.read(line, &raw) {
			raw = Raw{File: name, Line: n, Offset: -1, Type: NoTimestamp, Headers: raw.Headers[:0]}
			if err := parseKcat(line, &raw); err != nil {
				return fmt.Errorf("%s:%d: %w", name, n, err)
			}
		}
		last := seen[raw.Partition]
		raw.First = last == nil
		switch {
		case last == nil && len(seen) == MaxPartitions:
			return tooMany(name, n, "does \"partition\" hold an offset or a key?")
		case last == nil:
			last = new(int64)
			seen[raw.Partition] = last
		case raw.Offset >= 0 && raw.Offset <= *last:
			return fmt.Errorf("%s:%d: partition %d goes back from offset %d to %d: disorder needs each partition in offset order",
				name, n, raw.Partition, *last, raw.Offset)
		}
		*last = raw.Offset
		return yield(&raw)
	})
}

func parseKcat(line []byte, raw *Raw) error {
	if !gjson.ValidBytes(line) {
		return fmt.Errorf("not a JSON object as kcat -J prints it: %s (CSV of partition, arrival and event time is read from a file named .csv)", Clip(line))
	}
	object := gjson.ParseBytes(line)
	if !object.IsObject() {
		return fmt.Errorf("a JSON %s where kcat -J prints an object: %s", object.Type, Clip(line))
	}
	var err error
	havePartition := false
	object.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "topic":
			raw.Topic = v.String()
		case "partition":
			var p int64
			p, err = integer(v, "partition")
			if p < 0 || p > 1<<30 {
				err = fmt.Errorf("partition %s is not a partition", Clip([]byte(v.Raw)))
			}
			raw.Partition, havePartition = int32(p), true
		case "offset":
			raw.Offset, err = integer(v, "offset")
		case "ts":
			raw.Timestamp, err = integer(v, "ts")
		case "tstype":
			raw.Type, err = kcatType(v)
		case "key":
			raw.Key = kcatBytes(v)
		case "payload":
			raw.Value = kcatBytes(v)
		case "headers":
			raw.Headers, err = kcatHeaders(v, raw.Headers)
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case !havePartition:
		return fmt.Errorf("no partition in this record: %s", Clip(line))
	case raw.Timestamp < 0:
		raw.Type = NoTimestamp
	}
	return nil
}

func integer(v gjson.Result, name string) (int64, error) {
	if v.Type == gjson.Number {
		if n, err := strconv.ParseInt(v.Raw, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s is %s, not a whole number", name, Clip([]byte(v.Raw)))
}

func kcatType(v gjson.Result) (TimestampType, error) {
	switch v.String() {
	case "create":
		return CreateTime, nil
	case "logappend":
		return AppendTime, nil
	case "unknown", "none", "":
		return NoTimestamp, nil
	}
	return NoTimestamp, fmt.Errorf("tstype is %s, not create, logappend or unknown", Clip([]byte(v.Raw)))
}

// kcatBytes is the text of a string, nil for null, and the JSON itself if kcat decoded Avro (-s).
func kcatBytes(v gjson.Result) []byte {
	switch v.Type {
	case gjson.Null:
		return nil
	case gjson.String:
		return []byte(v.Str)
	}
	return []byte(v.Raw)
}

// kcatHeaders reads the flat list that kcat prints: name, value, name, value.
func kcatHeaders(v gjson.Result, into []Header) ([]Header, error) {
	list := v.Array()
	if len(list)%2 != 0 {
		return nil, fmt.Errorf("headers hold %d entries, kcat prints name and value in turn", len(list))
	}
	for i := 0; i < len(list); i += 2 {
		into = append(into, Header{Key: list[i].String(), Value: kcatBytes(list[i+1])})
	}
	return into, nil
}

// Clip quotes foreign text for an error, shortened and without control characters.
func Clip(b []byte) string {
	const most = 80
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
