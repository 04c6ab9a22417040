package cmd

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
	"tidemark/render"
)

const (
	clockSchema = `{"type":"record","name":"Clock","namespace":"shop","fields":[{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}}]}`
	orderSchema = `{"type":"record","name":"Order","namespace":"shop","fields":[{"name":"id","type":"string"},{"name":"clock","type":["null","shop.Clock"]}]}`
	changed     = `{"type":"record","name":"Envelope","fields":[{"name":"op","type":"string"},{"name":"source","type":{"type":"record","name":"Source","fields":[{"name":"ts_ms","type":"long"}]}}]}`
)

// written is one way to write the same event time, and the flags that read it.
type written struct {
	flags []string
	write func(r *kgo.Record, at int64)
}

// everyFormat writes event times as producers do, with schemas in a registry that speaks the real
// protocol.
func everyFormat(t *testing.T) (ways map[string]written, registry string) {
	t.Helper()
	reg := srfake.New()
	t.Cleanup(reg.Close)
	register := func(subject string, kind sr.SchemaType, text string, refs ...sr.SchemaReference) []byte {
		id, _, err := reg.RegisterSchema(subject, sr.Schema{Schema: text, Type: kind, References: refs})
		if err != nil {
			t.Fatal(err)
		}
		return binary.BigEndian.AppendUint32([]byte{0}, uint32(id))
	}
	var known avro.SchemaCache
	parse := func(text string) *avro.Schema {
		s, err := known.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	parse(clockSchema)
	order, envelope := parse(orderSchema), parse(changed)
	register("clock", sr.TypeAvro, clockSchema)
	avroID := register("avro-value", sr.TypeAvro, orderSchema, sr.SchemaReference{Name: "shop.Clock", Subject: "clock", Version: 1})
	changeID := register("change-value", sr.TypeAvro, changed)
	register("proto-clock", sr.TypeProtobuf, `syntax = "proto3"; message Clock { int64 at = 2; }`)
	protoID := register("proto-value", sr.TypeProtobuf, `syntax = "proto3"; import "clock.proto"; message Order { Clock clock = 1; }`, sr.SchemaReference{Name: "clock.proto", Subject: "proto-clock", Version: 1})
	jsonID := register("json-value", sr.TypeJSON, `{"type":"object"}`)
	encode := func(s *avro.Schema, v any) []byte {
		b, err := s.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return map[string]written{
		"csv":        {[]string{"--format", "csv", "--field", "2"}, func(*kgo.Record, int64) {}},
		"tabs":       {[]string{"--format", "csv", "--field", "2", "--separator", "tab"}, func(r *kgo.Record, at int64) { r.Value = fmt.Appendf(nil, "k\t%d", at) }},
		"json":       {[]string{"--field", "a.ts"}, func(r *kgo.Record, at int64) { r.Value = fmt.Appendf(nil, `{"a":{"ts":%d}}`, at) }},
		"json in us": {[]string{"--field", "ts", "--unit", "us"}, func(r *kgo.Record, at int64) { r.Value = fmt.Appendf(nil, `{"ts":%d}`, at*1000) }},
		"json schema": {[]string{"--format", "jsonschema", "--field", "ts"}, func(r *kgo.Record, at int64) {
			r.Value = append(bytes.Clone(jsonID), fmt.Sprintf(`{"ts":%d}`, at)...)
		}},
		"avro with a reference": {[]string{"--format", "avro", "--field", "clock.at"}, func(r *kgo.Record, at int64) {
			r.Value = append(bytes.Clone(avroID), encode(order, map[string]any{"id": "x", "clock": map[string]any{"at": at}})...)
		}},
		"protobuf with an import": {[]string{"--format", "protobuf", "--field", "clock.at"}, func(r *kgo.Record, at int64) {
			inner := binary.AppendUvarint([]byte{16}, uint64(at))
			r.Value = append(append(append(bytes.Clone(protoID), 0), 10, byte(len(inner))), inner...)
		}},
		"debezium": {[]string{"--format", "debezium"}, func(r *kgo.Record, at int64) { r.Value = fmt.Appendf(nil, `{"op":"c","source":{"ts_ms":%d}}`, at) }},
		"debezium avro": {[]string{"--format", "debezium"}, func(r *kgo.Record, at int64) {
			r.Value = append(bytes.Clone(changeID), encode(envelope, map[string]any{"op": "c", "source": map[string]any{"ts_ms": at}})...)
		}},
		"header": {[]string{"--format", "header", "--field", "at"}, func(r *kgo.Record, at int64) {
			r.Headers = []kgo.RecordHeader{{Key: "at", Value: binary.BigEndian.AppendUint64(nil, uint64(at))}}
		}},
		"key": {[]string{"--format", "key"}, func(r *kgo.Record, at int64) { r.Key = strconv.AppendInt(nil, at, 10) }},
		"raw": {[]string{"--format", "raw"}, func(r *kgo.Record, at int64) { r.Value = strconv.AppendInt(nil, at, 10) }},
	}, reg.URL()
}

// answers are what the three commands say about one topic.
type answers struct {
	crosscheck []render.CrosscheckSource
	simulate   render.SimulationData
	recommend  advise.Recommendation
}

// answersTo writes the records of a real job in one way and asks every command that reads a topic.
func answersTo(t *testing.T, w written, registry string) answers {
	t.Helper()
	_, broker := kafkaWritten(t, "orders", "orders.jsonl.gz", 5, func(r *kgo.Record) {
		_, text, _ := bytes.Cut(r.Value, []byte(","))
		at, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		w.write(r, at)
	})
	with := func(more ...string) []string {
		flags := []string{"--brokers", broker}
		if len(w.flags) > 1 && slices.Contains([]string{"avro", "protobuf", "jsonschema", "debezium"}, w.flags[1]) {
			flags = append(flags, "--schema-registry", registry)
		}
		return slices.Concat(flags, w.flags, more)
	}
	c, err := crosschecked(t, nil, clusterOf(t, "job-healthy.jsonl.gz"), with("lab-healthy", "--delay", "2s", "--samples", "1")...)
	if err != nil {
		t.Fatalf("crosscheck: %v", err)
	}
	f := newFake(nil)
	f.quiet = true
	s := newSimulate(f.globals)
	s.SetArgs(with("--topic", "orders", "--last", "500", "--delay", "2s", "--window", "tumbling:1s", "-o", "json"))
	s.SilenceErrors, s.SilenceUsage = true, true
	if err := s.ExecuteContext(context.Background()); err != nil {
		t.Fatalf("simulate: %v", err)
	}
	a := answers{crosscheck: c.Sources}
	if err := json.Unmarshal(f.out.Bytes(), &a.simulate); err != nil {
		t.Fatal(err)
	}
	out, errOut, err := run(t, newRecommend, "json", "", with("orders")...)
	if code(err) > 1 {
		t.Fatalf("recommend: %v %s", err, errOut)
	}
	a.recommend = decodeRecommendation(t, out)
	// These say how the time was written.
	a.recommend.EventTime, a.recommend.Assumptions, a.recommend.Findings, a.recommend.Review = advise.EventTime{}, nil, nil, advise.Review{}
	return a
}

// However the event time is written, every command that reads a topic gives the same answer.
func TestEveryCommandReadsEveryFormat(t *testing.T) {
	ways, registry := everyFormat(t)
	want := answersTo(t, ways["csv"], registry)
	if len(want.crosscheck) != 1 || want.crosscheck[0].InForce == nil || want.simulate.Input.Records != 500 || want.recommend.Records == 0 {
		t.Fatalf("the reference says nothing: %+v", want)
	}
	for _, name := range cases.Some(slices.Sorted(maps.Keys(ways)), 1) {
		w := ways[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := answersTo(t, w, registry)
			for command, pair := range map[string][2]any{"crosscheck": {want.crosscheck, got.crosscheck}, "simulate": {want.simulate.Strategies, got.simulate.Strategies}, "recommend": {want.recommend, got.recommend}} {
				if d := cmp.Diff(lines(t, pair[0]), lines(t, pair[1])); d != "" {
					t.Errorf("%s differs from csv: %.2000s", command, d)
				}
			}
		})
	}
}

// lines is a value as JSON, one line each.
func lines(t *testing.T, v any) []string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

func TestRecommendFindsAFieldBehindASchemaID(t *testing.T) {
	ways, registry := everyFormat(t)
	_, broker := kafkaWritten(t, "orders", "orders.jsonl.gz", 5, func(r *kgo.Record) {
		ways["avro with a reference"].write(r, r.Timestamp.UnixMilli()-70)
	})
	out, errOut, err := run(t, newRecommend, "json", "", "orders", "--brokers", broker, "--schema-registry", registry)
	r := decodeRecommendation(t, out)
	if code(err) > 1 || r.EventTime.Format != "avro" || r.EventTime.Field != "clock.at" || !strings.Contains(errOut, `event time chosen: avro "clock.at"`) {
		t.Errorf("%+v, %v, %s", r.EventTime, err, errOut)
	}
	_, errOut, _ = run(t, newRecommend, "json", "", "orders", "--brokers", broker)
	if !strings.Contains(errOut, "cannot be read without --schema-registry") {
		t.Errorf("no hint: %s", errOut)
	}
}
