package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM705", Cause: "restarts-ended", Title: "The job restarted several times, and has run since",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.Restarts, catalog.Exceptions),
	Means: "The job failed at least twice in the last ten minutes and has run without a restart for at least a minute.",
	Why: "A counter that no longer rises is history, no loop (TM701). After each restart sources rebuild event time from nothing: results of those minutes came late, " +
		"and records that the restored watermark had passed were dropped.",
	Fix: catalog.Fix{Text: "Read the exception before it comes back. Judge late counters by their rise since the last restart."},
	Run: runRestartsEnded,
})

func runRestartsEnded(j *model.Job) []catalog.Finding {
	rise, compared := j.Restarts.Rise()
	total, _ := j.Restarts.Value()
	if !j.Running() || compared && rise > 0 || total < 3 || recentFailures(j) < 2 || j.UptimeMs < model.QuietMs || j.UptimeMs >= model.RecentMs {
		return nil
	}
	f := catalog.NewFinding("TM705", nil)
	f.Since(j.UptimeMs)
	f.Summary = fmt.Sprintf("The job has restarted %s times; the last one was %s ago, and it has run since", units.Number(total), units.Duration(j.UptimeMs))
	if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
		e := x.History.Entries[0]
		f.Summary += ". The last exception: " + model.Shorten(flinkapi.CauseOf(e.Stacktrace), 160)
		f.Prove(nil, model.FailedTask(e.TaskName), "exception", model.Shorten(flinkapi.CauseOf(e.Stacktrace), 300))
	}
	f.ProveGauge(nil, "job", "numRestarts", j.Restarts)
	f.Prove(nil, "job", "uptime", units.Duration(j.UptimeMs))
	return []catalog.Finding{f}
}
