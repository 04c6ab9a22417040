package flinkapi

import (
	"strconv"
	"strings"
)

// MetricID is a parsed metric id of /vertices/:id/metrics. Flink replaces space, '.', ':' and ','
// inside names by '_' (MetricQueryService, 1.17 to 2.3), so '.' only separates levels.
type MetricID struct {
	Subtask  int      // -1 if the id has no subtask prefix (aggregated and coordinator ids)
	Operator string   // "" for a task-level metric
	Groups   []string // levels between operator and metric
	Name     string
}

// taskGroups are task-level groups that must not be mistaken for an operator.
var taskGroups = map[string]bool{"Shuffle": true, "buffers": true, "Network": true}

// ParseMetricID parses an id; ok is false if it has no name.
func ParseMetricID(id string) (m MetricID, ok bool) {
	m.Subtask = -1
	parts := strings.Split(id, ".")
	if n, err := strconv.Atoi(parts[0]); err == nil && n >= 0 && len(parts) > 1 {
		m.Subtask = n
		parts = parts[1:]
	}
	m.Name = parts[len(parts)-1]
	if m.Name == "" {
		return m, false
	}
	levels := parts[:len(parts)-1]
	if len(levels) > 0 && !taskGroups[levels[0]] {
		m.Operator, levels = levels[0], levels[1:]
	}
	m.Groups = levels
	return m, true
}

// Split is the split that a metric belongs to: the id of a split watermark metric
// (InternalSourceSplitMetricGroup, since 2.1), or topic-partition of a Kafka reader metric
// (KafkaSourceReaderMetrics). Both spell a Kafka partition alike, with dots replaced by '_'.
func (m MetricID) Split() (id string, ok bool) {
	g := m.Groups
	if len(g) == 3 && g[0] == "split" && g[1] != "" && g[2] == "watermark" {
		return g[1], true
	}
	if n := len(g); n >= 4 && g[n-3] != "" && g[n-4] == "topic" && g[n-2] == "partition" {
		return g[n-3] + "-" + g[n-1], true
	}
	return "", false
}

// IsWatermark reports currentInputWatermark, currentOutputWatermark, currentInputNWatermark and a
// split's currentWatermark (MetricNames, 1.17 to 2.3).
func (m MetricID) IsWatermark() bool {
	return strings.HasPrefix(m.Name, "current") && strings.HasSuffix(m.Name, "Watermark")
}

// IsLateCounter reports numLateRecordsDropped and its left and right variants (1.17 to 2.3).
func (m MetricID) IsLateCounter() bool { return strings.HasSuffix(m.Name, "umLateRecordsDropped") }

// FilterName is Flink's spelling of an operator name inside a metric id: cut to 80 characters,
// then space, '.', ':' and ',' replaced by '_' (MetricQueryService,
// METRICS_OPERATOR_NAME_MAX_LENGTH).
func FilterName(name string) string {
	if r := []rune(name); len(r) > 80 {
		name = string(r[:80])
	}
	return nameFilter.Replace(name)
}

var nameFilter = strings.NewReplacer(" ", "_", ".", "_", ":", "_", ",", "_")
