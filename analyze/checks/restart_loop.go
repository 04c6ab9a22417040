package checks

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM701", Cause: "restart-loop", Title: "The job keeps restarting",
	Symptom: 1, Severity: catalog.Critical, Needs: catalog.Needs(catalog.Restarts, catalog.Exceptions),
	Explains: []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)},
	Ended:    true,
	Batch:    true,
	Means:    "The job restarts again and again: sources rebuild event time from nothing each time, so watermarks are none or start over, and cached metrics are of dead attempts.",
	Why:      "The watermarks of sources are not part of a checkpoint. The exception history says why the job fails; fix that first, and judge event time afterwards.",
	Fix:      catalog.Fix{Text: "Fix the root exception; the watermark follows."},
	Run:      runRestartLoop,
})

func runRestartLoop(j *model.Job) []catalog.Finding {
	rise, compared := j.Restarts.Rise()
	total, counted := j.Restarts.Value()
	failures := recentFailures(j)
	looping := compared && rise > 0 || j.State == "RESTARTING" || j.State == "FAILING" ||
		total >= 3 && failures >= 2 && j.UptimeMs < model.QuietMs
	if !looping {
		return nil
	}
	f := catalog.NewFinding("TM701", nil)
	if compared && rise == 0 && total < 2 && j.State == "RESTARTING" {
		f.Severity, f.Confidence = catalog.Warning, catalog.Likely
	}
	f.Summary = fmt.Sprintf("The job is %s", j.State)
	if counted {
		f.Summary += " and has restarted " + units.Number(total) + " times"
	}
	if compared && rise > 0 {
		f.Summary += ", " + units.Number(rise) + " of them while it was watched"
	}
	if x := j.Now.Exceptions; x != nil && len(x.History.Entries) > 0 {
		e := x.History.Entries[0]
		f.Summary += ": " + model.Shorten(flinkapi.CauseOf(e.Stacktrace), 160)
		f.Prove(nil, model.FailedTask(e.TaskName), "exception", model.Shorten(flinkapi.CauseOf(e.Stacktrace), 300))
		f.Since(j.NowMs - oldest(x.History.Entries, j.NowMs))
		if v := j.VertexNamed(e.TaskName); v != nil {
			f.Vertex = v.Ref()
		}
	}
	if merged(j) {
		f.Fix = mergeFix
		f.Summary += ". Late records cause it: they merge session windows into one that ends before the watermark"
	}
	f.ProveGauge(nil, "job", "numRestarts", j.Restarts)
	return []catalog.Finding{f}
}

func recentFailures(j *model.Job) int {
	n := 0
	if r := j.Now.Restarts; r != nil {
		n = r.Count
	}
	return max(n, listedFailures(j))
}

func listedFailures(j *model.Job) int {
	n := 0
	if x := j.Now.Exceptions; x != nil {
		for _, e := range x.History.Entries {
			if j.NowMs-e.Timestamp < model.RecentMs {
				n++
			}
		}
	}
	return n
}

// oldest is when the failures of late began, epoch ms: the history lists the newest first and is cut.
func oldest(entries []flinkapi.ExceptionEntry, now int64) int64 {
	at := entries[0].Timestamp
	for _, e := range entries {
		if now-e.Timestamp < model.RecentMs {
			at = min(at, e.Timestamp)
		}
	}
	return at
}

// mergeFix is for the crash of MergingWindowSet and TimeWindow merging behind the watermark.
var mergeFix = catalog.Fix{
	Text: "Event time is the root here: a late record merges session windows into one whose end the watermark has passed, and WindowOperator refuses that. " +
		"Declare a larger delay, or drop what is later than the watermark before the window; then restart from the last checkpoint.",
	DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(30)) // what tidemark recommend measures\n// or drop late records before the window: a ProcessFunction that compares the timestamp with timerService().currentWatermark()",
}

// merged reports that the job fails on the merge of event-time windows (WindowOperator#processElement).
func merged(j *model.Job) bool {
	x := j.Now.Exceptions
	if x == nil {
		return false
	}
	if strings.Contains(x.RootException, mergeMessage) {
		return true
	}
	return slices.ContainsFunc(x.History.Entries, func(e flinkapi.ExceptionEntry) bool { return strings.Contains(e.Stacktrace, mergeMessage) })
}

const mergeMessage = "cannot become earlier than the current watermark by merging"
