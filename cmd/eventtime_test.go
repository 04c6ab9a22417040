package cmd

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		f     decodeFlags
		value string
		want  int64
		err   string
	}{
		{decodeFlags{format: "csv", field: "2"}, "k1,1796000000850", at, ""},
		{decodeFlags{format: "csv", field: "1", separator: ";"}, "1796000000850;x", at, ""},
		{decodeFlags{format: "csv", field: "2", separator: "tab"}, "x\t1796000000850", at, ""},
		{decodeFlags{format: "csv", field: "2"}, `"a,b",1796000000850`, at, ""},
		{decodeFlags{format: "csv", field: "3"}, "a,b", 0, "2 columns, column 3 wanted"},
		{decodeFlags{field: "2"}, "k1,1796000000850", at, ""},
		{decodeFlags{field: "ts"}, `{"ts":1796000000850}`, at, ""},
		{decodeFlags{field: "ts"}, `{"ts":17}`, 17, ""},
		{decodeFlags{field: "a.b"}, `{"a":{"b":"2026-11-30T00:53:20.85Z"}}`, at, ""},
		{decodeFlags{field: "ts"}, `{"t":1}`, 0, `no field "ts"`},
		{decodeFlags{field: "ts"}, `{"ts":null}`, 0, `no field "ts"`},
		{decodeFlags{field: "ts"}, `{"ts":`, 0, "not JSON"},
		{decodeFlags{format: "text", unit: "s"}, "1796000000.85", at, ""},
		{decodeFlags{format: "text", unit: "us"}, "1796000000850999", at, ""},
		{decodeFlags{format: "text", unit: "us"}, "-1", -1, ""},
		{decodeFlags{format: "text", unit: "ns"}, "1796000000850999999", at, ""},
		{decodeFlags{format: "text", unit: "auto"}, "1796000000850999", at, ""},
		{decodeFlags{format: "raw", zone: "Asia/Shanghai"}, "2026-11-30 08:53:20.850", at, ""},
		{decodeFlags{format: "text"}, "1e400", 0, "neither a number nor a time"},
		{decodeFlags{format: "text"}, "99999999999999999999", 0, "out of range"},
		{decodeFlags{format: "text"}, "-", 0, "neither a number nor a time"},
		{decodeFlags{format: "text"}, "", 0, "the value is empty"},
		{decodeFlags{format: "kafka"}, "x", 7, ""},
		{decodeFlags{format: "timestamp"}, "x", 7, ""},
		{decodeFlags{format: "header", field: "sent"}, "x", at, ""},
		{decodeFlags{format: "header", field: "lost"}, "x", 0, `no header "lost"`},
		{decodeFlags{format: "key"}, "x", at, ""},
		{decodeFlags{format: "key", field: "ts"}, "x", 0, "lacks the field"},
		{decodeFlags{format: "debezium"}, `{"op":"c","source":{"ts_ms":1796000000850}}`, at, ""},
		{decodeFlags{format: "jsonschema", field: "ts"}, "\x00\x00\x00\x00\x07" + `{"ts":1796000000850}`, at, ""},
		{decodeFlags{format: "protobuf", field: "ts", schema: proto}, field, at, ""},
		{decodeFlags{format: "protobuf", field: "tss", schema: proto}, field, 0, `no field "tss"`},
		{decodeFlags{format: "avro", field: "ts", schema: avro}, long, at, ""},
		{decodeFlags{format: "avro", field: "ts", schema: avro}, "\xff", 0, "decoding Avro"},
	} {
		e := eventTime{decodeFlags: c.f}
		if e.unit == "" {
			e.unit = "ms"
		}
		if err := e.prepare(context.Background(), settingsOnly, false); err != nil {
			t.Errorf("%+v: %v", c.f, err)
			continue
		}
		got, err := e.of(&record.Raw{Topic: "orders", Value: []byte(c.value), Key: []byte("1796000000850"), Timestamp: 7, Type: record.CreateTime,
			Headers: []record.Header{{Key: "sent", Value: []byte("1796000000850")}}})
		if c.err == "" {
			if err != nil || got != c.want {
				t.Errorf("%+v of %q is %d (%v), want %d", c.f, c.value, got, err, c.want)
			}
			continue
		}
		wantError(t, err, c.err)
		if err != nil && strings.Contains(err.Error(), "partition") {
			t.Errorf("the place is said here and by the caller: %v", err)
		}
	}
}

func TestEventTimeFlagsAreChecked(t *testing.T) {
	for want, f := range map[string]decodeFlags{
		"where is the event time?":    {},
		"it takes a column number":    {format: "csv", field: "ts"},
		"--format avro needs --field": {format: "avro"},
		"--schema-registry URL":       {format: "avro", field: "ts"},
		"--format is \"xml\"":         {format: "xml", field: "ts"},
		"--separator is \"||\"":       {format: "csv", field: "1", separator: "||"},
		"--schema: open":              {format: "avro", field: "ts", schema: "/no/such"},
		"--unit":                      {format: "text", unit: "h"},
		"--zone is \"Mars\"":          {format: "text", zone: "Mars"},
	} {
		e := eventTime{decodeFlags: f}
		wantError(t, e.prepare(context.Background(), settingsOnly, false), want)
	}
	e := eventTime{}
	if err := e.prepare(context.Background(), settingsOnly, true); err != nil || e.chosen.Format != "raw" {
		t.Errorf("rows of a CSV file: %+v, %v", e.chosen, err)
	}
}

func TestWhatWasDetectedIsStated(t *testing.T) {
	csv := "0,1796000000000,1796000000\n0,1796000001000,1796000001\n"
	d, err := simulated(t, csv, "--unit", "auto")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, "Event times are in s by their size") {
		t.Errorf("notes: %s", notes)
	}
	if ms, _ := d.Strategies[0].Watermark.Millis(); ms < 1_795_999_000_000 {
		t.Errorf("watermark %d", ms)
	}
	d, err = simulated(t, csv+"0,1796000002000,1796000002000\n", "--unit", "auto")
	if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "several units (2 in s, 1 in ms)") {
		t.Errorf("%v, %v", d, err)
	}
	d, err = simulated(t, "0,1796000000000,2026-11-30 00:53:20\n")
	if err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "name no zone and were read as UTC") {
		t.Errorf("%v, %v", d, err)
	}
	if d, err = simulated(t, csv); err != nil || !strings.Contains(strings.Join(d.Notes, "\n"), "is 1970-01-21, though records arrive now: it may be in seconds") {
		t.Errorf("%v, %v", d.Notes, err)
	}
	if d, err = simulated(t, "0,1796000000000,2026-11-30 00:53:20\n", "--zone", "UTC"); err != nil || len(d.Notes) != 0 {
		t.Errorf("%v, %v", d.Notes, err)
	}
}
