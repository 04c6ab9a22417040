package decode

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/record"
)

const at = int64(1_796_000_000_850)

func point(t *testing.T, o Options, r record.Raw) (record.Point, error) {
	t.Helper()
	e, err := New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e.Point(&r)
}

func TestFormats(t *testing.T) {
	long := binary.BigEndian.AppendUint64(nil, uint64(at))
	for name, v := range map[string]struct {
		o     Options
		r     record.Raw
		event int64
		state record.State
	}{
		"json number":        {Options{Format: JSON, Field: "a.ts"}, record.Raw{Value: []byte(`{"a":{"ts":1796000000850}}`)}, at, record.Usable},
		"json text":          {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`{"ts":"1796000000.850"}`)}, at, record.Usable},
		"json seconds":       {Options{Format: JSON, Field: "ts", Unit: eventtime.Second}, record.Raw{Value: []byte(`{"ts":1796000000}`)}, at - 850, record.Usable},
		"json null":          {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`{"ts":null}`)}, 0, record.Missing},
		"json absent":        {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`{"x":1}`)}, 0, record.Missing},
		"json n/a":           {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`{"ts":"n/a"}`)}, 0, record.Undecodable},
		"json object":        {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`{"ts":{}}`)}, 0, record.Undecodable},
		"not json":           {Options{Format: JSON, Field: "ts"}, record.Raw{Value: []byte(`oops`)}, 0, record.Undecodable},
		"tombstone":          {Options{Format: JSON, Field: "ts"}, record.Raw{}, 0, record.Tombstone},
		"json schema framed": {Options{Format: JSONSchema, Field: "ts"}, record.Raw{Value: append([]byte{0, 0, 0, 0, 7}, `{"ts":1796000000850}`...)}, at, record.Usable},
		"debezium":           {Options{Format: Debezium}, record.Raw{Value: []byte(`{"schema":{},"payload":{"op":"u","ts_ms":1,"source":{"ts_ms":1796000000850}}}`)}, at, record.Usable},
		"debezium flat":      {Options{Format: Debezium, Field: "ts_ms"}, record.Raw{Value: []byte(`{"op":"u","ts_ms":1796000000850,"source":{"ts_ms":0,"snapshot":"false"}}`)}, at, record.Usable},
		"debezium snapshot":  {Options{Format: Debezium}, record.Raw{Value: []byte(`{"op":"r","ts_ms":1796000000850,"source":{"ts_ms":1796000000850,"snapshot":"last"}}`)}, 0, record.Snapshot},
		"debezium copied":    {Options{Format: Debezium}, record.Raw{Value: []byte(`{"op":"c","ts_ms":1796000000850,"source":{"ts_ms":1796000000850,"snapshot":true}}`)}, 0, record.Snapshot},
		"log of a server":    {Options{Format: Raw}, record.Raw{Value: []byte(`10.0.0.1 - - [30/Nov/2026:00:53:20 +0000] "GET / HTTP/1.1" 200 12`)}, at - 850, record.Usable},
		"log line":           {Options{Format: Raw}, record.Raw{Value: []byte(`2026-11-30 00:53:20,850 INFO [main] started`)}, at, record.Usable},
		"blank":              {Options{Format: Raw}, record.Raw{Value: []byte(" ")}, 0, record.Missing},
		"debezium tombstone": {Options{Format: Debezium}, record.Raw{Value: []byte(`{"schema":{},"payload":null}`)}, 0, record.Tombstone},
		"no debezium":        {Options{Format: Debezium}, record.Raw{Value: []byte(`{"ts_ms":1796000000850}`)}, 0, record.Undecodable},
		"csv":                {Options{Format: CSV, Field: "2"}, record.Raw{Value: []byte(`"a,b",1796000000850,c`)}, at, record.Usable},
		"csv short":          {Options{Format: CSV, Field: "4"}, record.Raw{Value: []byte(`a,b`)}, 0, record.Undecodable},
		"csv semicolon":      {Options{Format: CSV, Field: "1", Delimiter: ';'}, record.Raw{Value: []byte(`1796000000850;x`)}, at, record.Usable},
		"header text":        {Options{Format: Header, Field: "et"}, record.Raw{Headers: []record.Header{{Key: "et", Value: []byte("1796000000850")}}}, at, record.Usable},
		"header long":        {Options{Format: Header, Field: "et"}, record.Raw{Headers: []record.Header{{Key: "et", Value: long}}}, at, record.Usable},
		"header absent":      {Options{Format: Header, Field: "et"}, record.Raw{Value: []byte("x")}, 0, record.Missing},
		"key":                {Options{Format: Key}, record.Raw{Key: []byte("2026-11-30T00:53:20Z")}, time.Date(2026, 11, 30, 0, 53, 20, 0, time.UTC).UnixMilli(), record.Usable},
		"key json":           {Options{Format: Key, Field: "ts"}, record.Raw{Key: []byte(`{"ts":1796000000850}`)}, at, record.Usable},
		"timestamp":          {Options{Format: Timestamp}, record.Raw{Timestamp: at}, at, record.Usable},
		"no timestamp":       {Options{Format: Timestamp}, record.Raw{Timestamp: -1, Type: record.NoTimestamp}, 0, record.Missing},
		"raw":                {Options{Format: Raw}, record.Raw{Value: []byte("1796000000850")}, at, record.Usable},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := point(t, v.o, v.r)
			if p.State != v.state || p.State == record.Usable && p.Event != v.event || (err != nil) != (v.state == record.Undecodable) {
				t.Fatalf("%+v (%s), %v; want %d, %s", p, p.State, err, v.event, v.state)
			}
		})
	}
}

