package decode

import (
	"strings"

	"github.com/tidwall/gjson"
)

// envelope is a common format that wraps events: its shape says which of its times is the event
// time, and which were set while a system handled the record.
type envelope struct {
	name   string
	shape  func(root gjson.Result) bool
	events []string // paths of the event time; the first that a record has is used
	format string   // one of Formats, if it reads the envelope better than a path; then no path is named
	// handled are names of times that were set while a system handled the record.
	handled []string
	// snapshot reports a row that was copied from the table as it was, and is not a change; nil:
	// the envelope has none.
	snapshot func(root gjson.Result) bool
}

func has(root gjson.Result, names ...string) bool {
	for _, name := range names {
		if !root.Get(name).Exists() {
			return false
		}
	}
	return true
}

func any1(root gjson.Result, names ...string) bool {
	for _, name := range names {
		if root.Get(name).Exists() {
			return true
		}
	}
	return false
}

// envelopes are tried in this order. Sources: Debezium's documentation of change events and of
// event flattening; CloudEvents 1.0.2; OpenTelemetry's protocol for logs, traces and metrics
// (JSON); Segment's common fields; Snowplow's canonical event model; the formats of Maxwell,
// Canal and Oracle GoldenGate.
var envelopes = []envelope{
	{name: "Debezium", format: Debezium,
		shape:   func(r gjson.Result) bool { r = inner(r); return r.Get("op").Exists() && r.Get("source").IsObject() },
		handled: []string{"ts_ms", "ts_us", "ts_ns", "payload.ts_ms", "payload.ts_us", "payload.ts_ns"},
		snapshot: func(r gjson.Result) bool {
			r = inner(r)
			return snapshotFlag(r.Get("op").Str, r.Get("source.snapshot"))
		}},
	{name: "Debezium, flattened", events: []string{"__source_ts_ms"},
		shape: func(r gjson.Result) bool {
			return has(r, "__source_ts_ms") && any1(r, "__op", "__deleted", "__ts_ms", "__table")
		},
		handled:  []string{"__ts_ms"},
		snapshot: func(r gjson.Result) bool { return snapshotFlag(r.Get("__op").Str, r.Get("__source_snapshot")) }},
	{name: "Maxwell", events: []string{"ts"},
		shape: func(r gjson.Result) bool {
			return has(r, "database", "table", "type", "data", "ts") && any1(r, "xid", "commit", "position")
		},
		snapshot: func(r gjson.Result) bool { return strings.HasPrefix(r.Get("type").Str, "bootstrap-") }},
	{name: "Canal", events: []string{"es"}, handled: []string{"ts"},
		shape: func(r gjson.Result) bool {
			return has(r, "database", "table", "type", "es") && any1(r, "isDdl", "mysqlType", "sqlType", "pkNames")
		}},
	{name: "Oracle GoldenGate", events: []string{"op_ts"}, handled: []string{"current_ts"},
		shape: func(r gjson.Result) bool { return has(r, "op_type", "op_ts", "table") }},
	{name: "CloudEvents", events: []string{"time"},
		shape: func(r gjson.Result) bool { return has(r, "specversion", "id", "source", "type", "time") }},
	{name: "OpenTelemetry", events: []string{"timeUnixNano", "startTimeUnixNano"}, handled: []string{"observedTimeUnixNano"},
		shape: func(r gjson.Result) bool { return any1(r, "timeUnixNano", "startTimeUnixNano") }},
	{name: "OpenTelemetry", events: []string{"resourceLogs.0.scopeLogs.0.logRecords.0.timeUnixNano", "resourceSpans.0.scopeSpans.0.spans.0.startTimeUnixNano"},
		shape: func(r gjson.Result) bool { return any1(r, "resourceLogs.0.scopeLogs", "resourceSpans.0.scopeSpans") }},
	{name: "Segment", events: []string{"timestamp", "originalTimestamp"}, handled: []string{"sentAt", "receivedAt"},
		shape: func(r gjson.Result) bool {
			return has(r, "messageId") && any1(r, "originalTimestamp", "receivedAt", "sentAt") && any1(r, "timestamp", "originalTimestamp")
		}},
	{name: "Snowplow", events: []string{"derived_tstamp", "dvce_created_tstamp"}, handled: []string{"collector_tstamp", "dvce_sent_tstamp", "etl_tstamp", "load_tstamp"},
		shape: func(r gjson.Result) bool {
			return has(r, "collector_tstamp") && any1(r, "derived_tstamp", "dvce_created_tstamp")
		}},
}

// inner is the payload that Kafka Connect's JSON converter wraps together with its schema.
func inner(root gjson.Result) gjson.Result {
	if p := root.Get("payload"); p.IsObject() && root.Get("schema").Exists() {
		return p
	}
	return root
}

// snapshotFlag reports Debezium's mark of a snapshot row: the operation r, or snapshot set to
// true, first, last and so on. Rows of an incremental snapshot only have the operation.
func snapshotFlag(op string, flag gjson.Result) bool {
	switch flag.String() {
	case "", "false", "null":
		return op == "r"
	}
	return true
}

// envelopeOf is the envelope that most of the payloads have, nil when there is none.
func envelopeOf(payloads []gjson.Result) *envelope {
	for i := range envelopes {
		n := 0
		for _, p := range payloads {
			if envelopes[i].shape(p) {
				n++
			}
		}
		if n > 0 && 2*n >= len(payloads) {
			return &envelopes[i]
		}
	}
	return nil
}

// path is the first of the envelope's times that the payloads have, including Kafka Connect's
// wrapper.
func (e *envelope) path(payloads []gjson.Result) string {
	for _, prefix := range []string{"", "payload."} {
		for _, path := range e.events {
			for _, p := range payloads {
				if p.Get(prefix + path).Exists() {
					return prefix + path
				}
			}
		}
	}
	return ""
}

// connectTimes are the fields that are times according to the schema which Kafka Connect's JSON
// converter includes:
// `{"schema":{"fields":[{"field":"at","name":"org.apache.kafka.connect.data.Timestamp"}]},"payload":{…}}`.
func connectTimes(root gjson.Result) map[string]bool {
	out := map[string]bool{}
	var walk func(prefix string, schema gjson.Result, depth int)
	walk = func(prefix string, schema gjson.Result, depth int) {
		schema.Get("fields").ForEach(func(_, f gjson.Result) bool {
			path := prefix + "." + gjsonEscape(f.Get("field").Str)
			name := f.Get("name").Str
			short := name[strings.LastIndexByte(name, '.')+1:]
			switch {
			case strings.HasPrefix(name, "org.apache.kafka.connect.data.") && short == "Timestamp",
				strings.HasPrefix(name, "io.debezium.time.") && strings.HasSuffix(short, "Timestamp"):
				out[path] = true
			case depth < 6:
				walk(path, f, depth+1)
			}
			return true
		})
	}
	walk("payload", root.Get("schema"), 0)
	return out
}
