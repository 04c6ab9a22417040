package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/kafkastats/advise"
)

func TestAsDeployedIsShownWithItsWarningAndOnlyWhenKnown(t *testing.T) {
	e := advise.Emission{EmitMs: 200, DelayMs: 1000, LateRecords: 18.5, Late: 0.00185, OnEvent: 0.0021}
	for _, format := range RecommendationFormats {
		for _, known := range []bool{true, false} {
			r := advise.Recommendation{Topic: "orders", Records: 10_000}
			if known {
				r.Advice.AsDeployed = &e
			}
			var b bytes.Buffer
			if err := Recommendation(&b, r, format); err != nil {
				t.Fatal(err)
			}
			want := "about 0.1850 % late with a watermark every 200 ms, partitions merged (0.2100 % after every record): explains a job"
			if format == "json" {
				want = `"as_deployed": {`
			}
			if got := strings.Contains(b.String(), want); got != known {
				t.Errorf("%s, known %v: %s", format, known, b.String())
			}
		}
	}
}
