package analyze

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"tidemark/flinkapi"
)

// A subtask that restarted after the fetch shows the attempt before it: nothing of that is read.
func TestSubtaskRestartedBetweenSamples(t *testing.T) {
	m := newModel("2.3.0").source("Orders", 2000, 2000).emits("Orders", 1, at0-500_000, at0-500_000).reads("Orders", 1, 5000, 5000)
	m.window(1, at0-2500, at1-2500, "Source: Orders")
	v := m.samples()[1].Vertices[m.ids["Source: Orders"]]
	v.Details = &flinkapi.VertexDetails{Subtasks: []flinkapi.Subtask{{Index: 0, Status: "RUNNING"}, {Index: 1, Status: "INITIALIZING", Attempt: 1, StartTime: flinkapi.Int{V: at1 + 10, Valid: true}}}}
	s := m.build().Vertices[0].Subtasks[1]
	if s.Out().Now.Readable() || s.Attempt != 1 {
		t.Errorf("attempt %d shows %s", s.Attempt, s.Out().Now)
	}
	if _, ok := s.Records.Value(); ok {
		t.Error("the records of the dead attempt are counted")
	}
	if j := m.judge(t); hasCause(j.Findings, "idle-subtask") || hasCause(j.Findings, "idle-split") {
		t.Errorf("a restarting subtask is blamed: %v", placesOf(j.Findings))
	}
}

// A counter that fell was reset: what it shows now is the growth, never a negative one.
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
	sum := addGauges(noGauge(), addGauges(Gauge{1, 2}, Gauge{3, 4}))
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

// The cache keeps splits that are gone for ever; none of them may count.
func TestLeftovers(t *testing.T) {
	m := newModel("2.3.0").source("Orders", 2000, 2000)
	m.split("Orders", 0, "o-0", at0-2000, at1-2000, "accumulatedActiveTimeMs", "1000", "21000")
	m.split("Orders", 0, "o-9", at0-900_000, at0-900_000, "accumulatedActiveTimeMs", "1000", "1000") // finished: its clock stands
	m.split("Orders", 1, "o-1", at0-2000, at1-2000, "accumulatedActiveTimeMs", "1000", "21000")
	m.split("Orders", 0, "o-1", at0-700_000, at0-700_000) // read by subtask 1 now
	m.offset("Orders", 1, "old", 3, 50, 50)               // a partition without a split watermark beside others that have one
	m.window(1, at0-2500, at1-2500, "Source: Orders")
	got := map[string]bool{}
	for _, s := range m.build().Vertices[0].Subtasks {
		for _, sp := range s.Splits {
			got[fmt.Sprintf("%d/%s", s.Index, sp.ID)] = sp.Leftover
		}
	}
	for id, want := range map[string]bool{"0/o-0": false, "0/o-9": true, "1/o-1": false, "0/o-1": true, "1/old-3": true} {
		if got[id] != want {
			t.Errorf("%s left over: %v, want %v", id, got[id], want)
		}
	}
	if j := m.judge(t); j.Verdict != VerdictHealthy {
		t.Errorf("%s: %v", j.Verdict, placesOf(j.Findings))
	}
}

// Before 2.1 the topic of a phase that is over is known by who moves on without it; a partition of a
// topic that others still read is silent, not gone.
func TestEndedTopics(t *testing.T) {
	m := newModel("1.20.3").source("Orders", 2000, 300_000).emits("Orders", 1, at0-300_000, at0-300_000).reads("Orders", 1, 10, 10)
	m.offset("Orders", 0, "hist", 0, 49, 49).offset("Orders", 0, "live", 0, 10, 20).offset("Orders", 1, "hist", 1, 49, 49)
	m.window(1, at0-300_000, at0-300_000, "Source: Orders")
	if got := placesOf(m.judge(t).Findings); len(got) != 1 || got[0] != "lost-split critical @Orders #1 split hist-1 FLINK-39586" {
		t.Errorf("findings %v", got)
	}
	m = newModel("1.20.3").source("Orders", 2000, 300_000).emits("Orders", 1, at0-300_000, at0-300_000).reads("Orders", 1, 1000, 1000)
	m.offset("Orders", 0, "live", 0, 10, 20).offset("Orders", 1, "live", 1, 49, 49)
	m.window(1, at0-300_000, at0-300_000, "Source: Orders")
	if got := placesOf(m.judge(t).Findings); len(got) != 1 || got[0] != "idle-split critical @Orders #1 split live-1" {
		t.Errorf("findings %v", got)
	}
}

// aggregate gives min, max and sum of a metric in both samples, as a wide vertex is read.
func (m *model) aggregate(vertex, id string, before, now float64) *model {
	for i, x := range []float64{before, now} {
		f := flinkapi.Float(x)
		v := m.samples()[i].Vertices[m.ids[vertex]]
		v.Aggregates[id] = flinkapi.Aggregate{ID: id, Min: &f, Max: &f, Sum: &f}
	}
	return m
}

// wideWindow is a window of 512 subtasks of which only aggregates were read, and /watermarks.
func wideWindow(before, now int64) *model {
	m := newModel("2.3.0").source("Orders", 2000, 2000)
	m.vertex("Window", "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>", 512, "Source: Orders")
	m.aggregate("Window", "Window.currentInputWatermark", float64(before), float64(now)).aggregate("Window", "Window.currentOutputWatermark", float64(before), float64(now))
	for i := 0; i < 512; i++ {
		m.gauge("Window", i, "currentInputWatermark", mark(before), mark(now))
	}
	return m
}

