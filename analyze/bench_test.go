package analyze

import (
	"fmt"
	"testing"
	"time"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// largeJob is a chain of vertices as in a capture of a large job: the source with watermarks of subtasks and splits, every
// other vertex with aggregated metrics and the input watermark of each subtask.
func largeJob(vertices, parallelism int) *jobtest.Job {
	m := jobtest.New("2.3.0")
	for v := 0; v < vertices; v++ {
		if v < vertices/20 {
			name := fmt.Sprintf("Orders%d", v)
			m.Vertex("Source: "+name, "Source: "+name+"<br/>", parallelism)
			for i := 0; i < parallelism; i++ {
				m.Emits(name, i, jobtest.At0-2000, jobtest.At1-2000).Reads(name, i, 1000, 2000)
				m.Split(name, i, fmt.Sprintf("o-%d", i), jobtest.At0-2000, jobtest.At1-2000, "accumulatedActiveTimeMs", "1000", "21000")
				m.Offset(name, i, "o", i, 1000, 2000)
			}
			continue
		}
		name := fmt.Sprintf("Step%d", v)
		text := name + "<br/>"
		if v == vertices-1 {
			text = "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>"
		}
		var inputs []string
		if v == vertices/20 {
			for k := 0; k < v; k++ {
				inputs = append(inputs, fmt.Sprintf("Source: Orders%d", k))
			}
		} else {
			inputs = []string{fmt.Sprintf("Step%d", v-1)}
		}
		m.Vertex(name, text, parallelism, inputs...)
		for i := 0; i < parallelism; i++ {
			m.Gauge(name, i, "currentInputWatermark", jobtest.Mark(jobtest.At0-2500), jobtest.Mark(jobtest.At1-2500))
		}
		m.Aggregate(name, name+".currentInputWatermark", float64(jobtest.At0-2500), float64(jobtest.At1-2500))
		m.Aggregate(name, name+".currentOutputWatermark", float64(jobtest.At0-2500), float64(jobtest.At1-2500))
	}
	return m
}

func TestLargeJob(t *testing.T) {
	m := largeJob(40, 64)
	if j := judge(m, t); j.Verdict != VerdictHealthy || len(j.Vertices) != 40 {
		t.Errorf("%s with %d vertices: %v %v", j.Verdict, len(j.Vertices), placesOf(j.Findings), j.NotChecked)
	}
	m.Emits("Orders1", 40, jobtest.NoMark, jobtest.NoMark).Split("Orders1", 40, "o-40", jobtest.NoMark, jobtest.NoMark).Offset("Orders1", 40, "o", 40, -1, -1).Reads("Orders1", 40, 0, 0)
	for v := 2; v < 40; v++ {
		name := fmt.Sprintf("Step%d", v)
		m.Aggregate(name, name+".currentInputWatermark", -9.223372036854775807e18, -9.223372036854775807e18).Aggregate(name, name+".currentOutputWatermark", -9.223372036854775807e18, -9.223372036854775807e18)
		for i := 0; i < 64; i++ {
			m.Gauge(name, i, "currentInputWatermark", jobtest.None, jobtest.None)
		}
	}
	j := judge(m, t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "idle-split critical @Orders1 #40 split o-40" || len(j.Findings[0].HeldBack) != 38 {
		t.Errorf("findings %v, %d held back", got, len(j.Findings[0].HeldBack))
	}
}

// 100 vertices of 512 subtasks, two samples: judging must take little time compared with reading.
func BenchmarkTriageLarge(b *testing.B) {
	c := largeJob(100, 512).C
	b.ReportAllocs()
	for b.Loop() {
		if r := Triage(c, Options{}); r.Jobs[0].Verdict != VerdictHealthy {
			b.Fatalf("%s: %v", r.Jobs[0].Verdict, placesOf(r.Jobs[0].Findings))
		}
	}
}

// 100 vertices whose 512 subtasks all differ: judging must take no more than a small multiple of building the model.
func BenchmarkTriageAllDiffer(b *testing.B) {
	m := largeJob(100, 512)
	for v := 5; v < 100; v++ {
		for i := range 512 {
			at := int64(2500 + 7*((i*131+v*17)%512))
			m.Gauge(fmt.Sprintf("Step%d", v), i, "currentInputWatermark", jobtest.Mark(jobtest.At0-at), jobtest.Mark(jobtest.At1-at))
		}
	}
	var built, judged time.Duration
	for b.Loop() {
		start := time.Now()
		j := model.BuildJob(m.C, m.C.Jobs[0])
		built += time.Since(start)
		start = time.Now()
		if r := Judge(j); len(r.Vertices) != 100 {
			b.Fatal(r.Verdict)
		}
		judged += time.Since(start)
	}
	b.ReportMetric(float64(judged)/float64(built), "x-of-building")
	b.ReportMetric(float64(judged.Microseconds())/1000/float64(b.N), "judging-ms")
}

// A recording of one small job, from bytes to report.
func BenchmarkTriageRecording(b *testing.B) {
	for b.Loop() {
		Triage(captureFile(b, recordingsDir+"/flink-2.3.0/lab-idle-partition.jsonl.gz"), Options{})
	}
}
