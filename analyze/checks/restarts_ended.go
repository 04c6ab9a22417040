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
	Means: "The job failed and restarted in the last ten minutes, and has run without a restart for at least a minute: a warning from the third one on, else info.",
	Why: "A counter that no longer rises is history, no loop (TM701). After each restart sources rebuild event time from nothing: results of those minutes came late, " +
		"and records that the restored watermark had passed were dropped.",
	Fix: catalog.Fix{Text: "Read the exception before it comes back. Judge late counters by their rise since the last restart."},
	Run: runRestartsEnded,
})

func runRestartsEnded(j *model.Job) []catalog.Finding {
	rise, compared := j.Restarts.Rise()
	total, _ := j.Restarts.Value()
	if !j.Running() || compared && rise > 0 || total < 1 || recentFailures(j) < 1 || j.UptimeMs < model.QuietMs || j.UptimeMs >= model.RecentMs || goesOn(j) {
		return nil
	}
	f := catalog.NewFinding("TM705", nil)
	f.Since(j.UptimeMs)
	times := "times"
	if total == 1 {
		times = "once"
	} else {
		times = units.Number(total) + " " + times
	}
	f.Summary = fmt.Sprintf("The job has restarted %s; the last restart was %s ago, and it has run since", times, units.Duration(j.UptimeMs))
	if total < 3 || recentFailures(j) < 2 {
		f.Severity, f.Title = catalog.Info, "The job has restarted, and has run since"
	}
	if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
		e := telling(x.History.Entries)
		f.Summary += ". " + causeOf(e)
		f.Prove(nil, model.FailedTask(e.TaskName), "exception", model.Shorten(flinkapi.CauseOf(e.Stacktrace), 300))
	}
	blameMerge(j, &f)
	f.ProveGauge(nil, "job", "numRestarts", j.Restarts)
	f.Prove(nil, "job", "uptime", units.Duration(j.UptimeMs))
	return []catalog.Finding{f}
}
