package flinktest

import (
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

// value of a metric of one subtask, "" where it has none.
func (s *Synthetic) value(v, subtask int, id string, at time.Time) string {
	dot := strings.LastIndexByte(id, '.')
	name := id[dot+1:]
	if dot >= 0 && !s.owns(v, subtask, id[:dot]) {
		return ""
	}
	records := at.Sub(s.begin).Milliseconds() / 10
	idle := s.o.IdleSplit && v == 0 && subtask == s.o.IdleSubtask
	if idle {
		records = 0
	}
	switch name {
	case "currentInputWatermark":
		if s.source(v) {
			return ""
		}
		return strconv.FormatInt(s.watermark(v, 0, at), 10)
	case "currentOutputWatermark", "currentWatermark":
		return strconv.FormatInt(s.watermark(v, subtask, at), 10)
	case "numRecordsIn", "numRecordsOut":
		return strconv.FormatInt(records, 10)
	case "currentOffset":
		return strconv.FormatInt(records-1, 10)
	case "currentEmitEventTimeLag":
		return map[bool]string{true: "-1", false: "40"}[idle]
	case "idleTimeMsPerSecond", "activeTimeMsPerSecond":
		return "900"
	case "busyTimeMsPerSecond":
		return "100.0"
	}
	return "0"
}

// owns reports that the subtask has an operator and split as named in the levels of an id.
func (s *Synthetic) owns(v, subtask int, levels string) bool {
	op, rest, _ := strings.Cut(levels, ".")
	if !slices.Contains(s.operators(v), op) {
		return false
	}
	n := strconv.Itoa(subtask)
	if split, ok := strings.CutPrefix(rest, "split.orders-"); ok {
		return s.hasSplitMetrics() && split == n+".watermark"
	}
	if p, ok := strings.CutPrefix(rest, "KafkaSourceReader.topic.orders.partition."); ok {
		return p == n
	}
	return true
}

func (s *Synthetic) serveMetrics(w http.ResponseWriter, v int, tail string, query url.Values, at time.Time) {
	wanted, asked := wantedIDs(query)
	switch {
	case tail == "subtasks/metrics" && asked:
		answerAggregates(w, query, func(id string) []string {
			var out []string
			first, end := s.owners(id)
			for i := first; i < end; i++ {
				if x := s.value(v, i, id, at); x != "" {
					out = append(out, x)
				}
			}
			return out
		})
	case tail == "subtasks/metrics":
		answerMetrics(w, query, nil, s.union(v))
	case asked:
		values := make(map[string]string, len(wanted))
		for _, id := range wanted {
			n, rest, _ := strings.Cut(id, ".")
			if i, err := strconv.Atoi(n); err == nil && i < s.o.Parallelism {
				if x := s.value(v, i, rest, at); x != "" {
					values[id] = x
				}
			}
		}
		answerMetrics(w, query, values, nil)
	default:
		b := []byte{'['}
		for i := range s.o.Parallelism {
			for k, id := range s.ids(v, i) {
				b = append(comma(b, i+k), `{"id":"`...)
				b = strconv.AppendInt(b, int64(i), 10)
				b = append(append(append(b, '.'), id...), `"}`...)
			}
		}
		reply(w, 200, append(b, ']'))
	}
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

// owners is the range of subtasks that may have a metric: one for a split's, all for the others.
func (s *Synthetic) owners(id string) (first, end int) {
	for _, mark := range []string{".split.orders-", ".partition."} {
		if _, rest, ok := strings.Cut(id, mark); ok {
			n, _, _ := strings.Cut(rest, ".")
			if i, err := strconv.Atoi(n); err == nil {
				return min(i, s.o.Parallelism), min(i+1, s.o.Parallelism)
			}
		}
	}
	return 0, s.o.Parallelism
}
