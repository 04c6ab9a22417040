package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/observe"
	"tidemark/kafkastats/record"
)

func observationSample(name string) *ObservationData {
	span := measure.Span{N: 11, FirstArrival: 1_796_000_000_000, LastArrival: 1_796_000_090_000, FirstEvent: 1_795_999_998_000, LastEvent: 1_796_000_089_000}
	return &ObservationData{Schema: SchemaObservation, Result: observe.Result{
		Topic: name, Source: "Kafka", BeganMs: 1_796_000_100_000, EndedMs: 1_796_003_700_000, Ended: observe.Failed, Reason: "broker " + name + " is gone", Records: 12, Span: span,
		EventTime: observe.EventTime{Format: "json", Field: name, Unit: "s", Zone: "UTC"}, Windows: []int64{60_000, 3_600_000}, IdleMs: 30_000,
		Partitions: []observe.Partition{{ID: 0, From: 5, To: 17, Records: 12, Held: 2800}, {ID: 1, From: 9, To: 9}},
		Gaps:       []observe.Gap{{Partition: 0, From: 2, To: 5, Why: "removed by retention before they could be read"}},
		LeftOut:    &record.LeftOut{Before: 100, After: 7},
		Profile:    observe.Profile{Path: name + ".profile", Bytes: 2_621_440, Records: 2800, Counters: measure.Counters{Records: 2799, Undecodable: 1}, Span: span},
	}}
}

func TestObservationGoldens(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Observation(observationSample("orders")).Write(&b, format, Options{Verbose: true}); err != nil {
			t.Fatal(err)
		}
		golden(t, "observation."+map[string]string{Table: "txt", JSON: "json", YAML: "yaml", Markdown: "md", HTML: "html"}[format], b.Bytes())
	}
}

// The report says what ended a run, and that it added nothing.
func TestObservationSaysWhatEndedIt(t *testing.T) {
	for ended, want := range map[observe.Ended]string{observe.FileRead: "until the file was read", observe.TimeOver: "until the time given", observe.Interrupted: "until it was interrupted", observe.Failed: "until it could not continue"} {
		d := observationSample("orders")
		d.Ended, d.Records = ended, 0
		var b bytes.Buffer
		if err := Observation(d).Write(&b, Table, Options{}); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(got, want) || !strings.Contains(got, "nothing was added to orders.profile") || strings.Contains(got, "INCOMPLETE") != (ended == observe.Failed) {
			t.Errorf("%s: %s", ended, got)
		}
	}
}

func TestObservationHasNoHarmfulNames(t *testing.T) {
	for _, name := range hostileNames {
		for _, format := range Formats {
			var b bytes.Buffer
			if err := Observation(observationSample(name)).Write(&b, format, Options{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			if bad := acted(b.String()); len(bad) > 0 {
				t.Errorf("%s contains %q of %.40q", format, bad, name)
			}
			if format == HTML && (strings.Contains(b.String(), "<script>alert") || strings.Contains(b.String(), "<img src=x")) {
				t.Errorf("a page executes %.40q", name)
			}
		}
	}
}
