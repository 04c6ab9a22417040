package prometheus

import (
	"fmt"
	"regexp"
	"strings"

	"tidemark/flinkapi"
)

const taskPrefix, jobPrefix = "flink_taskmanager_job_task_", "flink_jobmanager_job_"

// anyTask is a metric that every running subtask has (1.17 to 2.3).
const anyTask = taskPrefix + "numRecordsIn"

// Clean is the reporter's spelling of a label value: every UTF-16 unit other than letters,
// digits, ':' and '_' becomes '_' (AbstractPrometheusReporter, CHARACTER_FILTER).
func Clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == ':' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// SameName reports whether a label may represent a name: as it is, or in the reporter's spelling.
func SameName(label, name string) bool { return label == name || label == Clean(name) }

var matcher = regexp.MustCompile(`^\s*[a-zA-Z_][a-zA-Z0-9_]*\s*(=|!=|=~|!~)\s*"(?:[^"\\]|\\.)*"\s*$`)

func checkMatcher(m string) error {
	if !matcher.MatchString(m) {
		return fmt.Errorf("%q is not a label matcher; write it as namespace=\"prod\"", m)
	}
	return nil
}

// selector is a metric with the matchers of the cluster and further ones.
func (c *Client) selector(metric string, more ...string) string {
	return metric + "{" + strings.Join(append(more, c.match...), ",") + "}"
}

func equals(label, value string) string { return label + "=" + quote(value) }

// oneOf matches any of the values literally.
func oneOf(label string, values ...string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = regexp.QuoteMeta(v)
	}
	return label + "=~" + quote(strings.Join(quoted, "|"))
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// timers are accumulated times of a task, ms since its start; REST sums them in GET /jobs/:jobid.
var timers = []string{"accumulateBusyTimeMs", "accumulateIdleTimeMs", "accumulateBackPressuredTimeMs"}

// taskMetrics matches the metrics of tasks, operators and splits that are requested from REST.
func taskMetrics() string {
	plain := append(flinkapi.TellingMetrics(), timers...)
	return "__name__=~" + quote(taskPrefix+"(operator_)?(current(In|Out)put[0-9]*Watermark|.*[nN]umLateRecords.*|"+strings.Join(plain, "|")+
		"|split_watermark_.*|.*_topic_partition_currentOffset|KafkaSourceReader_commits(Failed|Succeeded))")
}

// jobMetrics matches the metrics that the JobManager reports of a job: states, restarts, checkpoints.
func jobMetrics() string { return "__name__=~" + quote(jobPrefix+".*") }

// metricID is the id that REST gives a series; ok is false if it does not belong to a subtask.
func metricID(labels map[string]string) (id string, ok bool) {
	name, ofTask := strings.CutPrefix(labels["__name__"], taskPrefix)
	subtask := labels["subtask_index"]
	if !ofTask || subtask == "" {
		return "", false
	}
	op, ofOperator := labels["operator_name"]
	if !ofOperator {
		return subtask + "." + name, true
	}
	name = strings.TrimPrefix(name, "operator_")
	head := subtask + "." + flinkapi.FilterName(op) + "."
	if gauge, ofSplit := strings.CutPrefix(name, "split_watermark_"); ofSplit && labels["split"] != "" {
		return head + "split." + flinkapi.FilterName(labels["split"]) + ".watermark." + gauge, true
	}
	topic, partition := labels["topic"], labels["partition"]
	if group, gauge, of := strings.Cut(name, "_topic_partition_"); of && topic != "" && partition != "" {
		return head + group + ".topic." + flinkapi.FilterName(topic) + ".partition." + partition + "." + gauge, true
	}
	if group, gauge, of := strings.Cut(name, "KafkaSourceReader_"); of && group == "" {
		return head + "KafkaSourceReader." + gauge, true
	}
	return head + name, true
}

// restorer restores the spelling that ids and names had before the reporter replaced characters.
type restorer struct {
	known map[string]string // reporter's spelling of an id to the id that REST listed
	names map[string]string // vertex id to its name
	found map[operator]spelling
}

type operator struct{ vertex, label string }

type spelling struct {
	name  string
	known bool
}

// operator is the original spelling of an operator, looked up once.
func (r *restorer) operator(vertex, label string) (string, bool) {
	at := operator{vertex, label}
	s, ok := r.found[at]
	if !ok {
		s.name, s.known = operatorIn(r.names[vertex], label)
		if r.found == nil {
			r.found = map[operator]spelling{}
		}
		r.found[at] = s
	}
	return s.name, s.known
}

func canonical(id string) string {
	return strings.ReplaceAll(Clean(id), ":", "_")
}

func (r *restorer) list(ids []string) {
	for _, id := range ids {
		r.known[canonical(id)] = id
	}
}

// restore finds the id that REST had listed. Without one, operator and split are spelled as far
// as the name of the vertex, and the partitions of the offsets, show them.
func (r *restorer) restore(labels map[string]string, splits map[string]string) (string, bool) {
	id, ok := metricID(labels)
	if !ok {
		return "", false
	}
	if exact, listed := r.known[canonical(id)]; listed {
		return exact, true
	}
	op, split := labels["operator_name"], labels["split"]
	whole, named := r.operator(labels["task_id"], op)
	partition, known := splits[split]
	if !named && !known {
		return id, true
	}
	fuller := map[string]string{}
	for k, v := range labels {
		fuller[k] = v
	}
	if named {
		fuller["operator_name"] = whole
	}
	if known {
		fuller["split"] = partition
	}
	return metricID(fuller)
}

// operatorIn finds an operator's original spelling in the name of its vertex.
func operatorIn(vertex, label string) (string, bool) {
	if vertex == "" || label == "" {
		return "", false
	}
	raw, want := []rune(vertex), []rune(label)
	for i := 0; i+len(want) <= len(raw); i++ {
		part := string(raw[i : i+len(want)])
		if !SameName(label, part) {
			continue
		}
		before, after := string(raw[:i]), string(raw[i+len(want):])
		starts := before == "" || strings.HasSuffix(before, "-> ") || strings.HasSuffix(before, "(") || strings.HasSuffix(before, ", ") || strings.HasSuffix(before, "] ")
		ends := after == "" || strings.HasPrefix(after, " -> ") || strings.HasPrefix(after, ")") || strings.HasPrefix(after, ", ") || strings.HasPrefix(after, " [") || len(want) >= 80
		if starts && ends {
			return part, true
		}
	}
	return "", false
}

// splitNames restores the ids of Kafka splits, TOPIC-PARTITION, from the labels of their offsets.
func splitNames(all []Series) map[string]string {
	names := map[string]string{}
	for _, s := range all {
		topic, partition := s.Labels["topic"], s.Labels["partition"]
		if topic == "" || partition == "" {
			continue
		}
		id := topic + "-" + partition
		for _, spelled := range []string{Clean(id), id} {
			if other, taken := names[spelled]; taken && other != id {
				names[spelled] = spelled // two topics have the same spelling in the reporter: only the label is known
			} else {
				names[spelled] = id
			}
		}
	}
	return names
}
