package jobtest

import (
	"fmt"
	"strconv"
	"strings"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Relay adds an operator that only forwards watermarks.
func (m *Job) Relay(name string, parallelism int, before, now int64, inputs ...string) *Job {
	m.Vertex(name, name+"<br/>", parallelism, inputs...)
	for i := 0; i < parallelism; i++ {
		m.Passes(name, i, flinkapi.FilterName(name), before, now, before, now)
	}
	return m
}

// StuckSplit is a job whose source split silent-0 never had a record, three exchanges above a
// window, next to a healthy branch of another source.
func StuckSplit() *Job {
	m := New("2.3.0").Source("Orders", 2000, 2000).Source("Clicks", 2000)
	m.Emits("Orders", 1, NoMark, NoMark)
	m.Split("Orders", 1, "silent-0", NoMark, NoMark).Offset("Orders", 1, "silent", 0, -1, -1)
	m.Split("Orders", 1, "silent-1", At0-2000, At1-2000).Offset("Orders", 1, "silent", 1, 100, 200)
	m.Split("Orders", 0, "silent-2", At0-2000, At1-2000).Offset("Orders", 0, "silent", 2, 100, 200)
	m.Relay("Enrich", 3, NoMark, NoMark, "Source: Orders|REBALANCE")
	m.Relay("Clean", 2, NoMark, NoMark, "Enrich|REBALANCE")
	m.Relay("Tag", 2, At0-2500, At1-2500, "Source: Clicks|REBALANCE")
	return m.Window(2, NoMark, NoMark, "Clean", "Tag")
}

func (m *Job) IntervalJoin(hold int64) *Job {
	text := fmt.Sprintf("[3]:IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-1000, leftUpperBound=%d, leftTimeIndex=2, rightTimeIndex=1], where=[(a = a0)], select=[a])<br/>", hold)
	m.Vertex("IntervalJoin[3]", text, 1, "Source: o[1]", "Source: o[1]")
	return m.Passes("IntervalJoin[3]", 0, "IntervalJoin[3]", At0-3000, At1-3000, At0-3000-hold, At1-3000-hold)
}

// Aggregate sets min, max and sum of a metric in both samples, as for a wide vertex.
func (m *Job) Aggregate(vertex, id string, before, now float64) *Job {
	for i, x := range []float64{before, now} {
		f := flinkapi.Float(x)
		v := m.Samples()[i].Vertices[m.Ids[vertex]]
		v.Aggregates[id] = flinkapi.Aggregate{ID: id, Min: &f, Max: &f, Sum: &f}
	}
	return m
}

// WideWindow is a window of 512 subtasks of which only aggregates and /watermarks were read.
func WideWindow(before, now int64) *Job {
	m := New("2.3.0").Source("Orders", 2000, 2000)
	m.Vertex("Window", "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>", 512, "Source: Orders")
	m.Aggregate("Window", "Window.currentInputWatermark", float64(before), float64(now)).Aggregate("Window", "Window.currentOutputWatermark", float64(before), float64(now))
	for i := 0; i < 512; i++ {
		m.Gauge("Window", i, "currentInputWatermark", Mark(before), Mark(now))
	}
	return m
}

func (m *Job) Exception(trace, task string) *Job {
	x := &flinkapi.Exceptions{}
	x.History.Entries = []flinkapi.ExceptionEntry{{Stacktrace: trace, TaskName: task, Timestamp: At0}}
	m.Samples()[1].Exceptions = x
	return m
}

func (m *Job) Restored() *Job {
	for _, s := range m.Samples() {
		c := &flinkapi.Checkpoints{}
		c.Latest.Restored = &struct {
			RestoreTimestamp int64 `json:"restore_timestamp"`
			IsSavepoint      bool  `json:"is_savepoint"`
		}{At0 - 60_000, false}
		s.Checkpoints = c
	}
	return m
}

func (m *Job) Uptime(ms int64) *Job {
	for i, s := range m.Samples() {
		s.JobMetrics["uptime"] = Mark(ms - Gap*int64(1-i))
	}
	return m
}

func (m *Job) Restarts(n string) *Job {
	for _, s := range m.Samples() {
		s.JobMetrics["numRestarts"] = n
	}
	return m
}

func (m *Job) Status(vertex, status string) *Job {
	for _, s := range m.Samples() {
		for i := range s.Job.Vertices {
			if s.Job.Vertices[i].Name == vertex {
				s.Job.Vertices[i].Status = status
			}
		}
	}
	return m
}

func (m *Job) SubtaskStatus(vertex string, subtask int, status string) *Job {
	for _, s := range m.Samples() {
		v := s.Vertices[m.Ids[vertex]]
		if v.Details == nil {
			v.Details = &flinkapi.VertexDetails{}
		}
		v.Details.Subtasks = append(v.Details.Subtasks, flinkapi.Subtask{Index: subtask, Status: status})
	}
	return m
}

const (
	At0  = int64(1_796_000_000_000) // JobManager clock of the first sample
	Gap  = int64(20_000)
	At1  = At0 + Gap
	None = "-9223372036854775808"
	End  = "9223372036854775807"
)

// Job is a job built for a test: two samples of it, as in a capture.
type Job struct {
	C   *flinkapi.Capture
	Ids map[string]string // vertex name to id
}

func New(version string) *Job {
	m := &Job{Ids: map[string]string{}, C: &flinkapi.Capture{ReadAt: At1, Config: map[string]string{}, HasConfig: true}}
	m.C.Overview.FlinkVersion = version
	var samples []*flinkapi.Sample
	for _, now := range []int64{At0, At1} {
		s := &flinkapi.Sample{ReadAt: now, HasJob: true, Vertices: map[string]*flinkapi.VertexSample{},
			JobMetrics: map[string]string{"uptime": strconv.FormatInt(now-At0+3_600_000, 10), "numRestarts": "0"}}
		s.Job = flinkapi.JobDetails{ID: "j", Name: "job", State: "RUNNING", Now: now}
		samples = append(samples, s)
	}
	m.C.Jobs = []flinkapi.JobCapture{{ID: "j", Name: "job", Samples: samples}}
	return m
}

// State sets the state of the job in both samples.
func (m *Job) State(state string) *Job {
	for _, s := range m.Samples() {
		s.Job.State = state
	}
	return m
}

func (m *Job) Samples() []*flinkapi.Sample { return m.C.Jobs[0].Samples }

// Vertex adds a vertex; an input is "name" for HASH or "name|SHIP".
func (m *Job) Vertex(name, description string, parallelism int, inputs ...string) *Job {
	id := fmt.Sprintf("%032d", len(m.Ids)+1)
	m.Ids[name] = id
	node := flinkapi.PlanNode{ID: id, Parallelism: parallelism, Description: description}
	for i, in := range inputs {
		from, ship, ok := strings.Cut(in, "|")
		if !ok {
			ship = "HASH"
		}
		node.Inputs = append(node.Inputs, flinkapi.PlanInput{Num: i, ID: m.Ids[from], ShipStrategy: ship})
	}
	for i, s := range m.Samples() {
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

// Gauge sets a metric of one subtask in both samples: "operator.metric" or "metric".
func (m *Job) Gauge(vertex string, subtask int, metric, before, now string) *Job {
	id := fmt.Sprintf("%d.%s", subtask, metric)
	m.Samples()[0].Vertices[m.Ids[vertex]].Metrics[id] = before
	m.Samples()[1].Vertices[m.Ids[vertex]].Metrics[id] = now
	return m
}

// Source adds a source with one operator, whose subtasks each emit at the given lag and keep
// reading.
func (m *Job) Source(name string, lags ...int64) *Job {
	m.Vertex("Source: "+name, "Source: "+name+"<br/>", len(lags))
	for i, lag := range lags {
		m.Emits(name, i, At0-lag, At1-lag).Reads(name, i, 1000, 2000)
	}
	return m
}

func (m *Job) Emits(source string, subtask int, before, now int64) *Job {
	return m.Gauge("Source: "+source, subtask, OpOf(source)+".currentOutputWatermark", Mark(before), Mark(now))
}

func (m *Job) Reads(source string, subtask, before, now int) *Job {
	return m.Gauge("Source: "+source, subtask, OpOf(source)+".numRecordsOut", strconv.Itoa(before), strconv.Itoa(now))
}

// Split sets watermark and Kafka offset of a split; more holds further metrics as name, before,
// now.
func (m *Job) Split(source string, subtask int, id string, before, now int64, more ...string) *Job {
	base := OpOf(source) + ".split." + id + ".watermark."
	m.Gauge("Source: "+source, subtask, base+"currentWatermark", Mark(before), Mark(now))
	for i := 0; i+2 < len(more); i += 3 {
		m.Gauge("Source: "+source, subtask, base+more[i], more[i+1], more[i+2])
	}
	return m
}

func (m *Job) Offset(source string, subtask int, topic string, partition, before, now int) *Job {
	return m.Gauge("Source: "+source, subtask, fmt.Sprintf("%s.KafkaSourceReader.topic.%s.partition.%d.currentOffset", OpOf(source), topic, partition), strconv.Itoa(before), strconv.Itoa(now))
}

// Passes sets the input and output watermark of an operator and the input watermark of its task.
func (m *Job) Passes(vertex string, subtask int, op string, in0, in1, out0, out1 int64) *Job {
	m.Gauge(vertex, subtask, "currentInputWatermark", Mark(in0), Mark(in1))
	m.Gauge(vertex, subtask, op+".currentInputWatermark", Mark(in0), Mark(in1))
	m.Gauge(vertex, subtask, "numRecordsIn", "1000", "2000")
	return m.Gauge(vertex, subtask, op+".currentOutputWatermark", Mark(out0), Mark(out1))
}

// Window adds a keyed event-time window over the inputs, with the same watermark in all subtasks.
func (m *Job) Window(parallelism int, before, now int64, inputs ...string) *Job {
	m.Vertex("Window", "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Sum)<br/>", parallelism, inputs...)
	for i := 0; i < parallelism; i++ {
		m.Passes("Window", i, "Window", before, now, before, now)
	}
	return m
}

func (m *Job) Build() *model.Job { return model.BuildJob(m.C, m.C.Jobs[0]) }

func OpOf(source string) string { return flinkapi.FilterName("Source: " + source) }

// NoMark is Long.MIN_VALUE in a model.
const NoMark = int64(-1 << 63)

func Mark(ms int64) string { return strconv.FormatInt(ms, 10) }