func TestWideVertexFromAggregates(t *testing.T) {
	j := wideWindow(at0-2500, at1-2500).judge(t)
	if j.Verdict != VerdictHealthy {
		t.Errorf("%s: %v %v", j.Verdict, placesOf(j.Findings), j.NotChecked)
	}
	job := wideWindow(at0-2500, at1-2500).build()
	v := job.Vertices[1]
	if v.Name != "Window" || len(v.Chain) != 1 || v.Chain[0].Kind != KindWindow {
		t.Fatalf("chain of %s: %+v", v.Name, v.Chain)
	}
	if out := v.MinOut(); out.Now != flinkapi.KnownWatermark(at1-2500) || out.Before != flinkapi.KnownWatermark(at0-2500) {
		t.Errorf("output %v -> %v", out.Before, out.Now)
	}
	if n := len(j.Vertices[1].Subtasks); n != mostSubtasks {
		t.Errorf("%d subtasks are listed, want %d", n, mostSubtasks)
	}
	late := wideWindow(at0-2500, at1-2500).aggregate("Window", "Window.numLateRecordsDropped", 10, 40).aggregate("Window", "Window.numRecordsIn", 1000, 2000).judge(t)
	if got := placesOf(late.Findings); len(got) != 1 || got[0] != "late-records critical @Window" {
		t.Errorf("late rows of aggregates: %v", got)
	}
	none := wideWindow(noMark, noMark).emits("Orders", 0, noMark, noMark).emits("Orders", 1, noMark, noMark).judge(t)
	if got := placesOf(none.Findings); len(got) != 1 || got[0] != "never-emitted critical @Orders #0,1" {
		t.Errorf("sentinels of aggregates: %v", got)
	}
}

// One fetch, whether asked for or because the cache had not refreshed, never says what moves.
func TestOneFetch(t *testing.T) {
	for name, change := range map[string]func(*model){
		"one sample": func(m *model) { m.c.Jobs[0].Samples = m.samples()[:1] },
		"same fetch": func(m *model) {
			for _, v := range m.samples()[1].Vertices {
				v.Backpressure.EndTimestamp.V = at0
			}
		},
		"too close, no end-timestamp": func(m *model) {
			for i, s := range m.samples() {
				for _, v := range s.Vertices {
					v.Backpressure, v.ReadAt = nil, at0+int64(i)*5000
				}
			}
		},
	} {
		m := newModel("2.3.0").source("Orders", 2000, 2000).emits("Orders", 1, at0-50_000, at0-50_000).window(1, at0-50_000, at0-50_000, "Source: Orders")
		change(m)
		j := m.judge(t)
		if j.Samples != 1 || j.SampleGapMs != 0 || !notCheckedFor(j, "TM902", "") {
			t.Errorf("%s: %d samples, gap %d, %v", name, j.Samples, j.SampleGapMs, j.NotChecked)
		}
		for _, f := range j.Findings {
			if f.Severity == Critical {
				t.Errorf("%s: %s", name, f.Summary)
			}
		}
		for _, v := range j.Vertices {
			if v.Moving != nil {
				t.Errorf("%s: %s moving %v", name, v.Name, *v.Moving)
			}
		}
	}
}

// A job that restarted starts its counters at 0; the gauges of the fetch before are no stall.
func TestRestartedBetweenSamples(t *testing.T) {
	m := newModel("2.3.0").source("Orders", 2000).window(1, at0-2500, at0-2500, "Source: Orders")
	m.samples()[1].JobMetrics = map[string]string{"uptime": "8000", "numRestarts": "1"}
	m.samples()[0].JobMetrics["numRestarts"] = "0"
	j := m.judge(t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "restart-loop critical" {
		t.Errorf("findings %v", got)
	}
}

func TestUptime(t *testing.T) {
	s := &flinkapi.Sample{JobMetrics: map[string]string{"uptime": "5000"}}
	if got := uptime(s); got != 5000 {
		t.Errorf("%d from the metric", got)
	}
	s.JobMetrics = nil
	s.Job.Now, s.Job.StartTime = at1, at0
	if got := uptime(s); got != gap {
		t.Errorf("%d from the start", got)
	}
	s.Job.Timestamps = map[string]int64{"RUNNING": at0 + 15_000}
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

// Operators of a chain are found in the vertex name whole, even where names hold arrows and commas.
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

// Names and values of a cluster are foreign: none may break the judgement.
func TestForeignNamesAndValues(t *testing.T) {
	for _, name := range []string{"", "a.b:c,d e", "\x1b[31m\u202e<b>", string(make([]byte, 10_000)), "Source: Source: ", "][", "-> -> (", "1.2.3"} {
		m := newModel("2.3.0").source(name, 2000).window(1, at0-2500, at1-2500, "Source: "+name)
		m.judge(t)
	}
	for _, value := range []string{"", "NaN", "abc", "1e300", "9223372036854775808", "-9223372036854775809", "Infinity", "null"} {
		m := newModel("2.3.0").source("Orders", 2000, 2000).window(1, at0-2500, at1-2500, "Source: Orders")
		for _, metric := range []string{"currentOutputWatermark", "numRecordsOut", "pendingRecords", "watermarkLag", "currentEmitEventTimeLag", "sourceIdleTime", "watermarkAlignmentDrift"} {
			m.gauge("Source: Orders", 0, opOf("Orders")+"."+metric, value, value)
		}
		if j := m.judge(t); j.Verdict == VerdictCritical {
			t.Errorf("the value %q makes %v", value, placesOf(j.Findings))
		}
	}
	m := newModel("2.3.0").source("Orders", 2000).window(1, at0-2500, at1-2500, "Source: Orders")
	m.gauge("Window", 0, "Window.currentInputWatermark", strconv.FormatInt(math.MaxInt64-20_000, 10), strconv.FormatInt(math.MaxInt64-20_000, 10))
	m.judge(t)
}
