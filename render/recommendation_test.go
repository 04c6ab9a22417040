package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
	"tidemark/render/internal/invented"
)

// recommended measures an invented topic with a bad hour and three partitions.
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

func TestEveryFormatSaysTheSameAndForeignNamesAreHarmless(t *testing.T) {
	r := recommended(t, invented.Hostile)
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Recommendation(r).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if strings.Contains(out, "\x1b") || format != "json" && strings.Contains(out, "\u202e") {
			t.Errorf("%s: control characters are written", format)
		}
		if format == "html" && strings.Contains(out, "<script") || format == "markdown" && strings.Contains(out, "<script>") {
			t.Errorf("%s: a topic name becomes markup", format)
		}
		verdict := r.Advice.Verdict.Words()
		if format == JSON || format == YAML {
			verdict = string(r.Advice.Verdict)
		}
		if !strings.Contains(strings.ToLower(out), verdict) {
			t.Errorf("%s: no verdict", format)
		}
		if want := units.Exact(r.Advice.RoundedMs); format != "json" && !strings.Contains(out, want) {
			t.Errorf("%s: no delay %s", format, want)
		}
	}
	if err := Recommendation(r).Write(io.Discard, "xml", Options{}); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestJSONHasTheFieldsScriptsReadAndIsStable(t *testing.T) {
	var a, b bytes.Buffer
	if err := Recommendation(recommended(t, "orders")).Write(&a, "json", Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Recommendation(recommended(t, "orders")).Write(&b, "json", Options{}); err != nil {
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
	if err := Recommendation(recommended(t, "orders")).Write(&b, "html", Options{}); err != nil {
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
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Recommendation(r).Write(&b, format, Options{}); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestWordsAreInEveryFormat(t *testing.T) {
	r := invented.Topics()[0].Recommendation(t)
	for format, want := range map[string][]string{
		Table:    {"the transport-delay rule would say 12 s (99.9 % of records are no older)", "p99.9 of disorder: ", "partitions 0 to ", "Why not the transport delay?", "What would change the answer", "Not measured"},
		Markdown: {"the transport-delay rule would say", "p99.9 of disorder: ", "## Why not the transport delay?", "in words", "## What would change the answer", "## Not measured", "what this assumes"},
		HTML:     {"Why not the transport delay?", "in words", "What would change the answer", "Not measured", "what this assumes"},
	} {
		var b bytes.Buffer
		if err := Recommendation(r).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, w := range append(want, fmt.Sprintf("%02d:00 to %02d:00 UTC", 2, 3)) {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s: no %q", format, w)
			}
		}
	}
}

func TestRecommendationGoldens(t *testing.T) {
	for file, topic := range map[string]int{"recommendation": 0, "recommendation-offline": 1, "recommendation-createtime": 5} {
		r := invented.Topics()[topic].Recommendation(t)
		for ext, format := range map[string]string{"txt": "table", "md": "markdown"} {
			var b bytes.Buffer
			if err := Recommendation(r).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			golden(t, file+"."+ext, b.Bytes())
		}
	}
}
