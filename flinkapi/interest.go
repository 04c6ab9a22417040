package flinkapi

import "strings"

// interest says how useful a metric id is.
type interest int

const (
	uninteresting interest = iota
	detail                 // read for subtasks that are read in detail
	core                   // read for every subtask once a vertex is read in detail
)

// telling are the metrics, besides watermarks, that a verdict may depend on.
var telling = map[string]bool{
	"numRecordsIn": true, "numRecordsOut": true, "numRecordsInErrors": true,
	"numLateRecordsDropped": true, "leftNumLateRecordsDropped": true, "rightNumLateRecordsDropped": true,
	"numNullRowTimeRecordsDropped": true, "lateRecordsDroppedRate": true, "watermarkLatency": true,
	"watermarkLag": true, "currentEmitEventTimeLag": true, "currentFetchEventTimeLag": true,
	"watermarkAlignmentDrift": true, "sourceIdleTime": true, "pendingRecords": true, "pendingBytes": true,
	"busyTimeMsPerSecond": true, "idleTimeMsPerSecond": true, "backPressuredTimeMsPerSecond": true,
	"numFiredTimers": true, "numFiredTimersPerSecond": true,
	"commitsFailed": true, "commitsSucceeded": true, "unassignedSplits": true,
	"numRecordsInPerSecond": true, "numRecordsOutPerSecond": true,
}

// TellingMetrics are the names of the metrics, besides watermarks, that a verdict may depend on.
func TellingMetrics() []string { return sortedKeys(telling) }

// interestOf rates an id, with or without subtask prefix. Kafka's own client metrics and network
// buffers are many and say nothing about event time.
func interestOf(id string) interest {
	if strings.Contains(id, ".KafkaSourceReader.KafkaConsumer.") {
		return uninteresting // most ids of a Kafka source: not worth parsing
	}
	m, ok := ParseMetricID(id)
	if !ok {
		return uninteresting
	}
	for _, g := range m.Groups {
		if g == "KafkaConsumer" || g == "Shuffle" || g == "Netty" || g == "buffers" {
			return uninteresting
		}
	}
	_, ofSplit := m.Split()
	switch {
	case m.IsWatermark():
		return core
	case ofSplit && m.Name == "currentOffset":
		return core
	case ofSplit:
		return detail
	case m.Operator != "" && m.Name == "numRecordsIn":
		return core
	case telling[m.Name], strings.HasSuffix(m.Name, "NumLateRecordsDropped"), strings.HasPrefix(m.Name, "numLateRecords"):
		return detail
	}
	return uninteresting
}

// filterIDs keeps the ids with at least the wanted interest, in order.
func filterIDs(ids []string, wanted interest) []string {
	var out []string
	for _, id := range ids {
		if interestOf(id) >= wanted {
			out = append(out, id)
		}
	}
	return out
}
