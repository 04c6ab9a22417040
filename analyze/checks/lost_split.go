package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM109", Cause: "lost-split", Title: "A source subtask that lost its splits keeps an old watermark",
	Headline: "{vertex} keeps the old watermark of a subtask that lost its partitions",
	Symptom:  1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.TwoSamples, catalog.Or(catalog.SplitMetrics, catalog.KafkaOffsets)),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)},
	Settled:   true,
	EventTime: true,
	Means:     "A subtask has no split any more, but its last watermark stays in the minimum: it neither advances nor becomes idle.",
	Why:       "When all split outputs of a reader are removed, the combined status stays active (FLINK-39586, open in all releases to 2.3.0). An idle timeout does not help, because there is no output left to time out. Typical after a HybridSource switch or a reassignment. Unlike with a slow split, the split metrics are missing, or another subtask reads the split now.",
	Fix: catalog.Fix{
		Text:       "Keep the source's parallelism at or below the number of splits of every phase (for HybridSource: of the second source), and restart from the last checkpoint.",
		DataStream: "env.fromSource(hybridSource, strategy, \"Orders\").setParallelism(partitionsOfSecondSource)",
		SQL:        "-- 1.19+, where the connector has it; else SET 'parallelism.default'\nWITH ('scan.parallelism' = '<partitions>')",
	},
	Hides: []string{"TM103"},
	Run:   runLostSplit,
})

func runLostSplit(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Sources() {
		var lost []*model.Subtask
		others := false
		for _, s := range v.Subtasks {
			if moved, known := s.Out().Moved(); known && moved {
				others = true
			}
			quiet, known := s.Quiet()
			if len(s.ActiveSplits()) == 0 && v.NamesSplits() && known && quiet && s.Out().Frozen() && s.Status != "FINISHED" && j.Holds(s, s.Out()) {
				lost = append(lost, s)
			}
		}
		if len(lost) == 0 || !others {
			continue
		}
		f := catalog.NewFinding("TM109", v)
		f.Issue = "FLINK-39586"
		f.Operator = model.HeadName(v)
		f.HeldBack = j.HeldBack(v, v.MinOut())
		for _, s := range lost {
			f.Subtasks = append(f.Subtasks, s.Index)
			f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
			f.ProveGauge(v, model.SubtaskLabel(s), "numRecordsOut", s.Records)
			if len(s.Splits) > 0 {
				f.Split = s.Splits[0].ID
				f.Prove(v, model.SubtaskLabel(s), "split "+s.Splits[0].ID, "gone: its last value stays in the cache")
			} else {
				f.Prove(v, model.SubtaskLabel(s), "split and partition metrics", "absent")
			}
		}
		if ms, ok := lost[0].SourceIdle.Value(); ok {
			f.Began(j.Clock(v)-int64(ms), j.Clock(v))
		}
		who, has, stands := "subtask", "has", "stands"
		if len(f.Subtasks) > 1 {
			who, has, stands = "subtasks", "have", "stand"
		}
		f.Summary = fmt.Sprintf("%s: source %s %s %s %s no split any more and %s at %s while the others advance; an idle timeout does not help",
			catalog.Without(f.HeldBack, v, v.MinOut()), model.SourceLabel(v), who, catalog.SomeInts(f.Subtasks), has, stands, lost[0].Out().Now)
		out = append(out, f)
	}
	return out
}
