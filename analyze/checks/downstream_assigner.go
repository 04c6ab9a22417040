package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM107", Cause: "assigner-downstream", Title: "Watermarks are assigned after the source",
	Headline: "{vertex} assigns watermarks after the source: all partitions of a subtask share one",
	Symptom:  2, Severity: catalog.Warning, Needs: catalog.Needs(catalog.Plan),
	EventTime: true,
	Means:     "Watermarks are assigned after the source: by Timestamps/Watermarks (DataStream), WatermarkAssigner (SQL), or another operator whose output is ahead of its input. It sees the merged stream of all splits of its subtask, so one watermark is shared by all partitions of a subtask.",
	Why:       "Such a generator follows the maximum over its partitions: records of a slower partition are late as soon as a newer record of another one is read, and the delay must cover the skew between partitions. The plan shows the assigner; the source's output is Long.MIN_VALUE while the assigner has a watermark. With one split per subtask and no exchange in between nothing is lost, and nothing is reported.",
	Fix: catalog.Fix{
		Text:       "Pass the strategy to the source.",
		DataStream: "env.fromSource(source, strategy, \"Orders\")\n// and no assignTimestampsAndWatermarks(…) behind it",
		SQL:        "-- on the table of a connector with watermark push-down (Kafka has it),\n-- not on a table made from a DataStream\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
	Run: runAssignerDownstream,
})

func runAssignerDownstream(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			if op.Kind != model.KindAssigner {
				continue
			}
			if f, ok := assignerDownstream(j, v, i); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func assignerDownstream(j *model.Job, v *model.Vertex, at int) (catalog.Finding, bool) {
	op := v.Chain[at]
	if slices.ContainsFunc(v.Subtasks, func(s *model.Subtask) bool { return at < len(s.Ops) && swallows(s, at) }) {
		return catalog.Finding{}, false // it emits none at all, and takes those of the source away: TM307
	}
	most, exchange := 0, false
	for _, src := range v.SourcesOf() {
		most = max(most, splitsPerSubtask(src))
		exchange = exchange || src != v && src.TotalSplits() > 1
	}
	lead, replaces := lag.TrailOf(op)
	hidden := hidesSplits(v)
	if replaces = replaces && -lead >= replacesMs; most < 2 && !exchange && !replaces && !hidden {
		return catalog.Finding{}, false
	}
	f := catalog.NewFinding("TM107", v)
	f.Operator = op.Name
	where := fmt.Sprintf("over up to %d splits of a subtask", most)
	switch {
	case exchange:
		where = "behind an exchange"
	case most < 2:
		where = "after the source"
	}
	if most < 2 && !exchange && !replaces {
		f.Severity, f.Confidence = catalog.Info, catalog.Possible
		where += ", whose splits are not shown: with more than one in a subtask"
	}
	f.Summary = fmt.Sprintf("%s assigns watermarks %s: one watermark is shared by all partitions of a subtask, so records of a slower partition are dropped as late", model.QuoteName(op.Name), where)
	if replaces {
		f.Summary += fmt.Sprintf("; its output is %s ahead of its input, so it replaces the watermarks that come in, and the bound of their strategy is lost", units.Duration(-lead))
		f.ProveReading(v, model.QuoteName(op.Name), "currentInputWatermark (minimum)", op.In)
	}
	if v.IsSource() {
		f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark of the source operator", v.Chain[0].Out)
	}
	f.ProveReading(v, model.QuoteName(op.Name), "currentOutputWatermark (minimum)", op.Out)
	f.Prove(v, model.QuoteName(v.Name), "most splits in one source subtask", most)
	return f, true
}

// hidesSplits reports a source before v that has records waiting in splits which it does not name; one that generates
// its records knows of none.
func hidesSplits(v *model.Vertex) bool {
	for _, src := range v.SourcesOf() {
		if _, partitioned := src.Pending(); partitioned && !src.NamesSplits() {
			return true
		}
	}
	return false
}

// replacesMs is how far an assigner must be ahead of its input to lose a bound that was there.
const replacesMs = 1000

func splitsPerSubtask(v *model.Vertex) int {
	most := 0
	for _, s := range v.Subtasks {
		most = max(most, len(s.ActiveSplits()))
	}
	return most
}
