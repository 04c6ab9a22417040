package analyze

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

// A subtask that restarted after the fetch still has the metrics of the attempt before: they are not used.
func TestSubtaskRestartedBetweenSamples(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Emits("Orders", 1, jobtest.At0-500_000, jobtest.At0-500_000).Reads("Orders", 1, 5000, 5000)
	m.Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
	v := m.Samples()[1].Vertices[m.Ids["Source: Orders"]]
	v.Details = &flinkapi.VertexDetails{Subtasks: []flinkapi.Subtask{{Index: 0, Status: "RUNNING"}, {Index: 1, Status: "INITIALIZING", Attempt: 1, StartTime: flinkapi.Int{V: jobtest.At1 + 10, Valid: true}}}}
	s := m.Build().Vertices[0].Subtasks[1]
	if s.Out().Now.Readable() || s.Attempt != 1 {
		t.Errorf("attempt %d shows %s", s.Attempt, s.Out().Now)
	}
	if _, ok := s.Records.Value(); ok {
		t.Error("the records of the dead attempt are counted")
	}
	if j := judge(m, t); hasCause(j.Findings, "idle-subtask") || hasCause(j.Findings, "idle-split") {
		t.Errorf("a restarting subtask is blamed: %v", placesOf(j.Findings))
	}
}

// The metric cache keeps splits that are gone forever; none of them may count.
func TestLeftovers(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000)
	m.Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000, "accumulatedActiveTimeMs", "1000", "21000")
	m.Split("Orders", 0, "o-9", jobtest.At0-900_000, jobtest.At0-900_000, "accumulatedActiveTimeMs", "1000", "1000") // finished: its accumulated time does not grow
	m.Split("Orders", 1, "o-1", jobtest.At0-2000, jobtest.At1-2000, "accumulatedActiveTimeMs", "1000", "21000")
	m.Split("Orders", 0, "o-1", jobtest.At0-700_000, jobtest.At0-700_000) // read by subtask 1 now
	m.Offset("Orders", 1, "old", 3, 50, 50)                               // a partition without a watermark among others with one
	m.Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
	got := map[string]bool{}
	for _, s := range m.Build().Vertices[0].Subtasks {
		for _, sp := range s.Splits {
			got[fmt.Sprintf("%d/%s", s.Index, sp.ID)] = sp.Leftover
		}
	}
	for id, want := range map[string]bool{"0/o-0": false, "0/o-9": true, "1/o-1": false, "0/o-1": true, "1/old-3": true} {
		if got[id] != want {
			t.Errorf("%s left over: %v, want %v", id, got[id], want)
		}
	}
	if j := judge(m, t); j.Verdict != VerdictHealthy {
		t.Errorf("%s: %v", j.Verdict, placesOf(j.Findings))
	}
}

// Before 2.1 the topic of a phase that is over is recognised because watermarks advance without it; a partition of a topic
// that other subtasks still read is silent, not gone.
func TestEndedTopics(t *testing.T) {
	m := jobtest.New("1.20.3").Source("Orders", 2000, 300_000).Emits("Orders", 1, jobtest.At0-300_000, jobtest.At0-300_000).Reads("Orders", 1, 10, 10)
	m.Offset("Orders", 0, "hist", 0, 49, 49).Offset("Orders", 0, "live", 0, 10, 20).Offset("Orders", 1, "hist", 1, 49, 49)
	m.Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: Orders")
	if got := placesOf(judge(m, t).Findings); len(got) != 1 || got[0] != "lost-split critical @Orders #1 split hist-1 FLINK-39586" {
		t.Errorf("findings %v", got)
	}
	m = jobtest.New("1.20.3").Source("Orders", 2000, 300_000).Emits("Orders", 1, jobtest.At0-300_000, jobtest.At0-300_000).Reads("Orders", 1, 1000, 1000)
	m.Offset("Orders", 0, "live", 0, 10, 20).Offset("Orders", 1, "live", 1, 49, 49)
	m.Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: Orders")
	if got := placesOf(judge(m, t).Findings); len(got) != 1 || got[0] != "idle-split critical @Orders #1 split live-1" {
		t.Errorf("findings %v", got)
	}
}

