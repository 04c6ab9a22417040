package analyze

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

const (
	at0  = int64(1_796_000_000_000) // JobManager clock of the first sample
	gap  = int64(20_000)
	at1  = at0 + gap
	none = "-9223372036854775808"
	end  = "9223372036854775807"
)

// model is a job made up for a test: two samples of it, as a capture holds them.
type model struct {
	c   *flinkapi.Capture
	ids map[string]string // vertex name to id
}

func newModel(version string) *model {
	m := &model{ids: map[string]string{}, c: &flinkapi.Capture{ReadAt: at1, Config: map[string]string{}, HasConfig: true}}
	m.c.Overview.FlinkVersion = version
	var samples []*flinkapi.Sample
	for _, now := range []int64{at0, at1} {
		s := &flinkapi.Sample{ReadAt: now, HasJob: true, Vertices: map[string]*flinkapi.VertexSample{},
			JobMetrics: map[string]string{"uptime": strconv.FormatInt(now-at0+3_600_000, 10), "numRestarts": "0"}}
		s.Job = flinkapi.JobDetails{ID: "j", Name: "job", State: "RUNNING", Now: now}
		samples = append(samples, s)
	}
	m.c.Jobs = []flinkapi.JobCapture{{ID: "j", Name: "job", Samples: samples}}
	return m
}

func (m *model) samples() []*flinkapi.Sample { return m.c.Jobs[0].Samples }

// vertex adds a vertex; an input is "name" for HASH or "name|SHIP".
func (m *model) vertex(name, description string, parallelism int, inputs ...string) *model {
	id := fmt.Sprintf("%032d", len(m.ids)+1)
	m.ids[name] = id
	node := flinkapi.PlanNode{ID: id, Parallelism: parallelism, Description: description}
	for i, in := range inputs {
		from, ship, ok := strings.Cut(in, "|")
		if !ok {
			ship = "HASH"
		}
		node.Inputs = append(node.Inputs, flinkapi.PlanInput{Num: i, ID: m.ids[from], ShipStrategy: ship})
	}
	for i, s := range m.samples() {
		s.Job.Vertices = append(s.Job.Vertices, flinkapi.JobVertex{ID: id, Name: name, Parallelism: parallelism, Status: "RUNNING"})
		s.Plan.Nodes = append(s.Plan.Nodes, node)
		v := &flinkapi.VertexSample{ID: id, ReadAt: s.ReadAt, HasWatermarks: true, Metrics: map[string]string{}, Aggregates: map[string]flinkapi.Aggregate{}}
		v.Backpressure = &flinkapi.Backpressure{EndTimestamp: flinkapi.Int{V: s.ReadAt, Valid: true}}
		for k := 0; k < parallelism; k++ {
			v.Metrics[fmt.Sprintf("%d.accumulateIdleTimeMs", k)] = strconv.Itoa(1000 + 20_000*i)
		}
		s.Vertices[id] = v
	}
	return m
}

// gauge sets a metric of one subtask in both samples: "operator.metric" or "metric".
func (m *model) gauge(vertex string, subtask int, metric, before, now string) *model {
	id := fmt.Sprintf("%d.%s", subtask, metric)
	m.samples()[0].Vertices[m.ids[vertex]].Metrics[id] = before
	m.samples()[1].Vertices[m.ids[vertex]].Metrics[id] = now
	return m
}

// source adds a source of one operator whose subtasks each emit at the given lag and read on.
func (m *model) source(name string, lags ...int64) *model {
	m.vertex("Source: "+name, "Source: "+name+"<br/>", len(lags))
	for i, lag := range lags {
		m.emits(name, i, at0-lag, at1-lag).reads(name, i, 1000, 2000)
	}
	return m
}

func (m *model) emits(source string, subtask int, before, now int64) *model {
	return m.gauge("Source: "+source, subtask, opOf(source)+".currentOutputWatermark", mark(before), mark(now))
}

func (m *model) reads(source string, subtask, before, now int) *model {
	return m.gauge("Source: "+source, subtask, opOf(source)+".numRecordsOut", strconv.Itoa(before), strconv.Itoa(now))
}

// split sets watermark and Kafka offset of a split; further metrics as name, before, now.
func (m *model) split(source string, subtask int, id string, before, now int64, more ...string) *model {
	base := opOf(source) + ".split." + id + ".watermark."
	m.gauge("Source: "+source, subtask, base+"currentWatermark", mark(before), mark(now))
	for i := 0; i+2 < len(more); i += 3 {
		m.gauge("Source: "+source, subtask, base+more[i], more[i+1], more[i+2])
	}
	return m
}

func (m *model) offset(source string, subtask int, topic string, partition, before, now int) *model {
	return m.gauge("Source: "+source, subtask, fmt.Sprintf("%s.KafkaSourceReader.topic.%s.partition.%d.currentOffset", opOf(source), topic, partition), strconv.Itoa(before), strconv.Itoa(now))
}

// passes sets input and output of an operator and the task's input.
func (m *model) passes(vertex string, subtask int, op string, in0, in1, out0, out1 int64) *model {
	m.gauge(vertex, subtask, "currentInputWatermark", mark(in0), mark(in1))
	m.gauge(vertex, subtask, op+".currentInputWatermark", mark(in0), mark(in1))
	m.gauge(vertex, subtask, "numRecordsIn", "1000", "2000")
	return m.gauge(vertex, subtask, op+".currentOutputWatermark", mark(out0), mark(out1))
}

// window adds a keyed event-time window over the inputs, with one event time in all subtasks.
func (m *model) window(parallelism int, before, now int64, inputs ...string) *model {
	m.vertex("Window", "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>", parallelism, inputs...)
	for i := 0; i < parallelism; i++ {
		m.passes("Window", i, "Window", before, now, before, now)
	}
	return m
}

func (m *model) build() *Job { return BuildJob(m.c, m.c.Jobs[0]) }

func (m *model) judge(t testing.TB) JobReport {
	t.Helper()
	j := Judge(m.build())
	if tt, ok := t.(*testing.T); ok {
		checkReport(tt, j)
	}
	return j
}

func opOf(source string) string { return flinkapi.FilterName("Source: " + source) }

// noMark is Long.MIN_VALUE in a model.
const noMark = int64(-1 << 63)

func mark(ms int64) string { return strconv.FormatInt(ms, 10) }

// The model itself must be healthy, or every test built on it means nothing.
func TestModelIsHealthy(t *testing.T) {
	for _, version := range []string{"1.17.2", "1.20.3", "2.3.0", ""} {
		j := newModel(version).source("Orders", 2000, 2500).window(2, at0-3000, at1-3000, "Source: Orders").judge(t)
		if j.Verdict != VerdictHealthy || j.Samples != 2 || j.SampleGapMs != gap {
			t.Errorf("%q: %s, %d samples %d ms apart: %v %v", version, j.Verdict, j.Samples, j.SampleGapMs, placesOf(j.Findings), j.NotChecked)
		}
	}
}
