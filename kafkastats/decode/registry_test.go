package decode

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

// served is a registry that speaks the real protocol, with the schemas of one shop.
type served struct {
	*srfake.Registry
	client   *sr.Client
	requests atomic.Int64
}

func newServed(t *testing.T) *served {
	t.Helper()
	s := &served{Registry: srfake.New()}
	t.Cleanup(s.Close)
	s.Intercept(func(http.ResponseWriter, *http.Request) bool { s.requests.Add(1); return false })
	var err error
	if s.client, err = sr.NewClient(sr.URLs(s.URL())); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *served) register(t *testing.T, subject string, kind sr.SchemaType, text string, refs ...sr.SchemaReference) uint32 {
	t.Helper()
	id, _, err := s.RegisterSchema(subject, sr.Schema{Schema: text, Type: kind, References: refs})
	if err != nil {
		t.Fatal(err)
	}
	return uint32(id)
}

func ref(name, subject string) sr.SchemaReference {
	return sr.SchemaReference{Name: name, Subject: subject, Version: 1}
}

const (
	avroClock   = `{"type":"record","name":"Clock","namespace":"shop","fields":[{"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}}]}`
	avroOrigin  = `{"type":"record","name":"Origin","namespace":"shop","fields":[{"name":"clock","type":"shop.Clock"},{"name":"site","type":["null","string"]}]}`
	avroPayment = `{"type":"record","name":"Payment","namespace":"shop","fields":[{"name":"paid","type":["null","shop.Clock"]}]}`
	avroOrder   = `{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"string"},{"name":"origin","type":["null","shop.Origin"]},
 {"name":"payment","type":["null","string","shop.Payment"]},{"name":"steps","type":{"type":"array","items":"shop.Clock"}}]}`
)