const avroSchema = `{"type":"record","name":"Order","fields":[{"name":"id","type":"string"},{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-millis"}]},{"name":"plain","type":"long"}]}`

func avroBytes(t *testing.T, at any) []byte {
	t.Helper()
	b, err := avro.MustParse(avroSchema).Encode(map[string]any{"id": "x", "at": at, "plain": int64(1_796_000_000)})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const protoSchema = `syntax = "proto3"; package shop; import "google/protobuf/timestamp.proto";
message Other { int32 x = 1; }
message Order { string id = 1; int64 ts = 2; google.protobuf.Timestamp at = 3; message Line { int64 ts = 1; } Line line = 4; }`

func protoBytes(t *testing.T) []byte {
	t.Helper()
	file, err := compile(context.Background(), map[string]string{"schema.proto": protoSchema}, "schema.proto")
	if err != nil {
		t.Fatal(err)
	}
	d, err := pick(file, "Order")
	if err != nil {
		t.Fatal(err)
	}
	m := dynamicpb.NewMessage(d)
	m.Set(d.Fields().ByName("ts"), protoreflect.ValueOfInt64(at))
	stamp := m.Mutable(d.Fields().ByName("at")).Message()
	stamp.Set(stamp.Descriptor().Fields().ByName("seconds"), protoreflect.ValueOfInt64(at/1000))
	stamp.Set(stamp.Descriptor().Fields().ByName("nanos"), protoreflect.ValueOfInt32(850_000_000))
	line := m.Mutable(d.Fields().ByName("line")).Message()
	line.Set(line.Descriptor().Fields().ByName("ts"), protoreflect.ValueOfInt64(at+1))
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func framed(id uint32, extra []byte, b []byte) []byte {
	return append(append(binary.BigEndian.AppendUint32([]byte{0}, id), extra...), b...)
}

// registry speaks the schema registry's protocol for two ids and counts requests.
func registry(t *testing.T) (*sr.Client, *int) {
	t.Helper()
	requests := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if user, pass, _ := r.BasicAuth(); user != "u" || pass != "p" {
			http.Error(w, `{"error_code":401,"message":"no"}`, http.StatusUnauthorized)
			return
		}
		answer := map[string]any{}
		switch {
		case strings.HasPrefix(r.URL.Path, "/schemas/ids/1"):
			answer["schema"] = avroSchema
		case strings.HasPrefix(r.URL.Path, "/schemas/ids/2"):
			answer["schema"], answer["schemaType"] = protoSchema, "PROTOBUF"
		default:
			w.WriteHeader(http.StatusNotFound)
			answer["error_code"], answer["message"] = 40403, "Schema not found"
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(srv.Close)
	cl, err := sr.NewClient(sr.URLs(srv.URL), sr.BasicAuth("u", "p"))
	if err != nil {
		t.Fatal(err)
	}
	return cl, &requests
}

func TestAvroAndProtobuf(t *testing.T) {
	reg, requests := registry(t)
	now := time.UnixMilli(at).UTC()
	path := binary.AppendVarint(binary.AppendVarint(nil, 1), 1)   // message 1
	nested := binary.AppendVarint(binary.AppendVarint(nil, 2), 1) // message 1, then …
	nested = binary.AppendVarint(nested, 0)                       // … its first
	line := []byte{8}                                             // field 1, varint
	line = binary.AppendUvarint(line, uint64(at))
	for name, v := range map[string]struct {
		o     Options
		value []byte
		event int64
		state record.State
	}{
		"avro local":      {Options{Format: Avro, Field: "at", Schema: avroSchema}, avroBytes(t, now), at, record.Usable},
		"avro null":       {Options{Format: Avro, Field: "at", Schema: avroSchema}, avroBytes(t, nil), 0, record.Missing},
		"avro plain":      {Options{Format: Avro, Field: "plain", Schema: avroSchema}, avroBytes(t, nil), at - 850, record.Usable},
		"avro registry":   {Options{Format: Avro, Field: "at", Registry: reg}, framed(1, nil, avroBytes(t, now)), at, record.Usable},
		"avro cut":        {Options{Format: Avro, Field: "at", Registry: reg}, framed(1, nil, []byte{9}), 0, record.Undecodable},
		"avro unframed":   {Options{Format: Avro, Field: "at", Registry: reg}, []byte{1, 2}, 0, record.Undecodable},
		"avro unknown id": {Options{Format: Avro, Field: "at", Registry: reg}, framed(99, nil, nil), 0, record.Undecodable},
		"proto local":     {Options{Format: Protobuf, Field: "ts", Schema: protoSchema, Message: "shop.Order"}, protoBytes(t), at, record.Usable},
		"proto timestamp": {Options{Format: Protobuf, Field: "at", Schema: protoSchema, Message: "Order"}, protoBytes(t), at, record.Usable},
		"proto inner":     {Options{Format: Protobuf, Field: "line.ts", Schema: protoSchema, Message: "Order"}, protoBytes(t), at + 1, record.Usable},
		"proto registry":  {Options{Format: Protobuf, Field: "ts", Registry: reg}, framed(2, path, protoBytes(t)), at, record.Usable},
		"proto nested":    {Options{Format: Protobuf, Field: "ts", Registry: reg}, framed(2, nested, line), at, record.Usable},
		"proto bad path":  {Options{Format: Protobuf, Field: "ts", Registry: reg}, framed(2, []byte{2, 90}, nil), 0, record.Undecodable},
		"proto first":     {Options{Format: Protobuf, Field: "ts", Registry: reg}, framed(2, []byte{0}, nil), 0, record.Missing},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := point(t, v.o, record.Raw{Value: v.value})
			if p.State != v.state || p.Event != v.event {
				t.Fatalf("%d %s, %v; want %d, %s", p.Event, p.State, err, v.event, v.state)
			}
		})
	}
	e, err := New(context.Background(), Options{Format: Avro, Field: "at", Registry: reg})
	if err != nil {
		t.Fatal(err)
	}
	before := *requests
	for range 5 {
		if _, err := e.Point(&record.Raw{Topic: "t", Offset: 4, Value: framed(99, nil, nil)}); err == nil || !strings.Contains(err.Error(), `"t" partition 0 offset 4`) || !strings.Contains(err.Error(), "schema id 99") {
			t.Fatal(err)
		}
	}
	if *requests != before+1 {
		t.Errorf("an unknown schema id was asked for %d times", *requests-before)
	}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	for want, o := range map[string]Options{
		"is none of":         {Format: "xml"},
		"json needs a field": {Format: JSON},
		"--schema-registry":  {Format: Avro, Field: "x"},
		"column's number":    {Format: CSV, Field: "ts"},
		"Avro schema":        {Format: Avro, Field: "x", Schema: "{"},
		"Protobuf schema":    {Format: Protobuf, Field: "x", Schema: "nonsense"},
		"no message":         {Format: Protobuf, Field: "x", Schema: protoSchema, Message: "Nope"},
	} {
		if _, err := New(context.Background(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

func TestCandidatesAreRanked(t *testing.T) {
	var rs []record.Raw
	for i := range int64(50) {
		rs = append(rs, record.Raw{Timestamp: at + i*1000, Type: record.CreateTime,
			Value:   []byte(fmt.Sprintf(`{"id":%d,"price":12.5,"first_seen":1700000000,"event_time":%d,"deep":{"created.at":"%s"}}`, i, (at + i*1000 - 300), time.UnixMilli(at+i*1000-90_000).UTC().Format(time.RFC3339))),
			Headers: []record.Header{{Key: "sent", Value: []byte(fmt.Sprint(at + i*1000 - 5))}}})
	}
	got, err := Find(context.Background(), Options{}, rs)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, c := range got {
		fields = append(fields, c.Format+":"+c.Field)
	}
	if want := `[json:event_time json:deep.created\.at header:sent json:first_seen]`; fmt.Sprint(fields) != want {
		t.Fatalf("%v, want %s", fields, want)
	}
	if got[0].Unit != eventtime.Milli || got[0].Share != 1 || got[0].OffMs != 300 {
		t.Errorf("%+v", got[0])
	}
	if p, err := point(t, Options{Format: JSON, Field: got[1].Field}, rs[0]); err != nil || p.State != record.Usable {
		t.Errorf("a found field does not read: %+v %v", p, err)
	}
	csv := []record.Raw{{Value: []byte("7,1796000000850,EUR")}, {Value: []byte("8,1796000001850,EUR")}}
	if got, err = Find(context.Background(), Options{}, csv); err != nil || len(got) != 1 || got[0].Format != CSV || got[0].Field != "2" {
		t.Errorf("%+v %v", got, err)
	}
	if got, err = Find(context.Background(), Options{}, []record.Raw{{Value: []byte(`{"n":5}`)}}); err != nil || len(got) != 0 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestUnitsAndZonesAreStated(t *testing.T) {
	e, err := New(context.Background(), Options{Format: Raw})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"1796000000", "1796000001", "1796000002000", "2026-11-30 00:53:20", "-1"} {
		if _, err := e.Point(&record.Raw{Value: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	unit, classes, zone, detected := e.Seen()
	if unit != "s" || classes["s"] != 2 || classes["ms"] != 1 || len(classes) != 2 || zone != "UTC" || !detected {
		t.Fatal(unit, classes, zone, detected)
	}
}

func FuzzPoint(f *testing.F) {
	f.Add([]byte(`{"ts":1796000000850}`), uint8(0))
	f.Add([]byte{0, 0, 0, 0, 1, 2, 2}, uint8(1))
	extractors := make([]*Extractor, 0, 5)
	for _, o := range []Options{{Format: JSON, Field: "ts"}, {Format: Avro, Field: "at", Schema: avroSchema}, {Format: Protobuf, Field: "ts", Schema: protoSchema, Message: "Order"},
		{Format: Debezium}, {Format: CSV, Field: "2"}} {
		e, err := New(context.Background(), o)
		if err != nil {
			f.Fatal(err)
		}
		extractors = append(extractors, e)
	}
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		p, err := extractors[int(which)%len(extractors)].Point(&record.Raw{Value: b})
		if (err != nil) != (p.State == record.Undecodable) {
			t.Fatalf("%s with error %v", p.State, err)
		}
		if _, err := Find(context.Background(), Options{}, []record.Raw{{Value: b}}); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	e, err := New(context.Background(), Options{Format: JSON, Field: "ts"})
	if err != nil {
		b.Fatal(err)
	}
	r := record.Raw{Value: []byte(`{"id":"0123456789abcdef","customer":"c-1234567","amount":123.45,"currency":"EUR","ts":1796000000850,"note":"some text that makes the record about one hundred and eighty bytes long"}`)}
	for b.Loop() {
		if _, err := e.Point(&r); err != nil {
			b.Fatal(err)
		}
	}
}

// A local schema reads what was written through a registry as well, whose bytes it passes over.
func TestALocalSchemaReadsFramedPayloads(t *testing.T) {
	plain := avroBytes(t, time.UnixMilli(at))
	for name, v := range map[string]struct {
		o     Options
		value []byte
	}{
		"avro":                      {Options{Format: Avro, Field: "at", Schema: avroSchema}, plain},
		"avro, framed":              {Options{Format: Avro, Field: "at", Schema: avroSchema}, framed(7, nil, plain)},
		"protobuf":                  {Options{Format: Protobuf, Field: "ts", Schema: protoSchema, Message: "Order"}, protoBytes(t)},
		"protobuf, framed":          {Options{Format: Protobuf, Field: "ts", Schema: protoSchema, Message: "Order"}, framed(7, []byte{2, 2}, protoBytes(t))},
		"protobuf, framed, by path": {Options{Format: Protobuf, Field: "ts", Schema: protoSchema}, framed(7, []byte{2, 2}, protoBytes(t))},
	} {
		if p, err := point(t, v.o, record.Raw{Value: v.value}); err != nil || p.Event != at {
			t.Errorf("%s: %d %s, %v", name, p.Event, p.State, err)
		}
	}
	// Without a field the schema says which one is a time: the plain number next to it is a number.
	f, err := Resolve(context.Background(), Options{Format: Avro, Schema: avroSchema}, []record.Raw{{Value: framed(7, nil, plain), Timestamp: at}})
	if err != nil || f.Field != "at" || len(f.Candidates) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}
