package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// idleFix is what to do about a silent place of a source: where an idle timeout is declared already, why it
// may not be in effect; else one that is longer than what the silences seen so far allow.
func idleFix(j *model.Job, v *model.Vertex, usual catalog.Fix) catalog.Fix {
	d, ok := j.Declared(v)
	if !ok || d.IdleMs == 0 {
		return usual
	}
	set := fmt.Sprintf("An idle timeout of %s is configured, and not in effect: ", units.Duration(d.IdleMs))
	why := "the job may run with an older plan or session, or the strategy of a later operator (a second assigner) replaces this one; REST shows what was planned, not what runs"
	switch {
	case d.OnEvent:
		why = "with watermark.emit.strategy on-event a split is only looked at when a record comes (FLIP-296), so one that is silent is never declared idle; set on-periodic"
	case j.EmitIntervalMs() == 0:
		why = "pipeline.auto-watermark-interval is 0, and idleness is only checked with each periodic emission; set 200 ms"
	case pausesIdleClock(j.Version) && model.WorstBackpressure(v) >= 100:
		why = "the idle clock stands still while the source is backpressured (FLIP-471); mend the backpressure first"
	}
	return catalog.Fix{Text: set + why + ". Restart the job with the plan you expect, and see whether the split turns idle; find out why the partition is silent."}
}
