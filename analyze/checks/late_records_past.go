package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM402", Cause: "late-records-past", Title: "Late records were dropped earlier, none now",
	Headline: "{vertex} dropped late records earlier, none now",
	Severity: catalog.Info, Needs: catalog.Needs(catalog.TwoSamples, catalog.LateCounters),
	Means: "A counter of dropped late records is above zero and did not rise between the samples.",
	Why:   "The counters start at 0 with each restart and only grow. Drops in the first seconds after a start are common: while a job catches up, a slow consumer may be marked idle. Judge a counter by its rise, not by its value. After a local aggregation rows come once per window: if none came between the samples, the rate of the last minute is used (lateRecordsDroppedRate). If that rate is 0 after many drops, or if fewer than three drops were due between the samples at the rate since the start, the job is INCOMPLETE.",
	Fix:   catalog.Fix{Text: "Nothing to do now. If completeness matters, watch the rate of the counter, and compare with the time of the last restart."},
	Run:   runLateRecordsPast,
})

func runLateRecordsPast(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, v := range j.Vertices {
		for _, c := range v.Late {
			rise, ok := c.Dropped.Rise()
			total, _ := c.Dropped.Value()
			if !ok || rise > 0 || total == 0 || betweenWindows(v, c) || DropsUnseen(j, v, c) != "" {
				continue
			}
			f := catalog.NewFinding("TM402", v)
			f.Operator = v.OperatorName(c.Operator)
			f.Summary = fmt.Sprintf("%s has dropped %s since its start and none in the last %s", model.QuoteName(f.Operator), lateText(total), units.Duration(v.GapMs))
			f.ProveGauge(v, model.QuoteName(f.Operator), c.Metric, c.Dropped)
			out = append(out, f)
		}
	}
	return out
}

// DropsUnseen says why a counter that stands still does not show that drops have ended, where no meter says more;
// "" where it does.
func DropsUnseen(j *model.Job, v *model.Vertex, c model.LateCounter) string {
	if n, _ := c.LastMinute(); n > 0 {
		return ""
	}
	if betweenWindows(v, c) {
		return "rows reach it only when a window ends: none came in " + units.Duration(v.GapMs)
	}
	share, due := c.Pace()
	if share < lateCriticalShare || due <= 0 || due >= proves || j.UptimeMs <= settleMs {
		return ""
	}
	return fmt.Sprintf("that is %s of its input, of which %s would be due in %s: that none came may be chance", units.Share(share), units.Number(due), units.Duration(v.GapMs))
}

// proves is how many drops must be due where none shows that they have ended: by chance it happens once in twenty
// (Poisson).
const proves = 3

// betweenWindows reports a counter that stands still because a local aggregation hands its rows on when a window
// ends: none came between the fetches although records flow into it, and of those before a share was dropped that is
// no small matter.
func betweenWindows(v *model.Vertex, c model.LateCounter) bool {
	share, _ := c.Pace()
	rise, ok := c.Input.Rise()
	return ok && rise == 0 && share >= lateCriticalShare && slices.ContainsFunc(v.In, func(e *model.Edge) bool {
		flows, _ := e.From.Flows()
		return flows && slices.ContainsFunc(e.From.Chain, func(o *model.Operator) bool { return o.Kind == model.KindLocalWindow })
	})
}
