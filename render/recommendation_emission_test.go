package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/kafkastats/advise"
)

func TestAsDeployedIsShownWithItsWarningAndOnlyWhenKnown(t *testing.T) {
	e := advise.Emission{EmitMs: 200, DelayMs: 1000, LateRecords: 18.5, Late: 0.00185, OnEvent: 0.0021}
	for _, format := range Formats {
		for _, known := range []bool{true, false} {
			r := advise.Recommendation{Topic: "orders", Records: 10_000}
			if known {
				r.Advice.AsDeployed = &e
			}
			var b bytes.Buffer
			if err := Recommendation(r).Write(&b, format, Options{}); err != nil {
				t.Fatal(err)
			}
			want := "about 0.185 % late with a watermark every 200 ms, partitions merged (0.21 % after every record): explains a job"
			switch format {
			case JSON:
				want = `"as_deployed": {`
			case YAML:
				want = "as_deployed: emit_ms:"
			}
			if got := strings.Contains(strings.Join(strings.Fields(b.String()), " "), want); got != known {
				t.Errorf("%s, known %v: %s", format, known, b.String())
			}
		}
	}
}
