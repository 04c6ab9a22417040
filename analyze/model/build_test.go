package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

// A counter that fell was reset: its new value is the growth, which is never negative.
func TestGauge(t *testing.T) {
	for _, c := range []struct {
		g    Gauge
		rise float64
		ok   bool
	}{{Gauge{10, 15}, 5, true}, {Gauge{10, 10}, 0, true}, {Gauge{100, 7}, 7, true}, {Gauge{math.NaN(), 7}, 0, false}, {Gauge{7, math.NaN()}, 0, false}} {
		if rise, ok := c.g.Rise(); rise != c.rise || ok != c.ok {
			t.Errorf("%v rises %v %v, want %v %v", c.g, rise, ok, c.rise, c.ok)
		}
	}
	sum := AddGauges(NoGauge(), AddGauges(Gauge{1, 2}, Gauge{3, 4}))
	if sum != (Gauge{4, 6}) {
		t.Errorf("sum is %v", sum)
	}
}

func TestReading(t *testing.T) {
	k := flinkapi.KnownWatermark
	for _, c := range []struct {
		r             Reading
		moved, known  bool
		frozen, never bool
	}{
		{Reading{k(1), k(2)}, true, true, false, false},
		{Reading{k(2), k(2)}, false, true, true, false},
		{Reading{k(3), k(2)}, false, true, true, false}, // a restart
		{Reading{flinkapi.NoWatermark(), k(2)}, true, true, false, false},
		{Reading{flinkapi.NoWatermark(), flinkapi.NoWatermark()}, false, true, false, true},
		{Reading{k(1), flinkapi.EndWatermark()}, true, true, false, false},
		{Reading{flinkapi.AbsentWatermark(), k(2)}, false, false, false, false},
		{Reading{k(1), flinkapi.FailedWatermark()}, false, false, false, false},
	} {
		moved, known := c.r.Moved()
		if moved != c.moved || known != c.known || c.r.Frozen() != c.frozen || c.r.IsNone() != c.never {
			t.Errorf("%v -> %v: moved %v known %v frozen %v none %v", c.r.Before, c.r.Now, moved, known, c.r.Frozen(), c.r.IsNone())
		}
	}
}

func TestUptime(t *testing.T) {
	const start, gap = 1_790_000_000_000, 20_000
	s := &flinkapi.Sample{JobMetrics: map[string]string{"uptime": "5000"}}
	if got := uptime(s); got != 5000 {
		t.Errorf("%d from the metric", got)
	}
	s.JobMetrics = nil
	s.Job.Now, s.Job.StartTime = start+gap, start
	if got := uptime(s); got != gap {
		t.Errorf("%d from the start", got)
	}
	s.Job.Timestamps = map[string]int64{"RUNNING": start + 15_000}
	if got := uptime(s); got != 5000 {
		t.Errorf("%d from the RUNNING timestamp", got)
	}
}

func TestParseVersion(t *testing.T) {
	for s, want := range map[string]Version{"2.3.0": {2, 3, 0}, "1.20.3-SNAPSHOT": {1, 20, 3}, "1.18.1-amzn-0": {1, 18, 1}, "1.19": {1, 19, 0}, "": {}, "main": {}, "2.x": {}} {
		if got := ParseVersion(s); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
	if (Version{}).AtLeast(0, 0, 0) || (Version{}).Below(9, 9, 9) || (Version{}).String() != "unknown" {
		t.Error("an unknown version is neither above nor below anything")
	}
	v := Version{1, 20, 3}
	if !v.AtLeast(1, 20, 3) || v.AtLeast(1, 20, 4) || !v.Below(2, 0, 0) || v.Below(1, 19, 9) || v.String() != "1.20.3" {
		t.Errorf("%v compares wrongly", v)
	}
}

// Operators of a chain are found in the vertex name even where their names contain arrows and commas.
func TestBuildChain(t *testing.T) {
	metrics := map[string]bool{}
	for _, n := range []string{"Source: a -> b", "Map", "Sink: Writer", "Sink: Committer"} {
		metrics[flinkapi.FilterName(n)] = true
	}
	ops := buildChain("Source: a -> b -> Map -> (Sink: Writer, Sink: Committer)", ParseDescription("Source: a -&gt; b<br/>+- Map<br/>   :- Sink: Writer<br/>   +- Sink: Committer<br/>"), metrics, true)
	want := []struct {
		name   string
		kind   Kind
		parent int
		leaf   bool
	}{{"Source: a -> b", KindSource, -1, false}, {"Map", KindStateless, 0, false}, {"Sink: Writer", KindSink, 1, true}, {"Sink: Committer", KindSink, 1, true}}
	if len(ops) != len(want) {
		t.Fatalf("%d operators, want %d", len(ops), len(want))
	}
	for i, w := range want {
		if op := ops[i]; op.Name != w.name || op.Kind != w.kind || op.Parent != w.parent || op.Leaf != w.leaf {
			t.Errorf("operator %d is %+v, want %+v", i, *op, w)
		}
	}
	if ops := buildChain("Orders", nil, nil, true); len(ops) != 0 {
		t.Errorf("nothing known gives %d operators", len(ops))
	}
}

// Where metrics name fewer operators than the plan, texts are assigned by node id.
func TestTextsByNodeID(t *testing.T) {
	plan := ParseDescription("[31]:StreamRecordTimestampInserter(rowtime field: 2)<br/>+- [31]:Match(partitionBy=[c], orderBy=[ts ASC])<br/>   +- [32]:Calc(select=[a])<br/>")
	ops := buildChain("StreamRecordTimestampInserter[31] -> Match[31] -> Calc[32]", plan, map[string]bool{"Match[31]": true, "StreamRecordTimestampInserter[31]": true}, false)
	if len(ops) != 2 || ops[0].Kind != KindStateless || ops[1].Kind != KindMatch || !strings.HasPrefix(ops[1].Text, "Match(") {
		t.Errorf("operators %+v %+v", ops[0], ops[len(ops)-1])
	}
}

// The client requests every metric that the model reads.
func TestGaugesOfSubtasksAreAskedFor(t *testing.T) {
	for _, g := range subtaskGauges {
		if !slices.Contains(flinkapi.TellingMetrics(), g.metric) {
			t.Errorf("%s is not requested", g.metric)
		}
	}
}
