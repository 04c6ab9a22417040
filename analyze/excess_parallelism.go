package analyze

import "fmt"

var _ = register(Check{
	Code: "TM104", Cause: "excess-parallelism", Title: "More source subtasks than splits",
	Symptom: 1, Severity: Critical, Needs: []string{"split metrics (2.1+) or Kafka offsets"},
	Means: "Some source subtasks have no split at all, emit neither watermark nor idleness, and so hold every consumer at \"no watermark\".",
	Why: "A reader without a split stays active unless withIdleness is set (KafkaSource keeps it alive). It is told from an idle split by its missing split and partition metrics " +
		"while its siblings show theirs, and from a lost split (TM109) by never having had a watermark.",
	Fix: Fix{
		Text:       "Lower the source's parallelism to the number of partitions, or set an idle timeout.",
		DataStream: "env.fromSource(…).setParallelism(partitions)\n// or strategy.withIdleness(Duration.ofMinutes(1))",
		SQL:        "-- 1.19+, where the connector has it\nWITH ('scan.parallelism' = '<partitions>')\n-- or SET 'table.exec.source.idle-timeout' = '60 s'",
	},
	Run: runExcessParallelism,
})

func runExcessParallelism(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		if !v.namesSplits() || assignsInChain(v) {
			continue
		}
		var empty []int
		splits := 0
		var first *Subtask
		for _, s := range v.Subtasks {
			splits += len(s.activeSplits())
			if len(s.Splits) == 0 && s.Never() && s.Out().IsNone() && j.holds(s, s.Out()) {
				empty = append(empty, s.Index)
				if first == nil {
					first = s
				}
			}
		}
		if len(empty) == 0 || splits == 0 || j.WarmingUp() {
			continue
		}
		f := newFinding("TM104", v)
		f.Operator, f.Subtasks = headName(v), empty
		f.HeldBack = j.heldBack(v, v.MinOut())
		f.since(j.UptimeMs)
		f.Summary = fmt.Sprintf("%s: source %s runs %d subtasks over %s; %s without any: %s",
			without(f.HeldBack, v, v.MinOut()), sourceLabel(v), v.Parallelism, plural(splits, "split"), plural(len(empty), "subtask"), someInts(empty))
		f.proveReading(v, subtaskLabel(first), "currentOutputWatermark", first.Out())
		f.prove(v, subtaskLabel(first), "split and partition metrics", "absent")
		f.proveGauge(v, subtaskLabel(first), "numRecordsOut", first.Records)
		out = append(out, f)
	}
	return out
}

func assignsInChain(v *Vertex) bool {
	for _, op := range v.Chain {
		if op.Kind == KindAssigner {
			return true
		}
	}
	return false
}
