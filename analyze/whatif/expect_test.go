package whatif

import (
	"strings"
	"testing"

	"tidemark/engine/simulate"
)

func TestARangeMeetsALimitAsAWhole(t *testing.T) {
	op := OperatorOutcome{Operator: "Window10s", Fires: true, Windows: Range{6, 6, 6}, Dropped: Range{3, 4, 9}, Latency: simulate.Spread{N: 6, P50: 2200, P99: 2400}, p50: Range{2100, 2200, 2200}, p99: Range{2100, 2400, 2450}}
	rough := op
	rough.Roughly = "a guess"
	silent := op
	silent.silent = true
	r := &Result{Columns: []Column{{Name: asIs, Operators: []OperatorOutcome{{Operator: "Window10s", Fires: true}}}, {Name: "a", Operators: []OperatorOutcome{op}, Vertices: []VertexOutcome{{Uses: true, StandsMs: 4000}}},
		{Name: "b", Operators: []OperatorOutcome{rough}},
		{Name: "c", Operators: []OperatorOutcome{op}, Vertices: []VertexOutcome{{Uses: true, StandsMs: 4000}}, Estimates: []string{"a guess"}},
		{Name: "d", Operators: []OperatorOutcome{silent}}, {Name: "e", Vertices: []VertexOutcome{{StandsMs: 4000}}}}}
	for limit, met := range map[string]bool{"a.windows>=6": true, "a.windows>6": false, "a.dropped<=9": true, "a.dropped<9": false, "a.dropped>=3": true, "a.dropped=4": false,
		"a.latency-p99<2500ms": true, "a.latency-p99<=2 s": false, "a.stands<5s": true, "b.windows>=6": false, "as it is.latency-p50<1h": false, "a.dropped!=4": false,
		"a.latency-p99<=2400ms": false, "a.latency-p99>=2400ms": false, "a.latency-p50>=2200ms": false, "c.stands<5s": false, "c.windows>=6": false, "d.latency-p99<1h": false, "e.stands<5s": false} {
		all, err := parseExpectations([]string{limit}, []string{asIs, "a", "b", "c", "d", "e"})
		if err != nil {
			t.Fatalf("%s: %v", limit, err)
		}
		r.judge(all)
		if len(r.Expected) != 1 || r.Met() != met {
			t.Errorf("%s: %+v, want %v", limit, r.Expected, met)
		}
	}
	for limit, says := range map[string]string{"late=0": `unknown metric "late"`, "dropped<=1%": "numbers, not shares", "c.dropped=0": `no column "c"`, "stands<5": "missing", "windows": "it takes METRIC<=VALUE"} {
		if _, err := parseExpectations([]string{limit}, []string{asIs}); err == nil || !strings.Contains(err.Error(), says) && says != "missing" {
			t.Errorf("%s: %v, want %q", limit, err, says)
		}
	}
}

// The records that an interval join keeps are not counted: no limit on them is met.
func TestAPeakThatIsNotCountedKeepsNoLimit(t *testing.T) {
	three := 3
	r := &Result{Columns: []Column{{Name: asIs, Operators: []OperatorOutcome{{Operator: "Window10s", Fires: true, Open: &three, Peak: &three, peak: Range{2, 3, 3}}, {Operator: "IntervalJoin"}}}}}
	all, err := parseExpectations([]string{"peak<=3"}, []string{asIs})
	if err != nil {
		t.Fatal(err)
	}
	r.judge(all)
	if e := r.Expected; len(e) != 2 || !e[0].Met || e[1].Met || !strings.Contains(e[1].Reason(), "not counted") {
		t.Errorf("%+v", e)
	}
}
