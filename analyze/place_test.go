package analyze

import (
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/flinkapi"
)

// A claim about losses or plausible times names the operator of the chain that it is about.
func TestClaimsNameTheOperator(t *testing.T) {
	for file, claim := range map[string]catalog.Claim{
		"recordings/flink-2.3.0/lab-late":                catalog.Loss,
		"checks/future-record/fires.future-latent-2.3.0": catalog.Sense,
	} {
		named, other := 0, 0
		for _, v := range onlyJob(t, "../testdata/"+file+".jsonl.gz").Vertices {
			for _, c := range v.Account {
				switch {
				case c.Claim != claim || c.Good || c.State == catalog.Unreadable:
				case c.At.Operator == "":
					other++
				default:
					named++
				}
			}
		}
		if named == 0 || other > 0 {
			t.Errorf("%s: %d claims of %s name an operator, %d do not", file, named, claim, other)
		}
	}
}

// The latest vertex is the one with the largest lag, even if that is negative.
func TestLatest(t *testing.T) {
	ms := func(n int64) *int64 { return &n }
	for _, tc := range []struct {
		lags []*int64
		want string
	}{
		{nil, ""},
		{[]*int64{nil, nil}, ""},
		{[]*int64{nil, ms(-5000)}, "1"},
		{[]*int64{ms(10), ms(30), nil, ms(20)}, "1"},
	} {
		var r JobReport
		for i, lag := range tc.lags {
			r.Vertices = append(r.Vertices, VertexReport{ID: string(rune('0' + i)), Min: flinkapi.NoWatermark(), LagMs: lag})
		}
		got := ""
		if v := r.Latest(); v != nil {
			got = v.ID
		}
		if got != tc.want {
			t.Errorf("%d vertices: %q, want %q", len(tc.lags), got, tc.want)
		}
	}
}
