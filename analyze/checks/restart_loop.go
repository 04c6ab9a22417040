package checks

import (
	"fmt"
	"regexp"
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
		total >= 3 && failures >= 2 && j.UptimeMs < model.QuietMs || goesOn(j)
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
		e := telling(x.History.Entries)
		if j.Running() && goesOn(j) {
			f.Confidence = catalog.Likely
			f.Summary += fmt.Sprintf(", about every %s, the last time %s ago", units.Duration(longestRun(x.History.Entries)), units.Duration(j.UptimeMs))
		}
		f.Summary += ": " + causeOf(e)
		f.Prove(nil, model.FailedTask(e.TaskName), "exception", model.Shorten(flinkapi.CauseOf(e.Stacktrace), 300))
		f.Began(oldest(x.History.Entries, j.NowMs), j.NowMs)
		if v := j.VertexNamed(e.TaskName); v != nil {
			f.Vertex = v.Ref()
		}
	}
	blameMerge(j, &f)
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

// goesOn reports a loop with long runs: failures at a distance that the present run has not outlived.
func goesOn(j *model.Job) bool {
	x := j.Now.Exceptions
	total, ok := j.Restarts.Value()
	if x == nil || !ok || total < 3 || len(x.History.Entries) < 3 {
		return false
	}
	longest := longestRun(x.History.Entries)
	return longest >= model.QuietMs && longest <= loopMs && j.UptimeMs <= longest*3/2 && j.NowMs-x.History.Entries[0].Timestamp <= longest*3/2
}

// loopMs is the longest run between two failures that still makes a loop of them, ms.
const loopMs = 30 * 60_000

// longestRun is the longest time between two of the three last failures, ms; the history lists the newest first.
func longestRun(entries []flinkapi.ExceptionEntry) int64 {
	longest := int64(0)
	for i := range entries[:min(len(entries)-1, 2)] {
		longest = max(longest, entries[i].Timestamp-entries[i+1].Timestamp)
	}
	return longest
}

// lostTaskManager is how the JobManager words the loss of a TaskManager (JobMaster, TaskExecutor heartbeats,
// 1.17 to 2.3), and how a task does whose peer is gone.
var lostTaskManager = regexp.MustCompile(`TaskManager with id ([^\s(]+)|TaskExecutor ([^\s(]+) (?:is no longer|has been)|remote task manager '([^']+)'`)

// telling is the newest failure that is not for lack of slots, which the one before it brought about.
func telling(entries []flinkapi.ExceptionEntry) flinkapi.ExceptionEntry {
	for _, e := range entries {
		if !e.WantsSlots() {
			return e
		}
	}
	return entries[0]
}

// causeOf names what failed: a TaskManager that was lost, or the exception.
func causeOf(e flinkapi.ExceptionEntry) string {
	if m := lostTaskManager.FindStringSubmatch(e.Stacktrace); m != nil {
		return "TaskManager " + model.Shorten(m[1]+m[2]+m[3], 60) + " was lost"
	}
	return model.Shorten(flinkapi.CauseOf(e.Stacktrace), 160)
}

// blameMerge says so where late records are what fails the job.
func blameMerge(j *model.Job, f *catalog.Finding) {
	if merged(j) {
		f.Fix = mergeFix
		f.Summary += ". Late records cause it: they merge session windows into one that ends before the watermark"
	}
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
