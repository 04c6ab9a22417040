package render

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/internal/cases"
)

func rendered(t *testing.T, format string, r *analyze.Report, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Triage(r).Write(&b, format, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReportGoldens(t *testing.T) {
	one := richReport()
	one.Jobs = one.Jobs[:1]
	for _, c := range []struct {
		file, format string
		report       *analyze.Report
		look         Options
	}{
		{"rich.txt", Table, richReport(), Options{}},
		{"rich.color.txt", Table, richReport(), Options{Color: true}},
		{"rich.json", JSON, richReport(), Options{}},
		{"rich.yaml", YAML, richReport(), Options{}},
		{"rich.md", Markdown, richReport(), Options{}},
		{"rich.html", HTML, richReport(), Options{}},
		{"one.txt", Table, one, Options{}},
		{"none.txt", Table, &analyze.Report{CapturedAt: "not a time"}, Options{}},
	} {
		t.Run(c.file, func(t *testing.T) { golden(t, c.file, rendered(t, c.format, c.report, c.look)) })
	}
}

func TestRenderingIsDeterministicAndLeavesTheReportAlone(t *testing.T) {
	for _, format := range Formats {
		r := richReport()
		first := rendered(t, format, r, Options{})
		if second := rendered(t, format, r, Options{}); !bytes.Equal(first, second) {
			t.Errorf("%s differs between two renderings of one report", format)
		}
		if d := cmp.Diff(mustJSON(t, richReport()), mustJSON(t, r)); d != "" {
			t.Errorf("%s changed the report:\n%s", format, d)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestJSONReadsBackAsTheSameReport(t *testing.T) {
	for _, name := range append([]string{"plain"}, hostileNames...) {
		want := hostileReport(strings.ToValidUTF8(name, "\ufffd"))
		var got analyze.Report
		if err := json.Unmarshal(rendered(t, JSON, want, Options{}), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(mustJSON(t, filled(want)), mustJSON(t, &got)); d != "" {
			t.Errorf("name %.40q comes back differently:\n%s", name, d)
		}
	}
}

func TestYAMLHoldsTheSameAsJSON(t *testing.T) {
	for _, name := range cases.Some(append([]string{"plain"}, hostileNames...), 4) {
		r := hostileReport(name)
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal(rendered(t, YAML, r, Options{}), &fromYAML); err != nil {
			t.Fatalf("name %.40q: %v", name, err)
		}
		if err := json.Unmarshal(rendered(t, JSON, r, Options{}), &fromJSON); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(mustJSON(t, fromJSON), mustJSON(t, fromYAML)); d != "" {
			t.Errorf("name %.40q differs:\n%.2000s", name, d)
		}
	}
}

func TestListsAreNeverNull(t *testing.T) {
	r := &analyze.Report{Jobs: []analyze.JobReport{{Findings: []catalog.Finding{{}}, Vertices: []analyze.VertexReport{{}}}, {}}}
	out := string(rendered(t, JSON, r, Options{}))
	for _, key := range []string{"not_checked", "findings", "vertices", "evidence", "inputs", "budget", "subtasks", "jobs"} {
		if strings.Contains(out, `"`+key+`": null`) {
			t.Errorf("%s is null", key)
		}
	}
}

func TestUnknownFormatNamesTheOthers(t *testing.T) {
	err := Triage(richReport()).Write(&bytes.Buffer{}, "pdf", Options{})
	if err == nil || !strings.Contains(err.Error(), "markdown") {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestAWriterThatFailsIsReported(t *testing.T) {
	for _, format := range Formats {
		if err := Triage(richReport()).Write(brokenWriter{}, format, Options{}); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
