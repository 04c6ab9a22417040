package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
)

func fixtureChecks() []catalog.Check {
	return []catalog.Check{
		{Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back", Symptom: 1, Severity: catalog.Critical,
			Needs: catalog.Needs(catalog.Named("two samples"), catalog.Named("split metrics")), Means: "One split gives no records while its siblings move.",
			Why: "A source emits the minimum over its splits.\n\nThe length of the silence distinguishes it from low traffic.",
			Fix: catalog.Fix{Text: "Set an idle timeout.", DataStream: "strategy.withIdleness(Duration.ofMinutes(1))", SQL: "SET 'table.exec.source.idle-timeout' = '60 s';"}},
		{Code: "TM704", Cause: "batch", Title: "A batch job has no watermarks to judge", Severity: catalog.Info, Since: "1.20", Means: "Nothing.", Why: "Batch."},
	}
}

func TestCheckGoldens(t *testing.T) {
	for file, format := range map[string]string{"checks.txt": Table, "checks.json": JSON, "checks.yaml": YAML, "checks.md": Markdown} {
		var b bytes.Buffer
		if err := Checks(fixtureChecks()).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
		if format == Table {
			narrow(t, b.String(), 80)
		}
	}
	for file, format := range map[string]string{"explain.txt": Table, "explain.json": JSON, "explain.md": Markdown} {
		var b bytes.Buffer
		if err := Explain(fixtureChecks()[0]).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
	}
}

func TestEveryCheckCanBeExplainedInEveryFormat(t *testing.T) {
	for _, c := range catalog.Checks() {
		for _, format := range []string{Table, JSON, YAML, Markdown} {
			var b bytes.Buffer
			if err := Explain(c).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{c.Code, c.Cause} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s as %s does not say %q", c.Code, format, want)
				}
			}
			if format == Table {
				narrow(t, b.String(), 80)
			}
		}
	}
}

func TestWatermarksGolden(t *testing.T) {
	for file, format := range map[string]string{"watermarks.txt": Table, "watermarks.json": JSON} {
		var b bytes.Buffer
		if err := Watermarks(richReport()).Write(&b, format, Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.Bytes())
	}
}
