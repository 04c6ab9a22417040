package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM104", Cause: "excess-parallelism", Title: "More source subtasks than splits",
	Headline: "{vertex} has more subtasks than partitions: no window behind it can fire",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets)),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)},
	Settled:   true,
	EventTime: true,
	Means:     "Some source subtasks have no split at all. They emit neither a watermark nor idleness, so no consumer gets a watermark.",
	Why:       "A reader without a split stays active unless withIdleness is set (KafkaSource keeps it alive). Unlike with an idle split, it shows no split and no partition metrics while its siblings do. Unlike with a lost split (TM109), it has never had a watermark.",
	Fix: catalog.Fix{
		Text:       "Lower the source's parallelism to the number of partitions, or set an idle timeout.",
		DataStream: "env.fromSource(…).setParallelism(partitions)\n// or strategy.withIdleness(Duration.ofMinutes(1))",
		SQL:        "-- 1.19+, where the connector has it\nWITH ('scan.parallelism' = '<partitions>')\n-- or SET 'table.exec.source.idle-timeout' = '60 s'",
	},
	Run: runExcessParallelism,
})

func runExcessParallelism(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		if !v.NamesSplits() || assignsInChain(v) || !v.NeedsEventTime() {
			continue
		}
		var empty []int
		splits := 0
		var first *model.Subtask
		for _, s := range v.Subtasks {
			splits += len(s.ActiveSplits())
			if len(s.Splits) == 0 && s.Never() && s.Out().IsNone() && j.Holds(s, s.Out()) {
				empty = append(empty, s.Index)
				if first == nil {
					first = s
				}
			}
		}
		if len(empty) == 0 || splits == 0 || j.WarmingUp() {
			continue
		}
		f := catalog.NewFinding("TM104", v)
		f.Operator, f.Subtasks = model.HeadName(v), empty
		f.HeldBack = j.HeldBack(v, v.MinOut())
		titleHeld(&f, v)
		f.Began(j.NowMs-j.UptimeMs, j.NowMs)
		f.Confidence = emptySubtaskConfidence(j, v)
		if f.Confidence == catalog.Possible {
			f.Severity = catalog.Warning
		}
		f.Summary = fmt.Sprintf("%s: source %s runs %d subtasks over %s; %s without any: %s",
			catalog.Without(f.HeldBack, v, v.MinOut()), model.SourceLabel(v), v.Parallelism, catalog.Plural(splits, "split"), catalog.Plural(len(empty), "subtask"), catalog.SomeInts(empty))
		f.ProveReading(v, model.SubtaskLabel(first), "currentOutputWatermark", first.Out())
		f.Prove(v, model.SubtaskLabel(first), "split and partition metrics", "absent")
		f.ProveGauge(v, model.SubtaskLabel(first), "numRecordsOut", first.Records)
		out = append(out, f)
	}
	return out
}

// emptySubtaskConfidence is certain where the plan shows that no idle timeout is set. Elsewhere one may be
// set and be longer than the job runs; and a consumer that is behind may not have got that far.
func emptySubtaskConfidence(j *model.Job, v *model.Vertex) catalog.Confidence {
	for _, e := range v.Out {
		_, slow := flooded(j, e.To)
		if _, jam := jamBehind(j, v); slow || jam {
			return catalog.Possible
		}
	}
	if d, ok := j.Declared(v); ok && d.IdleKnown && d.IdleMs == 0 && !d.Source {
		return catalog.Certain
	}
	if heldElsewhere(v) {
		return catalog.Possible
	}
	return catalog.Likely
}

// heldElsewhere reports a source all of whose consumers wait for another input that has no event time either: whether
// its own idle subtasks are declared idle does not show.
func heldElsewhere(v *model.Vertex) bool {
	for _, e := range v.Out {
		if !otherInputHasNone(e.To, v) {
			return false
		}
	}
	return len(v.Out) > 0
}

// otherInputHasNone looks for an input of u, or of what is behind it, that does not come from v and is without
// event time.
func otherInputHasNone(u, v *model.Vertex) bool {
	for _, w := range append([]*model.Vertex{u}, u.Descendants()...) {
		for _, e := range w.In {
			if e.From.MinOut().IsNone() && !slices.Contains(e.From.SourcesOf(), v) {
				return true
			}
		}
	}
	return false
}

func assignsInChain(v *model.Vertex) bool {
	for _, op := range v.Chain {
		if op.Kind == model.KindAssigner {
			return true
		}
	}
	return false
}