func TestWideVertexFromAggregates(t *testing.T) {
	j := judge(jobtest.WideWindow(jobtest.At0-2500, jobtest.At1-2500), t)
	if j.Verdict != VerdictHealthy {
		t.Errorf("%s: %v %v", j.Verdict, placesOf(j.Findings), j.NotChecked)
	}
	job := jobtest.WideWindow(jobtest.At0-2500, jobtest.At1-2500).Build()
	v := job.Vertices[1]
	if v.Name != "Window" || len(v.Chain) != 1 || v.Chain[0].Kind != model.KindWindow {
		t.Fatalf("chain of %s: %+v", v.Name, v.Chain)
	}
	if out := v.MinOut(); out.Now != flinkapi.KnownWatermark(jobtest.At1-2500) || out.Before != flinkapi.KnownWatermark(jobtest.At0-2500) {
		t.Errorf("output %v -> %v", out.Before, out.Now)
	}
	if n := len(j.Vertices[1].Subtasks); n != mostSubtasks {
		t.Errorf("%d subtasks are listed, want %d", n, mostSubtasks)
	}
	late := judge(jobtest.WideWindow(jobtest.At0-2500, jobtest.At1-2500).Aggregate("Window", "Window.numLateRecordsDropped", 10, 40).Aggregate("Window", "Window.numRecordsIn", 1000, 2000), t)
	if got := placesOf(late.Findings); len(got) != 1 || got[0] != "late-records critical @Window" {
		t.Errorf("late rows of aggregates: %v", got)
	}
	none := judge(jobtest.WideWindow(jobtest.NoMark, jobtest.NoMark).Emits("Orders", 0, jobtest.NoMark, jobtest.NoMark).Emits("Orders", 1, jobtest.NoMark, jobtest.NoMark), t)
	if got := placesOf(none.Findings); len(got) != 1 || got[0] != "never-emitted critical @Orders #0,1" {
		t.Errorf("sentinels of aggregates: %v", got)
	}
}

// One fetch, whether wanted or because the cache had not refreshed, never says what moves.
func TestOneFetch(t *testing.T) {
	for name, change := range map[string]func(*jobtest.Job){
		"one sample": func(m *jobtest.Job) { m.C.Jobs[0].Samples = m.Samples()[:1] },
		"same fetch": func(m *jobtest.Job) {
			for _, v := range m.Samples()[1].Vertices {
				v.Backpressure.EndTimestamp.V = jobtest.At0
			}
		},
		"too close, no end-timestamp": func(m *jobtest.Job) {
			for i, s := range m.Samples() {
				for _, v := range s.Vertices {
					v.Backpressure, v.ReadAt = nil, jobtest.At0+int64(i)*5000
				}
			}
		},
	} {
		m := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Emits("Orders", 1, jobtest.At0-50_000, jobtest.At0-50_000).Window(1, jobtest.At0-50_000, jobtest.At0-50_000, "Source: Orders")
		change(m)
		j := judge(m, t)
		if j.Samples != 1 || j.SampleGapMs != 0 || !notCheckedFor(j, "TM902", "") {
			t.Errorf("%s: %d samples, gap %d, %v", name, j.Samples, j.SampleGapMs, j.NotChecked)
		}
		for _, f := range j.Findings {
			if f.Severity == catalog.Critical {
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

// A restarted job counts from 0 again; watermarks of the fetch before do not make a stall.
func TestRestartedBetweenSamples(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Window(1, jobtest.At0-2500, jobtest.At0-2500, "Source: Orders")
	m.Samples()[1].JobMetrics = map[string]string{"uptime": "8000", "numRestarts": "1"}
	m.Samples()[0].JobMetrics["numRestarts"] = "0"
	j := judge(m, t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "restart-loop critical" {
		t.Errorf("findings %v", got)
	}
}

// Any name or value that a cluster may send is judged without failing.
func TestForeignNamesAndValues(t *testing.T) {
	for _, name := range []string{"", "a.b:c,d e", "\x1b[31m\u202e<b>", string(make([]byte, 10_000)), "Source: Source: ", "][", "-> -> (", "1.2.3"} {
		m := jobtest.New("2.3.0").Source(name, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: "+name)
		judge(m, t)
	}
	for _, value := range []string{"", "NaN", "abc", "1e300", "9223372036854775808", "-9223372036854775809", "Infinity", "null"} {
		m := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
		for _, metric := range []string{"currentOutputWatermark", "numRecordsOut", "pendingRecords", "watermarkLag", "currentEmitEventTimeLag", "sourceIdleTime", "watermarkAlignmentDrift"} {
			m.Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+"."+metric, value, value)
		}
		if j := judge(m, t); j.Verdict == VerdictCritical {
			t.Errorf("the value %q makes %v", value, placesOf(j.Findings))
		}
	}
	m := jobtest.New("2.3.0").Source("Orders", 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
	m.Gauge("Window", 0, "Window.currentInputWatermark", strconv.FormatInt(math.MaxInt64-20_000, 10), strconv.FormatInt(math.MaxInt64-20_000, 10))
	judge(m, t)
}
