package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// sample measures an invented topic with a bad hour and three partitions.
func recommended(t testing.TB, topic string) advise.Recommendation {
	t.Helper()
	c := measure.NewCollector(measure.Options{Windows: []int64{60_000}})
	for p := range int32(3) {
		c.Expect(p)
	}
	for i := range int64(90_000) {
		at := 1_796_000_000_000 + i*300
		delay := 20 + i*i%997*3
		if hour := at / measure.HourMs % 24; hour == 3 {
			delay *= 9
		}
		c.Add(record.Point{Partition: int32(i % 3), Offset: i / 3, Arrival: at, Event: at - delay, Type: record.AppendTime})
	}
	target, err := advise.ParseTarget("0.1%")
	if err != nil {
		t.Fatal(err)
	}
	return advise.Recommend(c.Finish(), advise.Options{Topic: topic, Source: "Kafka", Target: target, EmitMs: 200, SLAMs: 60_000, WindowMs: 60_000})
}

const hostile = "or\x1b[31mders</title><script>alert(1)</script>\u202e|`*\n# x"

func TestEveryFormatSaysTheSameAndForeignNamesAreHarmless(t *testing.T) {
	r := recommended(t, hostile)
	for _, format := range RecommendationFormats {
		var b bytes.Buffer
		if err := Recommendation(&b, r, format); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if strings.Contains(out, "\x1b") || format != "json" && strings.Contains(out, "\u202e") {
			t.Errorf("%s: control characters reach the reader", format)
		}
		if format == "html" && strings.Contains(out, "<script") || format == "markdown" && strings.Contains(out, "<script>") {
			t.Errorf("%s: a topic name becomes markup", format)
		}
		if !strings.Contains(out, string(r.Advice.Verdict)) {
			t.Errorf("%s: no verdict", format)
		}
		if want := advise.Human(r.Advice.RoundedMs); format != "json" && !strings.Contains(out, want) {
			t.Errorf("%s: no delay %s", format, want)
		}
	}
	if err := Recommendation(io.Discard, r, "xml"); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestJSONHasTheFieldsScriptsReadAndIsStable(t *testing.T) {
	var a, b bytes.Buffer
	if err := Recommendation(&a, recommended(t, "orders"), "json"); err != nil {
		t.Fatal(err)
	}
	if err := Recommendation(&b, recommended(t, "orders"), "json"); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Error("the same records give different reports")
	}
	var m map[string]any
	if err := json.Unmarshal(a.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"schema", "topic", "records", "partitions", "window.from", "window.to", "event_time.field", "event_time.unit", "target_late",
		"transport.p50", "disorder.p50", "curve", "recommendation.verdict", "recommendation.datastream_ms", "recommendation.sql_ms", "recommendation.rounded_ms",
		"recommendation.late.records", "recommendation.late.fraction", "recommendation.late.ci95", "recommendation.late.episodes", "recommendation.dropped.fraction",
		"recommendation.idle_timeout_ms", "findings", "not_seen"} {
		var at any = m
		for _, name := range strings.Split(path, ".") {
			object, ok := at.(map[string]any)
			if !ok || object[name] == nil {
				t.Errorf("no %s", path)
				break
			}
			at = object[name]
		}
	}
	if m["schema"] != advise.Schema {
		t.Errorf("schema %v", m["schema"])
	}
}

func TestHTMLIsOneWellFormedFileWithoutNetwork(t *testing.T) {
	var b bytes.Buffer
	if err := Recommendation(&b, recommended(t, "orders"), "html"); err != nil {
		t.Fatal(err)
	}
	z := html.NewTokenizer(bytes.NewReader(b.Bytes()))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			goto svg
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, a := range z.Token().Attr {
				if (a.Key == "src" || a.Key == "href") && !strings.HasPrefix(a.Val, "data:") {
					t.Errorf("the page asks for %s", a.Val)
				}
			}
		}
	}
svg:
	for i, part := range strings.Split(b.String(), "<svg")[1:] {
		d := xml.NewDecoder(strings.NewReader("<svg" + part[:strings.Index(part, "</svg>")] + "</svg>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("drawing %d: %v", i, err)
			}
		}
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
		t.Error("a coordinate is not a number")
	}
}

func TestEmptyMeasurementIsWrittenInEveryFormat(t *testing.T) {
	target, err := advise.ParseTarget("0.1%")
	if err != nil {
		t.Fatal(err)
	}
	r := advise.Recommend(measure.New(nil, 0), advise.Options{Topic: "none", Target: target})
	if r.Advice.Verdict == advise.Fits {
		t.Errorf("nothing was read and the verdict is %s", r.Advice.Verdict)
	}
	for _, format := range RecommendationFormats {
		var b bytes.Buffer
		if err := Recommendation(&b, r, format); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v", format, err)
		}
	}
}
