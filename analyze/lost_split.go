package analyze

import "fmt"

var _ = register(Check{
	Code: "TM109", Cause: "lost-split", Title: "A source subtask that lost its splits keeps an old watermark",
	Symptom: 1, Severity: Critical, Needs: []string{"two samples", "split metrics (2.1+) or Kafka offsets"},
	Means: "A subtask owns no split any more, yet its last watermark stays in the minimum: it neither advances nor goes idle.",
	Why: "When all split outputs of a reader are removed the combined status keeps its last, active state (FLINK-39586, open in all releases to 2.3.0); an idle timeout cannot help, since nothing probes. " +
		"Typical after a HybridSource switch or a reassignment. Told from a slow split by missing split metrics, or by a split that another subtask reads now.",
	Fix: Fix{
		Text:       "Keep the source's parallelism at or below the number of splits of every phase (for HybridSource: of the second source), and restart from the last checkpoint.",
		DataStream: "env.fromSource(hybridSource, strategy, \"Orders\").setParallelism(partitionsOfSecondSource)",
		SQL:        "-- 1.19+, where the connector has it; else SET 'parallelism.default'\nWITH ('scan.parallelism' = '<partitions>')",
	},
	Hides: []string{"TM103"},
	Run:   runLostSplit,
})

func runLostSplit(j *Job) []Finding {
	var out []Finding
	for _, v := range j.Sources() {
		var lost []*Subtask
		others := false
		for _, s := range v.Subtasks {
			if moved, known := s.Out().Moved(); known && moved {
				others = true
			}
			quiet, known := s.Quiet()
			if len(s.activeSplits()) == 0 && v.namesSplits() && known && quiet && s.Out().Frozen() && s.Status != "FINISHED" && j.holds(s, s.Out()) {
				lost = append(lost, s)
			}
		}
		if len(lost) == 0 || !others {
			continue
		}
		f := newFinding("TM109", v)
		f.Issue = "FLINK-39586"
		f.Operator = headName(v)
		f.HeldBack = j.heldBack(v, v.MinOut())
		for _, s := range lost {
			f.Subtasks = append(f.Subtasks, s.Index)
			f.proveReading(v, subtaskLabel(s), "currentOutputWatermark", s.Out())
			f.proveGauge(v, subtaskLabel(s), "numRecordsOut", s.Records)
			if len(s.Splits) > 0 {
				f.Split = s.Splits[0].ID
				f.prove(v, subtaskLabel(s), "split "+s.Splits[0].ID, "gone: its last value stays in the cache")
			} else {
				f.prove(v, subtaskLabel(s), "split and partition metrics", "absent")
			}
		}
		if ms, ok := lost[0].SourceIdle.Value(); ok {
			f.since(int64(ms))
		}
		who, has, stands := "subtask", "has", "stands"
		if len(f.Subtasks) > 1 {
			who, has, stands = "subtasks", "have", "stand"
		}
		f.Summary = fmt.Sprintf("%s: source %s %s %s %s no split any more and %s at %s while the others advance; idleness cannot help",
			without(f.HeldBack, v, v.MinOut()), sourceLabel(v), who, someInts(f.Subtasks), has, stands, lost[0].Out().Now)
		out = append(out, f)
	}
	return out
}
