package crosscheck

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = registerCrosscheck(catalog.Check{
	Code: "TM802", Cause: "split-watermarking-not-in-force", Title: "Watermarks do not follow each split",
	Symptom: 4, Severity: catalog.Warning, Needs: catalog.Needs(catalog.Or(catalog.SplitWatermarks.As("split watermarks (2.1)"), catalog.SourceOutputs), catalog.TopicRecords),
	Means: "The records of several splits share one generator: event time follows the newest split of a subtask instead of the oldest.",
	Why: "Only a strategy that is given to the source, or a WATERMARK clause pushed into its scan, has one generator per split. An assigner after the source, a legacy source, or a reader that emits through its main output has one per subtask: as soon as one partition is ahead, the others' records are late. " +
		"Proven by the records: the watermark is that of the largest event time of all splits of the subtask, less the delay.",
	Fix: catalog.Fix{
		Text:       "Give the strategy to the source itself.",
		DataStream: "env.fromSource(source, strategy, \"Orders\")\n// and no assignTimestampsAndWatermarks(…) behind it",
		SQL:        "-- on the table of a connector with watermark push-down (Kafka has it),\n-- not on a table made from a DataStream\nWATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
	},
}, runSplitLevel)

func runSplitLevel(c *Crosscheck) []catalog.Finding {
	var out []catalog.Finding
	for _, s := range c.Sources {
		if s.Missing != "" || s.Assigner == nil {
			continue
		}
		shared := 0
		for _, t := range s.Vertex.Subtasks {
			shared = max(shared, len(t.ActiveSplits()))
		}
		if shared < 2 {
			continue
		}
		f := catalog.NewFinding("TM802", s.Vertex)
		f.Operator = s.Assigner.Name
		f.Summary = fmt.Sprintf("%s assigns the watermarks of source %s behind it: up to %d splits share a generator", model.QuoteName(s.Assigner.Name), model.SourceLabel(s.Vertex), shared)
		f.ProveReading(s.Vertex, model.SourceLabel(s.Vertex), "currentOutputWatermark of the source operator", s.Vertex.Chain[0].Out)
		f.ProveReading(s.Vertex, model.QuoteName(s.Assigner.Name), "currentOutputWatermark (minimum)", s.Assigner.Out)
		if s.InForce.Exact {
			f.Summary += ", with a delay of " + s.InForce.text()
			s.proveDelay(&f)
		} else {
			f.Confidence = catalog.Likely
		}
		for _, x := range s.Subtasks {
			if x.Verdict == Equal {
				f.Prove(s.Vertex, x.Label, "watermark of the newest split, less the delay", x.Hi.String())
			}
		}
		out = append(out, f)
	}
	return out
}
