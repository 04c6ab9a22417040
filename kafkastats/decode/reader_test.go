package decode

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tidemark/internal/expect"
	"tidemark/kafkastats/record"
)

func TestEventTimes(t *testing.T) {
	proto := filepath.Join(t.TempDir(), "order.proto")
	if err := os.WriteFile(proto, []byte(`syntax = "proto3"; message Order { int64 ts = 1; }`), 0o600); err != nil {
		t.Fatal(err)
	}
	avro := filepath.Join(t.TempDir(), "order.avsc")
	if err := os.WriteFile(avro, []byte(`{"type":"record","name":"Order","fields":[{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const at = 1796000000850
	long := string(binary.AppendVarint(nil, at))
	field := string(binary.AppendUvarint([]byte{8}, at))
	for _, c := range []struct {
		f     Where
		value string
		want  int64
		err   string
	}{
		{Where{Format: "csv", Field: "2"}, "k1,1796000000850", at, ""},
		{Where{Format: "csv", Field: "1", Separator: ";"}, "1796000000850;x", at, ""},
		{Where{Format: "csv", Field: "2", Separator: "tab"}, "x\t1796000000850", at, ""},
		{Where{Format: "csv", Field: "2"}, `"a,b",1796000000850`, at, ""},
		{Where{Format: "csv", Field: "3"}, "a,b", 0, "2 columns, column 3 wanted"},
		{Where{Field: "2"}, "k1,1796000000850", at, ""},
		{Where{Field: "ts"}, `{"ts":1796000000850}`, at, ""},
		{Where{Field: "ts"}, `{"ts":17}`, 17, ""},
		{Where{Field: "a.b"}, `{"a":{"b":"2026-11-30T00:53:20.85Z"}}`, at, ""},
		{Where{Field: "ts"}, `{"t":1}`, 0, `no field "ts"`},
		{Where{Field: "ts"}, `{"ts":null}`, 0, `no field "ts"`},
		{Where{Field: "ts"}, `{"ts":`, 0, "not JSON"},
		{Where{Format: "text", Unit: "s"}, "1796000000.85", at, ""},
		{Where{Format: "text", Unit: "us"}, "1796000000850999", at, ""},
		{Where{Format: "text", Unit: "us"}, "-1", -1, ""},
		{Where{Format: "text", Unit: "ns"}, "1796000000850999999", at, ""},
		{Where{Format: "text", Unit: "auto"}, "1796000000850999", at, ""},
		{Where{Format: "raw", Zone: "Asia/Shanghai"}, "2026-11-30 08:53:20.850", at, ""},
		{Where{Format: "text"}, "1e400", 0, "neither a number nor a time"},
		{Where{Format: "text"}, "99999999999999999999", 0, "out of range"},
		{Where{Format: "text"}, "-", 0, "neither a number nor a time"},
		{Where{Format: "text"}, "", 0, "the value is empty"},
		{Where{Format: "kafka"}, "x", 7, ""},
		{Where{Format: "timestamp"}, "x", 7, ""},
		{Where{Format: "header", Field: "sent"}, "x", at, ""},
		{Where{Format: "header", Field: "lost"}, "x", 0, `no header "lost"`},
		{Where{Format: "key"}, "x", at, ""},
		{Where{Format: "key", Field: "ts"}, "x", 0, "lacks the field"},
		{Where{Format: "debezium"}, `{"op":"c","source":{"ts_ms":1796000000850}}`, at, ""},
		{Where{Format: "jsonschema", Field: "ts"}, "\x00\x00\x00\x00\x07" + `{"ts":1796000000850}`, at, ""},
		{Where{Format: "protobuf", Field: "ts", Schema: proto}, field, at, ""},
		{Where{Format: "protobuf", Field: "tss", Schema: proto}, field, 0, `no field "tss"`},
		{Where{Format: "avro", Field: "ts", Schema: avro}, long, at, ""},
		{Where{Format: "avro", Field: "ts", Schema: avro}, "\xff", 0, "decoding Avro"},
	} {
		if c.f.Unit == "" {
			c.f.Unit = "ms"
		}
		e, err := c.f.Reader(context.Background(), nil, false)
		if err != nil {
			t.Errorf("%+v: %v", c.f, err)
			continue
		}
		got, err := e.Of(&record.Raw{Topic: "orders", Value: []byte(c.value), Key: []byte("1796000000850"), Timestamp: 7, Type: record.CreateTime,
			Headers: []record.Header{{Key: "sent", Value: []byte("1796000000850")}}})
		if c.err == "" {
			if err != nil || got != c.want {
				t.Errorf("%+v of %q is %d (%v), want %d", c.f, c.value, got, err, c.want)
			}
			continue
		}
		expect.Error(t, err, c.err)
		if err != nil && strings.Contains(err.Error(), "partition") {
			t.Errorf("the place is said here and by the caller: %v", err)
		}
	}
}

func TestEventTimeFlagsAreChecked(t *testing.T) {
	for want, f := range map[string]Where{
		"where is the event time?":              {},
		"it takes a column number":              {Format: "csv", Field: "ts"},
		"--format avro needs --field":           {Format: "avro"},
		"--schema-registry URL":                 {Format: "avro", Field: "ts"},
		"--format is \"xml\"":                   {Format: "xml", Field: "ts"},
		"--separator is \"||\"":                 {Format: "csv", Field: "1", Separator: "||"},
		"--payload-schema cannot be read: open": {Format: "avro", Field: "ts", Schema: "/no/such"},
		"--unit":                                {Format: "text", Unit: "h"},
		"--zone is \"Mars\"":                    {Format: "text", Zone: "Mars"},
	} {
		_, err := f.Reader(context.Background(), nil, false)
		expect.Error(t, err, want)
	}
	e, err := Where{}.Reader(context.Background(), nil, true)
	if err != nil || e.chosen.Format != "raw" {
		t.Errorf("rows of a CSV file: %+v, %v", e.chosen, err)
	}
}
