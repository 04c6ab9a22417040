package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/analyze/whatif"
	"tidemark/engine/simulate"
	"tidemark/flinkapi"
	"tidemark/render/internal/rendertest"
)

func whatIfSample(name string, fits bool) *WhatIfData {
	const end = 1_796_000_060_000
	zero := 0
	at := flinkapi.KnownWatermark
	v := model.Ref{ID: "w", Name: name}
	stuck := whatif.VertexOutcome{Vertex: v, Uses: true, Watermark: flinkapi.NoWatermark(), StandsMs: 60_000, LongestMs: 60_000,
		HeldBy: &whatif.Holder{Point: model.Point{Vertex: &model.Ref{ID: "s", Name: name}, Subtask: &zero, Split: name + "-3"}, Watermark: flinkapi.NoWatermark()},
		Points: []simulate.Point{{At: end - 60_000, Watermark: flinkapi.NoWatermark()}}}
	moving := whatif.VertexOutcome{Vertex: v, Uses: true, Watermark: at(end - 2100), Advanced: true, LongestMs: 250,
		Points: []simulate.Point{{At: end - 60_000, Watermark: at(end - 62_000)}, {At: end, Watermark: at(end - 2100)}}}
	op := whatif.OperatorOutcome{Vertex: v, Operator: name, Fires: true}
	fired := op
	fired.Windows, fired.Rows, fired.Dropped = whatif.Range{Low: 6, Twin: 6, High: 6}, whatif.Range{Low: 101, Twin: 102, High: 102}, whatif.Range{Low: 3, Twin: 4, High: 9}
	fired.FirstMs, fired.Latency = end-50_000, simulate.Spread{N: 102, P50: 2200, P99: 2400}
	rough := fired
	rough.Roughly = name + " is not modelled"
	d := &WhatIfData{Schema: SchemaWhatIf, Cluster: analyze.Cluster{FlinkVersion: "2.3.0"}, Result: &whatif.Result{Job: model.Ref{ID: "j", Name: name}, Version: "2.3.0",
		Judged:  whatif.Judged{PlayedFromMs: end - 90_000, FromMs: end - 60_000, ToMs: end, Records: 2809},
		InForce: []whatif.InForce{{Name: name, Kind: "bounded", DelayMs: 2000, IntervalMs: 200, Emit: "on-periodic", Alignment: name, Parallelism: 4, Splits: 4, Origin: map[string]whatif.Origin{"delay": whatif.FromRecords}}},
		Fit: &whatif.Fit{Compared: 37, Furthest: 212, Tolerate: []model.LagPart{{Part: "emission interval", Ms: 200, Certain: true}},
			Rows: []whatif.FitRow{{Vertex: v, Operator: name, Gauge: "currentInputWatermark", Sample: 1, Shown: at(end - 9000), From: at(end - 3000), To: at(end - 2000), Fits: true}}},
		NotModelled: []whatif.NotModelled{{Vertex: v, Operator: name, Why: "which rows it retracts"}},
		Columns: []whatif.Column{{Name: "as it is", Vertices: []whatif.VertexOutcome{stuck}, Operators: []whatif.OperatorOutcome{op}},
			{Name: "changed", Settings: []string{name + ".idle-timeout=30s"}, Vertices: []whatif.VertexOutcome{moving}, Operators: []whatif.OperatorOutcome{fired}},
			{Name: "rough", Settings: []string{"interval=1s"}, Vertices: []whatif.VertexOutcome{moving}, Operators: []whatif.OperatorOutcome{rough}}},
		Notes: []string{"a note"}}}
	if !fits {
		r := &d.Fit.Rows[0]
		r.Fits, r.DiffMs, d.Fit.Differ, d.Columns = false, -6000, 1, nil
	}
	return d
}

func TestWhatIfSaysWhatTheChangeDoes(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := WhatIf(whatIfSample("Orders", true)).Write(&b, format, Options{Width: 140}); err != nil {
			t.Fatal(err)
		}
		wants := []string{"Orders.idle-timeout=30s"}
		switch format {
		case JSON:
			wants = append(wants, `"low": 3`, `"split": "Orders-3"`, `"twin": 102`)
			var back map[string]any
			if err := json.Unmarshal(b.Bytes(), &back); err != nil {
				t.Error(err)
			}
		case YAML:
			wants = append(wants, SchemaWhatIf)
		default:
			wants = append(wants, "never has a watermark: it waits for", "split Orders-3, which has no watermark", "its first window fires at", "6 windows in all",
				"4 (3 to 9)", "102 (101 to 102)", "2.2 s", "estimate: Orders is not modelled", "Not modelled: Orders: which rows it retracts", "in all 37 gauges")
		}
		for _, w := range wants {
			if !strings.Contains(rendertest.Prose(b.String()), w) {
				t.Errorf("%s lacks %q:\n%s", format, w, b.String())
			}
		}
	}
}

func TestWhatIfPredictsNothingFromATwinThatDiffers(t *testing.T) {
	var b bytes.Buffer
	if err := WhatIf(whatIfSample("Orders", false)).Write(&b, "table", Options{Width: 140}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"COULD NOT TELL", "the twin differs from the cluster in 1 of 37 gauges", "Nothing is predicted", "currentInputWatermark", "-6 s"} {
		if !strings.Contains(b.String(), w) {
			t.Errorf("lacks %q:\n%s", w, b.String())
		}
	}
	for _, bad := range []string{"fires at", "Windows and losses", "advances"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is predicted:\n%s", bad, b.String())
		}
	}
}

func TestWhatIfHasNoHarmfulNames(t *testing.T) {
	hostile := "\x1b]0;t\x07<script>alert(1)</script>\u202e|`" + strings.Repeat("long", 2500) + "\n# x"
	for _, format := range Formats {
		for _, fits := range []bool{true, false} {
			var b bytes.Buffer
			if err := WhatIf(whatIfSample(hostile, fits)).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"\x1b", "\x07", "\u202e"} {
				if strings.Contains(b.String(), bad) {
					t.Errorf("%s contains %q", format, bad)
				}
			}
			if format == HTML && strings.Contains(b.String(), "<script") || format == Markdown && strings.Contains(b.String(), "\n# x") {
				t.Errorf("%s writes a name as markup", format)
			}
		}
	}
}
