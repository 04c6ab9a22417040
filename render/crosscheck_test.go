package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

func crosscheckSample(name string) *CrosscheckData {
	known := flinkapi.KnownWatermark
	lo, hi, width, offset := known(1_796_000_000_000), known(1_796_000_000_300), int64(300), int64(42)
	return &CrosscheckData{Schema: SchemaCrosscheck, CapturedAt: "2026-11-30T00:53:30Z", Cluster: analyze.Cluster{FlinkVersion: "2.3.0"},
		Job: analyze.JobReport{Name: name, State: "RUNNING", Verdict: analyze.VerdictWarning, Headline: name + " runs with another delay", Samples: 2,
			Findings:   []catalog.Finding{{Code: "TM801", Cause: "bound-differs", Severity: catalog.Warning, Summary: name + " runs with a delay of 10 min", Evidence: []catalog.Evidence{}}},
			NotChecked: []catalog.NotChecked{{Code: "TM808", Reason: name}}},
		Sources: []CrosscheckSource{{Vertex: model.Ref{ID: "v", Name: name}, Dialect: "sql", Declared: &CrosscheckDeclared{2000, 0, name},
			InForce:   &CrosscheckInForce{Exact: false, FromMs: 600_000, ToMs: 600_100, Agree: 7, Observations: 8, Field: "as given", ShiftMs: -1_800_000, LaterStart: true},
			Tolerance: []model.LagPart{{Part: "emission interval", Ms: 200, Certain: true}},
			Splits:    []CrosscheckRow{{Label: "split " + name, Offset: &offset, Shown: known(1_796_000_000_900), From: &lo, To: &hi, WidthMs: &width, Verdict: crosscheck.Ahead, DiffMs: 600}},
			Subtasks:  []CrosscheckRow{{Label: "subtask 0", Shown: flinkapi.NoWatermark(), Verdict: crosscheck.NotCompared, Reason: "all of its splits are idle"}}}},
		Downstream: []CrosscheckRow{{Label: "Window", Shown: known(1_796_000_000_100), From: &lo, To: &hi, Verdict: crosscheck.Equal}},
	}
}

func TestCrosscheckFormats(t *testing.T) {
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Crosscheck(crosscheckSample("Orders")).Write(&b, format, Options{Width: 120}); err != nil {
			t.Fatal(err)
		}
		wants := []string{"Orders", "TM801"}
		switch format {
		case JSON:
			wants = append(wants, `"expected_from": {`, `"tolerance_ms": 300`, `"offset": 42`)
			var back CrosscheckData
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Sources[0].InForce.ToMs != 600_100 {
				t.Errorf("does not read back: %v", err)
			}
		case YAML:
			wants = append(wants, SchemaCrosscheck)
		default:
			wants = append(wants, "10 min to 10 min", "7 of 8", "shifted by -30 min, from a later record on", "2 s (Orders)", "ahead by 600 ms", "all of its splits are idle", "none (never emitted)", "Watermarks downstream", "emission interval")
		}
		for _, w := range wants {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%s lacks %q:\n%s", format, w, b.String())
			}
		}
	}
	if err := Crosscheck(crosscheckSample("x")).Write(&bytes.Buffer{}, "csv", Options{}); err == nil {
		t.Error("an unknown format was accepted")
	}
}

func TestCrosscheckHasNoHarmfulNames(t *testing.T) {
	hostile := "\x1b]0;t\x07<script>alert(1)</script>\u202e|`" + strings.Repeat("long", 2500) + "\n# x"
	for _, format := range Formats {
		var b bytes.Buffer
		if err := Crosscheck(crosscheckSample(hostile)).Write(&b, format, Options{}); err != nil {
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
