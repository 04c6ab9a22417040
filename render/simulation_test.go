package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tidemark/engine/simulate"
	"tidemark/flinkapi"
)

func simulationSample(name string) *SimulationData {
	known := flinkapi.KnownWatermark
	return &SimulationData{Schema: SchemaSimulation, Result: simulate.Result{
		Input: SimulationInput{Source: name, Topic: name, Records: 12_345, Partitions: []int32{0, 2}, StartMs: 1_796_000_000_000, EndMs: 1_796_000_100_000},
		Strategies: []SimulatedStrategy{{Name: name, DelayMs: 5000, Kind: "bounded", Dialect: "datastream", Emit: "on-periodic", IntervalMs: 200, Parallelism: 1, Place: "source",
			Late: 1, Watermark: known(1_796_000_094_999), Lag: Spread{N: 3, P50: 5000, P99: 5100, Max: 5200},
			Splits: []SimulatedSplit{
				{Partition: 0, Records: 12_345, Newest: known(1_796_000_100_000), Watermark: known(1_796_000_094_999)},
				{Partition: 2, Newest: flinkapi.NoWatermark(), Watermark: flinkapi.NoWatermark(), Idle: true}},
			Windows: []SimulatedWindow{{Window: "tumbling 10 s", Fired: 3, Dropped: 2, Open: 1, Added: Spread{N: 3, P50: 6000, Max: 7000},
				Firings: []Firing{{Start: 1_796_000_000_000, End: 1_796_000_010_000, At: 1_796_000_015_200, Records: 100, Late: 1}}, More: 7,
				Bars: []simulate.Bar{{At: 1_796_000_015_000, Until: 1_796_000_016_000, Fired: 3, Records: 300}}, LateRecords: []simulate.LateRecords{
					{At: 1_796_000_040_000, Until: 1_796_000_041_000, Kind: simulate.InTime, Records: 4, BehindMs: 700}, {At: 1_796_000_040_000, Until: 1_796_000_041_000, Kind: simulate.Dropped, Records: 2, BehindMs: 12_500}}}},
			Timeline: []Series{
				{Scope: "global", Points: []Point{{At: 1_796_000_010_000, Watermark: known(1_796_000_005_000)}, {At: 1_796_000_050_000, Watermark: known(1_796_000_020_000)}, {At: 1_796_000_090_000, Watermark: known(1_796_000_020_000), Idle: true}}},
				{Scope: "split", Index: 2, Points: []Point{{At: 1_796_000_010_000, Watermark: flinkapi.NoWatermark()}}}},
		}},
		Expectations: []Expectation{{Text: "late<=0", Strategy: name, Actual: "1"}, {Text: "fired>=1", Strategy: name, Window: "tumbling 10 s", Met: true, Actual: "3"}},
		Notes:        []string{"a note about " + name},
	}}
}

func TestSimulationFormats(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Simulation(simulationSample("now")).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		wants := []string{"now", "00:54:54.999"}
		switch format {
		case JSON, YAML:
			wants = []string{SchemaSimulation, "late_records", "in-time", "global", "1796000094999", "late_fraction"}
		case Table:
			wants = append(wants, "NOT MET expected late<=0, strategy now has 1", "(0.0081 %)", "no record", "·", "----", "(0.0162 %)", "late   ", "×", "12.5 s")
		case Markdown:
			wants = append(wants, "# Watermark simulation", "| strategy | delay |", "**NOT MET**", "| dropped | 2 (0.0162 %) | 12.5 s |")
		case HTML:
			wants = append(wants, `<svg class="wide" viewBox`, `class="l0 global"`, "NOT MET", `class="lr dropped"`)
		}
		for _, w := range wants {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q:\n%s", format, w, got)
			}
		}
		switch format {
		case JSON:
			var back SimulationData
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Strategies[0].Late != 1 {
				t.Errorf("JSON does not read back: %v", err)
			}
		case YAML:
			var back map[string]any
			if err := yaml.Unmarshal(b.Bytes(), &back); err != nil {
				t.Errorf("YAML does not read back: %v", err)
			}
		}
	}
	if err := Simulation(simulationSample("x")).Write(&bytes.Buffer{}, "csv", Options{}); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestSimulationHasNoHarmfulNames(t *testing.T) {
	hostile := "\x1b[31m<script>alert(1)</script>\u202e|`" + strings.Repeat("long", 2500) + "\n# x"
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Simulation(simulationSample(hostile)).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for _, bad := range []string{"\x1b", "\u202e"} {
			if strings.Contains(got, bad) {
				t.Errorf("%s contains %q", format, bad)
			}
		}
		if format == HTML && strings.Contains(got, "<script") {
			t.Errorf("HTML has a script")
		}
		if format == Markdown && strings.Contains(got, "\n# x") {
			t.Errorf("Markdown has a foreign heading")
		}
		if format == Table {
			for _, line := range strings.Split(got, "\n") {
				if len([]rune(line)) > 300 {
					t.Errorf("a line of %d characters", len([]rune(line)))
				}
			}
		}
	}
}
