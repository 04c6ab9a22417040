package rest

import (
	"encoding/json"
	"strconv"
	"strings"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/engine/twin/run"
)

// metrics are ids with values, in the order of the answer.
type metrics []metric

type metric struct{ id, value string }

func (m *metrics) add(id, value string) { *m = append(*m, metric{id, value}) }

func (m metrics) ids() json.RawMessage {
	b := []byte{'['}
	for i, x := range m {
		b = appendID(b, i, x.id)
		b = append(b, '}')
	}
	return append(b, ']')
}

func (m metrics) values(from, to int) json.RawMessage {
	b := []byte{'['}
	for i, x := range m[from:to] {
		b = appendID(b, i, x.id)
		b = append(b, `,"value":"`...)
		b = append(b, x.value...) // digits, true or NaN
		b = append(b, `"}`...)
	}
	return append(b, ']')
}

func appendID(b []byte, i int, id string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, `{"id":`...)
	quoted, _ := json.Marshal(id)
	return append(b, quoted...)
}

// aggregateIDs are the ids without the subtask, each once.
func (m metrics) aggregateIDs() json.RawMessage {
	seen := map[string]bool{}
	var out metrics
	for _, x := range m {
		_, id, _ := strings.Cut(x.id, ".")
		if !seen[id] {
			seen[id] = true
			out.add(id, "")
		}
	}
	return out.ids()
}

// gauges are the metrics of a vertex about event time and load.
func (w *writer) gauges(v *vertex) metrics {
	var m metrics
	for k := range v.parallelism {
		if !w.fetched(v, k) {
			continue
		}
		at := strconv.Itoa(k) + "."
		w.taskGauges(&m, v, k, at)
		for n, op := range v.ops {
			s := &w.snapshot.Operators[op].Subtasks[k]
			w.operatorGauges(&m, at+w.metric[op]+".", op, s, n == 0)
			if s.Source != nil {
				w.sourceGauges(&m, at+w.metric[op]+".", op, s)
			}
		}
	}
	return m
}

func (w *writer) taskGauges(m *metrics, v *vertex, k int, at string) {
	head := w.head(v, k)
	var in, out int64
	if head.Source == nil || w.job.Flink.AtLeast(2, 0, 0) {
		in = head.Received
	}
	timers := int64(0)
	for _, op := range v.ops {
		timers += w.snapshot.Operators[op].Subtasks[k].Timers
	}
	for _, tail := range w.tails(v) {
		out += w.snapshot.Operators[tail].Subtasks[k].Sent
	}
	if len(v.inputs) > 0 {
		m.add(at+"currentInputWatermark", number(head.In))
	}
	m.add(at+"numRecordsIn", number(in))
	m.add(at+"numRecordsOut", number(out))
	if w.job.Flink.AtLeast(1, 20, 0) {
		m.add(at+"numFiredTimers", number(timers))
	}
	if w.finished(v, k) {
		return // removed from the store by FLINK-31650
	}
	busy, pressed, idle := w.load(v, k)
	m.add(at+"busyTimeMsPerSecond", double(float64(int64(busy))))
	m.add(at+"backPressuredTimeMsPerSecond", number(int64(pressed)))
	m.add(at+"idleTimeMsPerSecond", number(int64(idle)))
}

func (w *writer) operatorGauges(m *metrics, at string, op int, s *run.Subtask, head bool) {
	desc := &w.job.Operators[op]
	if desc.Source == nil {
		m.add(at+"currentInputWatermark", number(s.In))
	}
	if head && len(s.Inputs) == 2 && !w.job.Flink.AtLeast(2, 0, 0) {
		for i, in := range s.Inputs {
			m.add(at+"currentInput"+strconv.Itoa(i+1)+"Watermark", number(in))
		}
	}
	m.add(at+"currentOutputWatermark", number(s.Out))
	m.add(at+"numRecordsIn", number(s.Received))
	m.add(at+"numRecordsOut", number(s.Sent))
	m.add(at+"numRecordsInPerSecond", double(s.ReceivedRate))
	m.add(at+"numRecordsOutPerSecond", double(s.SentRate))
	if late, sql := countsLate(desc.Work); late {
		m.add(at+"numLateRecordsDropped", number(s.Late))
		if sql {
			m.add(at+"lateRecordsDroppedRate", "0.0")
			latency := int64(0)
			if s.In > 0 && s.In != engine.End {
				latency = w.snapshot.AtMs - s.In
			}
			m.add(at+"watermarkLatency", number(latency))
		}
	}
}

// countsLate reports whether an operator has numLateRecordsDropped, and whether it is a SQL
// window.
func countsLate(k job.Work) (late, sql bool) {
	switch k.Kind {
	case job.Window:
		return !k.SideOutput, k.Window.Dialect != engine.DataStream
	case job.Wait:
		return k.Buffer != engine.Sort, false
	}
	return false, false
}

func (w *writer) sourceGauges(m *metrics, at string, op int, s *run.Subtask) {
	src := s.Source
	lag := int64(-1)
	if src.EmitLagMs != nil {
		lag = *src.EmitLagMs
	}
	m.add(at+"currentEmitEventTimeLag", number(lag))
	m.add(at+"sourceIdleTime", number(src.IdleMs))
	m.add(at+"numRecordsInErrors", "0")
	if src.LagMs != nil {
		m.add(at+"watermarkLag", number(*src.LagMs))
	}
	if src.DriftMs != nil {
		m.add(at+"watermarkAlignmentDrift", number(*src.DriftMs))
	}
	kafka := w.job.Operators[op].Source.Connector == job.Kafka
	if kafka {
		m.add(at+"KafkaSourceReader.commitsFailed", "0")
		m.add(at+"KafkaSourceReader.commitsSucceeded", "0")
		if s.Received > 0 || src.Pending > 0 { // registered with the first fetch that returns records
			m.add(at+"pendingRecords", number(src.Pending))
		}
	}
	for _, split := range src.Splits {
		if kafka {
			of := at + "KafkaSourceReader.topic." + masked.Replace(split.Topic) + ".partition." + strconv.Itoa(split.Partition) + "."
			m.add(of+"currentOffset", number(split.Offset))
			m.add(of+"committedOffset", "-1")
		}
		if w.job.Flink.AtLeast(2, 1, 0) {
			splitGauges(m, at+"split."+masked.Replace(split.ID)+".watermark.", split)
		}
	}
}

// splitGauges are the metrics of InternalSourceSplitMetricGroup, 2.1 and later.
func splitGauges(m *metrics, at string, s run.Split) {
	m.add(at+"currentWatermark", number(s.Watermark))
	m.add(at+"activeTimeMsPerSecond", double(float64(int64(max(1000-s.IdleRate-s.PausedRate, 0)))))
	m.add(at+"idleTimeMsPerSecond", number(int64(s.IdleRate)))
	m.add(at+"pausedTimeMsPerSecond", number(int64(s.PausedRate)))
	m.add(at+"accumulatedActiveTimeMs", double(float64(s.ActiveMs)))
	m.add(at+"accumulatedIdleTimeMs", number(s.IdleMs))
	m.add(at+"accumulatedPausedTimeMs", number(s.PausedMs))
}
