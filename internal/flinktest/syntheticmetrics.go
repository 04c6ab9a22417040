package flinktest

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// taskMetrics are the task-level metrics of every vertex that matter here.
var taskMetrics = []string{"numRecordsIn", "numRecordsOut", "busyTimeMsPerSecond", "idleTimeMsPerSecond", "backPressuredTimeMsPerSecond", "checkpointAlignmentTime"}

// ids lists the metrics of one subtask; the split metrics only of the split it owns.
func (s *Synthetic) ids(v, subtask int) []string {
	ids := slices.Clone(taskMetrics)
	if !s.source(v) {
		ids = append(ids, "currentInputWatermark")
	}
	for _, op := range s.operators(v) {
		ids = append(ids, op+".currentOutputWatermark", op+".numRecordsIn", op+".numRecordsOut")
		if s.source(v) {
			ids = append(ids, op+".sourceIdleTime", op+".currentEmitEventTimeLag", op+".pendingRecords")
			ids = append(ids, s.splitIDs(op, subtask)...)
		} else {
			ids = append(ids, op+".currentInputWatermark", op+".numLateRecordsDropped")
		}
	}
	if s.source(v) {
		for n := range s.o.Noise {
			ids = append(ids, s.operators(v)[0]+".KafkaSourceReader.KafkaConsumer.client-metric-"+strconv.Itoa(n))
		}
	}
	return ids
}

func (s *Synthetic) splitIDs(op string, subtask int) []string {
	n := strconv.Itoa(subtask)
	ids := []string{op + ".KafkaSourceReader.topic.orders.partition." + n + ".currentOffset", op + ".KafkaSourceReader.topic.orders.partition." + n + ".committedOffset"}
	if s.hasSplitMetrics() {
		for _, m := range []string{"currentWatermark", "activeTimeMsPerSecond", "pausedTimeMsPerSecond", "idleTimeMsPerSecond", "accumulatedActiveTimeMs", "accumulatedPausedTimeMs", "accumulatedIdleTimeMs"} {
			ids = append(ids, op+".split.orders-"+n+".watermark."+m)
		}
	}
	return ids
}

// metricOf is a parsed id, for all the subtasks that have it.
type metricOf struct {
	name       string
	first, end int // subtasks that have it
}

// find parses an id without subtask prefix; a split's metric belongs to one subtask only.
func (s *Synthetic) find(v int, id string) metricOf {
	m := metricOf{name: id, end: s.o.Parallelism}
	dot := strings.LastIndexByte(id, '.')
	if dot < 0 {
		if id == "currentInputWatermark" && s.source(v) || !slices.Contains(taskMetrics, id) && id != "currentInputWatermark" {
			m.end = 0
		}
		return m
	}
	m.name = id[dot+1:]
	op, rest, _ := strings.Cut(id[:dot], ".")
	if !slices.Contains(s.operators(v), op) {
		m.end = 0
		return m
	}
	split, isSplit := strings.CutPrefix(strings.TrimSuffix(rest, ".watermark"), "split.orders-")
	if p, isPartition := strings.CutPrefix(rest, "KafkaSourceReader.topic.orders.partition."); isPartition {
		split, isSplit = p, true
	} else if isSplit && !s.hasSplitMetrics() {
		split = ""
	}
	if isSplit {
		n, err := strconv.Atoi(split)
		if err != nil || n >= s.o.Parallelism {
			m.end = 0
			return m
		}
		m.first, m.end = n, n+1
	}
	return m
}

// value of a metric of one subtask.
func (s *Synthetic) value(v, subtask int, name string, at time.Time) int64 {
	idle := s.o.IdleSplit && v == 0 && subtask == s.o.IdleSubtask
	records := at.Sub(s.begin).Milliseconds() / 10
	if idle {
		records = 0
	}
	switch name {
	case "currentInputWatermark":
		return s.input(v, subtask, at)
	case "currentOutputWatermark", "currentWatermark":
		return s.watermark(v, subtask, at)
	case "numRecordsIn", "numRecordsOut":
		return records
	case "currentOffset":
		return records - 1
	case "currentEmitEventTimeLag":
		if idle {
			return -1
		}
		return 40
	case "idleTimeMsPerSecond", "activeTimeMsPerSecond":
		return 900
	case "busyTimeMsPerSecond":
		return 100
	}
	return 0
}

// aggregates is answerAggregates without a string per subtask: benchmarks must not measure the
// server.
func (s *Synthetic) aggregates(w http.ResponseWriter, v int, ids []string, at time.Time) {
	b := []byte{'['}
	for i, id := range ids {
		m := s.find(v, id)
		if m.first >= m.end {
			b = []byte{'['}
			break
		}
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for k := m.first; k < m.end; k++ {
			x := float64(s.value(v, k, m.name, at))
			low, high, sum = min(low, x), max(high, x), sum+x
		}
		b = append(append(append(comma(b, i), `{"id":"`...), inJSON(id)...), `","min":`...)
		b = append(strconv.AppendFloat(b, low, 'E', -1, 64), `,"max":`...)
		b = append(strconv.AppendFloat(b, high, 'E', -1, 64), `,"sum":`...)
		b = append(strconv.AppendFloat(b, sum, 'E', -1, 64), '}')
	}
	reply(w, 200, append(b, ']'))
}

func (s *Synthetic) serveMetrics(w http.ResponseWriter, v int, tail string, query url.Values, at time.Time) {
	wanted, asked := wantedIDs(query)
	switch {
	case tail == "subtasks/metrics" && asked:
		s.aggregates(w, v, wanted, at)
	case tail == "subtasks/metrics":
		answerMetrics(w, query, nil, s.union(v))
	case asked:
		values := make(map[string]string, len(wanted))
		for _, id := range wanted {
			n, rest, _ := strings.Cut(id, ".")
			m := s.find(v, rest)
			if i, err := strconv.Atoi(n); err == nil && i >= m.first && i < m.end {
				values[id] = strconv.FormatInt(s.value(v, i, m.name, at), 10)
			}
		}
		answerMetrics(w, query, values, nil)
	default:
		b := []byte{'['}
		for i := range s.o.Parallelism {
			for k, id := range s.ids(v, i) {
				b = append(comma(b, i+k), `{"id":"`...)
				b = strconv.AppendInt(b, int64(i), 10)
				b = append(append(append(b, '.'), inJSON(id)...), `"}`...)
			}
		}
		reply(w, 200, append(b, ']'))
	}
}

// inJSON escapes a name for use between quotes; names without anything to escape are as they are.
func inJSON(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0xfffd }) {
		return s
	}
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// union lists the ids of all subtasks without their prefix.
func (s *Synthetic) union(v int) []string {
	ids := s.ids(v, 0)
	if s.source(v) {
		for i := 1; i < s.o.Parallelism; i++ {
			ids = append(ids, s.splitIDs(s.operators(v)[0], i)...)
		}
	}
	return ids
}
