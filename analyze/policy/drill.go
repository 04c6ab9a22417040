package policy

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/drill"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// watched is the need for a drill: readings of a job over a while.
var watched = catalog.Named("the job over a while (--for, or --since with --prometheus)")

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM881", Cause: "replay-too-slow", Title: "A replay catches up more slowly than agreed", Symptom: 3,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.speed", "drill.records"), watched),
		Means: "While a source was behind, its event time ran on more slowly than the policy demands, or it gave fewer records a second.",
		Why: "The speed is the slope of the source's watermark over the wall clock, by least squares over every reading while it was more than a minute behind; 1x would be as fast as the clock. " +
			"A source that was never behind shows no replay, and the demand is not judged.",
		Fix: catalog.Fix{Text: "Find the slowest operator (tidemark triage JOB names it), give it more parallelism, or agree on less; more partitions help only where the source itself is the limit."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM882", Cause: "replay-takes-too-long", Title: "A replay takes longer to catch up than agreed", Symptom: 3,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.catch-up"), watched),
		Means: "Until event time was within a minute of the clock more time passed than the policy allows, or more would pass at the speed that was seen.",
		Why: "What is left is the lag over speed minus one, as the clock runs on meanwhile. At 1x or less event time never catches up. " +
			"A restart that takes event time back starts the replay again.",
		Fix: catalog.Fix{Text: "Raise the speed, or replay less: start from a later offset or a newer savepoint."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM883", Cause: "splits-apart-in-replay", Title: "Splits of a source drift apart during a replay", Symptom: 2,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.split-spread"), watched, catalog.SplitMetrics),
		Means: "The newest split of a source was ahead of its oldest by more event time than the policy allows.",
		Why: "Windows stay open for what the oldest split still brings, while the newest fills state: the spread times the rate is what has to be kept. Splits that are idle are left out. " +
			"Before Flink 2.1 splits show no watermark, and nothing is judged where a subtask reads several.",
		Fix: catalog.Fix{
			Text:       "Align the splits of the source.",
			DataStream: "strategy.withWatermarkAlignment(\"replay\", Duration.ofMinutes(1))",
			SQL:        "WITH ('scan.watermark.alignment.group' = 'replay', 'scan.watermark.alignment.max-drift' = '1 min')",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM884", Cause: "sources-apart-in-replay", Title: "Sources drift apart during a replay", Symptom: 2,
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.source-spread"), watched),
		Means: "One source was ahead of another by more event time than the policy allows.",
		Why:   "What joins or unites them waits for the slower one and keeps what the faster one brought. The slower one may hold more history, or share its subtasks with a slow operator.",
		Fix: catalog.Fix{
			Text:       "Align the sources: the same group at each of them.",
			DataStream: "strategy.withWatermarkAlignment(\"replay\", Duration.ofMinutes(1))",
			SQL:        "WITH ('scan.watermark.alignment.group' = 'replay', 'scan.watermark.alignment.max-drift' = '1 min')",
		},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM885", Cause: "checkpoint-too-large", Title: "Checkpoints of a replay are larger, or grow more, than agreed",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.checkpoint-size", "drill.checkpoint-size-growth"), watched, catalog.Named("completed checkpoints")),
		Means: "The state of a checkpoint was larger than the policy allows, or the last third of the checkpoints was larger than the first by more than the factor.",
		Why:   "A replay fills windows, joins and timers faster than they close when its splits or sources are apart, so that state is larger than it ever is in ordinary times. The size is that of the whole state, also of incremental checkpoints.",
		Fix:   catalog.Fix{Text: "Align splits and sources, so that less is open at a time; give state a TTL; plan disk and memory for the size that was seen."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM886", Cause: "checkpoint-too-slow", Title: "Checkpoints of a replay take longer, grow slower or fail more often than agreed",
		Severity: catalog.Warning, Needs: catalog.Needs(asks("drill.checkpoint-duration", "drill.checkpoint-duration-growth", "drill.failed-checkpoints"), watched, catalog.Named("completed checkpoints")),
		Means: "A checkpoint took longer than the policy allows, the last third took longer than the first by more than the factor, or more of them failed.",
		Why:   "Under backpressure a barrier waits behind the records before it. A checkpoint that outlasts its timeout fails, and a job that fails then starts the replay again from an older one.",
		Fix:   catalog.Fix{Text: "Fix the backpressure, use unaligned checkpoints or buffer debloating, and set a timeout that a replay can keep."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM887", Cause: "dropped-in-replay", Title: "A replay drops more late records than agreed", Symptom: 4,
		Severity: catalog.Critical, Needs: catalog.Needs(asks("drill.dropped", "drill.dropped-share"), watched, catalog.LateCounters),
		Means: "While the job was watched an operator dropped more late records than the policy allows.",
		Why: "In a replay records that were in time can be late: a split that is read first advances the watermark over those read later, an idle timeout releases a split that was only slow, and records keyed together come from partitions that are hours apart. " +
			"What was dropped in a replay is gone from results that were right before. What an attempt dropped between the last reading and its end is not counted.",
		Fix: catalog.Fix{Text: "Let the source assign watermarks, per split; align the splits; make the idle timeout longer than any pause of the replay."},
	})
)

// drill compares how a replay went with the limits.
func (s scope) drill(d *Drill) {
	for _, l := range d.limits() {
		if !s.jobOnly(l.code, l.key, l.at) {
			continue
		}
		if s.job.Drill == nil {
			s.skip(l.code, l.key, l.at, s.subject, "the job was not watched: give --for 30m, or --prometheus and --since")
			continue
		}
		l.judge(s, s.job.Drill, func(of *model.Ref, operator, what string, n drill.Number) {
			sub := s.subject.At(model.Place{Vertex: of, Operator: operator})
			v, ok := n.Get()
			switch {
			case n.Moot:
				s.leave(l.code, l.key, l.at, sub, "%s", n.Why)
			case n.Never:
				s.fail(l.code, l.key, l.at, sub, catalog.Certain, nil, "%s: never, as %s; the policy demands %s", what, n.Why, l.text)
			case !ok:
				s.skip(l.code, l.key, l.at, sub, "%s: %s", what, n.Why)
			case l.broken(v):
				said := l.write(v)
				if n.AtMs > 0 {
					said += " at " + units.Time(n.AtMs)
				}
				s.fail(l.code, l.key, l.at, sub, catalog.Certain, evidence(s.subject.Name, what, said), "%s: %s; the policy demands %s", what, said, l.text)
			default:
				s.pass(l.code, l.key, l.at, sub, "%s: %s; the policy demands %s", what, l.write(v), l.text)
			}
		})
	}
}