// encode writes a value with a schema that knows the types before it.
func encode(t *testing.T, v any, schemas ...string) []byte {
	t.Helper()
	var known avro.SchemaCache
	var last *avro.Schema
	for _, text := range schemas {
		var err error
		if last, err = known.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	b, err := last.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAvroReferencesAreResolved(t *testing.T) {
	s := newServed(t)
	s.register(t, "clock", sr.TypeAvro, avroClock)
	s.register(t, "origin", sr.TypeAvro, avroOrigin, ref("shop.Clock", "clock"))
	s.register(t, "payment", sr.TypeAvro, avroPayment, ref("shop.Clock", "clock"))
	// Origin and Payment both need Clock, which must be known once.
	id := s.register(t, "orders-value", sr.TypeAvro, avroOrder, ref("shop.Origin", "origin"), ref("shop.Payment", "payment"))
	clock := map[string]any{"at": time.UnixMilli(at).UTC()}
	full := encode(t, map[string]any{"id": "x", "origin": map[string]any{"clock": clock, "site": "A"}, "payment": map[string]any{"paid": clock},
		"steps": []any{map[string]any{"at": time.UnixMilli(at - 5).UTC()}, clock}}, avroClock, avroOrigin, avroPayment, avroOrder)
	empty := encode(t, map[string]any{"id": "x", "origin": nil, "payment": "cash", "steps": []any{}}, avroClock, avroOrigin, avroPayment, avroOrder)
	for name, v := range map[string]struct {
		field string
		value []byte
		event int64
		state record.State
	}{
		"nested":           {"origin.clock.at", full, at, record.Usable},
		"union of three":   {"payment.paid.at", full, at, record.Usable},
		"list":             {"steps.0.at", full, at - 5, record.Usable},
		"null branch":      {"origin.clock.at", empty, 0, record.Missing},
		"other branch":     {"payment.paid.at", empty, 0, record.Missing},
		"no such element":  {"steps.0.at", empty, 0, record.Missing},
		"text of a record": {"id", full, 0, record.Undecodable},
	} {
		p, err := point(t, Options{Format: Avro, Field: v.field, Registry: s.client}, record.Raw{Value: framed(id, nil, v.value)})
		if p.State != v.state || p.Event != v.event {
			t.Errorf("%s: %d %s, %v; want %d, %s", name, p.Event, p.State, err, v.event, v.state)
		}
	}
	e, err := New(context.Background(), Options{Format: Avro, Field: "origin.clock.at", Registry: s.client})
	if err != nil {
		t.Fatal(err)
	}
	before := s.requests.Load()
	for range 100 {
		if p, err := e.Point(&record.Raw{Value: framed(id, nil, full)}); err != nil || p.Event != at {
			t.Fatal(p, err)
		}
	}
	if n := s.requests.Load() - before; n != 4 {
		t.Errorf("%d requests for one schema and its three references", n)
	}
}

func TestAvroLogicalTypes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"type":"record","name":"T","fields":[{"name":"ms","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"us","type":{"type":"long","logicalType":"timestamp-micros"}},
 {"name":"ns","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"lms","type":["null",{"type":"long","logicalType":"local-timestamp-millis"}]},
 {"name":"lus","type":{"type":"long","logicalType":"local-timestamp-micros"}},{"name":"lns","type":{"type":"long","logicalType":"local-timestamp-nanos"}},
 {"name":"day","type":{"type":"int","logicalType":"date"}},{"name":"plain","type":"long"},{"name":"text","type":"string"}]}`
	s := newServed(t)
	id := s.register(t, "t", sr.TypeAvro, text)
	value := encode(t, map[string]any{"ms": at, "us": at*1000 + 7, "ns": at*1_000_000 + 7, "lms": at, "lus": at * 1000, "lns": at * 1_000_000, "day": int32(20_787), "plain": at / 1000, "text": "2026-11-30T00:53:20.850Z"}, text)
	for _, v := range []struct {
		field  string
		zone   *time.Location
		event  int64
		stated string
	}{
		{"ms", berlin, at, "explicit"}, {"us", berlin, at, "explicit"}, {"ns", berlin, at, "explicit"}, {"plain", berlin, at - 850, "explicit"}, {"text", berlin, at, "explicit"},
		{"day", nil, 20_787 * 86_400_000, "explicit"},
		{"lms", nil, at, "UTC"}, {"lus", nil, at, "UTC"}, {"lns", nil, at, "UTC"},
		{"lms", berlin, at - 3_600_000, "Europe/Berlin"}, {"lus", berlin, at - 3_600_000, "Europe/Berlin"}, {"lns", berlin, at - 3_600_000, "Europe/Berlin"},
	} {
		for name, o := range map[string]Options{"registry": {Registry: s.client}, "local": {Schema: text}} {
			o.Format, o.Field, o.Zone = Avro, v.field, v.zone
			raw := value
			if name == "registry" {
				raw = framed(id, nil, value)
			}
			e, err := New(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := e.Point(&record.Raw{Value: raw})
			if err != nil || p.Event != v.event {
				t.Errorf("%s %s in %v: %d, %v; want %d", name, v.field, v.zone, p.Event, err, v.event)
			}
			if _, _, zone, _ := e.Seen(); zone != v.stated {
				t.Errorf("%s: the zone stated is %s, want %s", v.field, zone, v.stated)
			}
		}
	}
}

func TestProtobufImportsAreResolved(t *testing.T) {
	const (
		clock  = `syntax = "proto3"; package shop; import "google/protobuf/timestamp.proto"; message Clock { google.protobuf.Timestamp at = 1; }`
		origin = `syntax = "proto3"; package shop; import "shop/clock.proto"; message Origin { Clock clock = 1; }`
		order  = `syntax = "proto3"; package shop; import "shop/origin.proto"; import "schema.proto"; import "confluent/meta.proto"; import "confluent/type/decimal.proto";
message Order { string id = 1 [(confluent.field_meta).tags = "PII"]; Origin origin = 2; Tag tag = 3; confluent.type.Decimal price = 4; }`
		tag = `syntax = "proto3"; package shop; message Tag { int64 ts = 1; }`
	)
	s := newServed(t)
	s.register(t, "clock", sr.TypeProtobuf, clock)
	s.register(t, "origin", sr.TypeProtobuf, origin, ref("shop/clock.proto", "clock"))
	s.register(t, "tag", sr.TypeProtobuf, tag)
	id := s.register(t, "orders-value", sr.TypeProtobuf, order, ref("shop/origin.proto", "origin"), ref("schema.proto", "tag"))

	file, err := compile(context.Background(), map[string]string{"o.proto": order, "shop/origin.proto": origin, "shop/clock.proto": clock, "schema.proto": tag}, "o.proto")
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(file.Messages().Get(0))
	inner := func(m protoreflect.Message, name protoreflect.Name) protoreflect.Message {
		return m.Mutable(m.Descriptor().Fields().ByName(name)).Message()
	}
	stamp := inner(inner(inner(m, "origin"), "clock"), "at")
	stamp.Set(stamp.Descriptor().Fields().ByName("seconds"), protoreflect.ValueOfInt64(at/1000))
	stamp.Set(stamp.Descriptor().Fields().ByName("nanos"), protoreflect.ValueOfInt32(850_999_999))
	ts := inner(m, "tag")
	ts.Set(ts.Descriptor().Fields().ByName("ts"), protoreflect.ValueOfInt64(at+3))
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int64{"origin.clock.at": at, "tag.ts": at + 3} {
		p, err := point(t, Options{Format: Protobuf, Field: field, Registry: s.client}, record.Raw{Value: framed(id, []byte{0}, b)})
		if err != nil || p.Event != want {
			t.Errorf("%s: %+v, %v; want %d", field, p, err, want)
		}
	}
}

func TestJSONSchemaNeedsNoRequest(t *testing.T) {
	s := newServed(t)
	s.register(t, "clock", sr.TypeJSON, `{"type":"object","properties":{"ts":{"type":"integer"}}}`)
	id := s.register(t, "orders-value", sr.TypeJSON, `{"type":"object","properties":{"clock":{"$ref":"clock.json"}}}`, ref("clock.json", "clock"))
	p, err := point(t, Options{Format: JSONSchema, Field: "clock.ts", Registry: s.client}, record.Raw{Value: framed(id, nil, []byte(`{"clock":{"ts":1796000000850}}`))})
	if err != nil || p.Event != at || s.requests.Load() != 0 {
		t.Errorf("%+v, %v after %d requests", p, err, s.requests.Load())
	}
}

const avroEnvelope = `{"type":"record","name":"Envelope","namespace":"db.shop.orders","fields":[
 {"name":"before","type":["null",{"type":"record","name":"Value","fields":[{"name":"id","type":"long"},{"name":"created","type":{"type":"long","connect.version":1,"connect.name":"io.debezium.time.MicroTimestamp"}}]}]},
 {"name":"after","type":["null","Value"]},{"name":"source","type":{"type":"record","name":"Source","fields":[{"name":"ts_ms","type":"long"}]}},
 {"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"]}]}`

func TestDebeziumEnvelopes(t *testing.T) {
	s := newServed(t)
	id := s.register(t, "orders-value", sr.TypeAvro, avroEnvelope)
	plain := s.register(t, "plain-value", sr.TypeAvro, `{"type":"record","name":"P","fields":[{"name":"ts_ms","type":"long"}]}`)
	row := map[string]any{"id": int64(1), "created": (at + 9) * 1000}
	event := func(op string, before, after any) []byte {
		return encode(t, map[string]any{"before": before, "after": after, "source": map[string]any{"ts_ms": at}, "op": op, "ts_ms": at + 1}, avroEnvelope)
	}
	framedJSON := framed(id, nil, []byte(`{"op":"d","before":{"created":1796000000859000},"after":null,"source":{"ts_ms":1796000000850},"ts_ms":1796000000851}`))
	for name, v := range map[string]struct {
		field string
		value []byte
		event int64
		state record.State
	}{
		"insert":                {"", framed(id, nil, event("c", nil, row)), at, record.Usable},
		"update":                {"", framed(id, nil, event("u", row, row)), at, record.Usable},
		"delete":                {"", framed(id, nil, event("d", row, nil)), at, record.Usable},
		"snapshot":              {"ts_ms", framed(id, nil, event("r", nil, row)), 0, record.Snapshot},
		"column":                {"after.created", framed(id, nil, event("c", nil, row)), at + 9, record.Usable},
		"column of a delete":    {"after.created", framed(id, nil, event("d", row, nil)), at + 9, record.Usable},
		"column of no delete":   {"after.created", framed(id, nil, event("u", row, nil)), 0, record.Missing},
		"tombstone":             {"", nil, 0, record.Tombstone},
		"no envelope":           {"", framed(plain, nil, encode(t, map[string]any{"ts_ms": at}, `{"type":"record","name":"P","fields":[{"name":"ts_ms","type":"long"}]}`)), 0, record.Undecodable},
		"cut off":               {"", framed(id, nil, event("c", nil, row)[:3]), 0, record.Undecodable},
		"unknown id":            {"", framed(99, nil, event("c", nil, row)), 0, record.Undecodable},
		"JSON, framed":          {"", framedJSON, at, record.Usable},
		"JSON column, deleted":  {"after.created", framedJSON, at + 9, record.Usable},
		"JSON column, no value": {"after.gone", framedJSON, 0, record.Missing},
	} {
		p, err := point(t, Options{Format: Debezium, Field: v.field, Registry: s.client}, record.Raw{Value: v.value})
		if p.State != v.state || p.Event != v.event {
			t.Errorf("%s: %d %s, %v; want %d, %s", name, p.Event, p.State, err, v.event, v.state)
		}
	}
	p, err := point(t, Options{Format: Debezium, Schema: avroEnvelope}, record.Raw{Value: event("c", nil, row)})
	if err != nil || p.Event != at {
		t.Errorf("local schema: %+v, %v", p, err)
	}
}

func TestWhatARegistryCannotGiveIsSaid(t *testing.T) {
	s := newServed(t)
	s.register(t, "clock", sr.TypeAvro, avroClock)
	// What a sound registry never holds: a reference to a deleted subject, a circle, no schema at all.
	origin, err := json.Marshal(avroOrigin)
	if err != nil {
		t.Fatal(err)
	}
	circle := fmt.Sprintf(`"schema":%s,"references":[{"name":"shop.Origin","subject":"round","version":1},{"name":"shop.Clock","subject":"clock","version":1}]`, origin)
	answers := map[string]string{
		"/schemas/ids/70":            fmt.Sprintf(`{"schema":%s,"references":[{"name":"shop.Clock","subject":"nowhere","version":1}]}`, origin),
		"/schemas/ids/71":            "{" + circle + "}",
		"/subjects/round/versions/1": `{"subject":"round","version":1,"id":71,` + circle + "}",
		"/schemas/ids/73":            `{"schema":"{\"type\":\"shop.Unknown\"}"}`,
	}
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		answer, ok := answers[r.URL.Path]
		if ok {
			_, _ = w.Write([]byte(answer))
		}
		return ok
	})
	protobuf := s.register(t, "proto", sr.TypeProtobuf, `syntax = "proto3"; message M { int64 ts = 1; }`)
	for want, v := range map[string]struct {
		format string
		id     uint32
	}{
		`refers to subject "nowhere" version 1, which the registry does not return`: {Avro, 70},
		"decoding Avro":                                 {Avro, 71},
		"schema id 73: invalid Avro schema":             {Avro, 73},
		"schema id 99: the registry does not return it": {Avro, 99},
		"is PROTOBUF: say --format protobuf":            {Avro, protobuf},
		"schema id 70 is AVRO: say --format avro":       {Protobuf, 70},
	} {
		p, err := point(t, Options{Format: v.format, Field: "x", Registry: s.client}, record.Raw{Value: framed(v.id, []byte{0}, nil)})
		if p.State != record.Undecodable || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("id %d: %v, want %q", v.id, err, want)
		}
	}
}

func TestFieldsAreFoundThroughARegistry(t *testing.T) {
	s := newServed(t)
	const clock = `syntax = "proto3"; message Clock { int64 ts = 1; string id = 2; }`
	ids := map[string]uint32{Avro: s.register(t, "a-value", sr.TypeAvro, avroSchema), Protobuf: s.register(t, "p-value", sr.TypeProtobuf, clock), JSONSchema: s.register(t, "j-value", sr.TypeJSON, `{"type":"object"}`)}
	for format, field := range map[string]string{Avro: "at", Protobuf: "ts", JSONSchema: "a.ts"} {
		var rs []record.Raw
		for i := range int64(30) {
			event := at + i*1000 - 40
			var value []byte
			switch format {
			case Avro:
				value = avroBytes(t, time.UnixMilli(event).UTC())
			case Protobuf:
				value = binary.AppendUvarint([]byte{0, 8}, uint64(event))
			default:
				value = fmt.Appendf(nil, `{"a":{"ts":%d}}`, event)
			}
			rs = append(rs, record.Raw{Timestamp: at + i*1000, Type: record.CreateTime, Value: framed(ids[format], nil, value)})
		}
		// With the format named, and silently about it.
		for _, o := range []Options{{Format: format, Registry: s.client}, {Registry: s.client}} {
			found, err := Find(context.Background(), o, rs)
			if err != nil || len(found) == 0 || found[0].Format != format || found[0].Field != field || found[0].Unit != eventtime.Milli || found[0].OffMs != 40 {
				t.Errorf("%s of %q: %+v, %v", format, o.Format, found, err)
			}
		}
		if found, err := Find(context.Background(), Options{}, rs); err != nil || (len(found) > 0) != (format == JSONSchema) {
			t.Errorf("%s without a registry: %+v, %v", format, found, err)
		}
	}
}
