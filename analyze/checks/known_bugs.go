package checks

import (
	"fmt"
	"regexp"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM650", Cause: "known-bug", Title: "This Flink version has a bug that fits what is seen",
	Severity: catalog.Warning, Needs: catalog.Needs(catalog.FlinkVersion),
	Explains: []catalog.Explains{catalog.Stalls(catalog.Standing, catalog.Never)}, ExplainsFrom: catalog.Critical, // those that stop event time
	Ended: true,
	Means: "The version is in the range of a published Flink issue, and configuration or evidence of the job matches it. The issue is named in the finding.",
	Why:   "Ranges are read from the sources of each release from 1.17.0 to 2.3.0, not from release notes. A version alone is never enough: the job must use what the bug is in, or show what it does.",
	Fix:   catalog.Fix{Text: "Where a release has the fix, upgrade; else work around it as the finding says."},
	Run:   runKnownBugs,
})

// knownBug is a published issue: which releases have it, and what of it a job shows.
type knownBug struct {
	issue    string
	affects  func(model.Version) bool
	severity catalog.Severity
	text     string // what one sees
	do       string // the way out
	shows    func(*model.Job) (*model.Vertex, string, bool)
	beside   string // code of the ordinary cause that shows the same: the bug is then a note on that finding
}

func runKnownBugs(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	for _, b := range knownBugs {
		if b.beside != "" || !j.Version.Known() || !b.affects(j.Version) {
			continue
		}
		v, evidence, ok := b.shows(j)
		if !ok {
			continue
		}
		f := catalog.NewFinding("TM650", v)
		f.Issue, f.Severity, f.Confidence = b.issue, b.severity, catalog.Likely
		f.Title = "{vertex} shows " + b.issue + ", a bug of Flink " + j.Version.String()
		f.Summary = fmt.Sprintf("%s in Flink %s: %s", b.issue, j.Version, b.text)
		f.Fix = catalog.Fix{Text: b.do}
		f.Prove(v, "job", "evidence", evidence)
		out = append(out, f)
	}
	return out
}

// NoteKnownBugs adds to each finding the known bugs of this version that would show the same. A bug is
// a separate finding only on evidence that no ordinary cause gives.
func NoteKnownBugs(j *model.Job, findings []catalog.Finding) {
	for _, b := range knownBugs {
		if b.beside == "" || !j.Version.Known() || !b.affects(j.Version) {
			continue
		}
		if _, evidence, ok := b.shows(j); ok {
			for i := range findings {
				if findings[i].Code == b.beside {
					findings[i].Notes = append(findings[i].Notes, fmt.Sprintf("%s in Flink %s looks the same (%s): %s. %s", b.issue, j.Version, evidence, b.text, b.do))
				}
			}
		}
	}
}

// in lists releases one by one, as the fix table does.
func in(releases ...string) func(model.Version) bool {
	return func(v model.Version) bool {
		for _, r := range releases {
			if model.ParseVersion(r) == v {
				return true
			}
		}
		return false
	}
}

func before(major, minor, patch int) func(model.Version) bool {
	return func(v model.Version) bool { return v.Below(major, minor, patch) }
}

func always(model.Version) bool { return true }

// idleClockRuns is the range without FLIP-471.
func idleClockRuns(v model.Version) bool { return !v.PausesIdleClock() }

// losesInterrupted is the range from interruptible timers on (1.20) to the releases that come after July 2026.
func losesInterrupted(v model.Version) bool {
	fixed := v.Major == 1 && v.AtLeast(1, 20, 6) || v.AtLeast(2, 2, 2) && v.Below(2, 3, 0) || v.AtLeast(2, 3, 1)
	return v.AtLeast(1, 20, 0) && !fixed
}

var knownBugs = []knownBug{
	{"FLINK-37670", in("1.19.2", "1.19.3", "1.20.0", "1.20.1", "2.0.0"), catalog.Critical,
		"alignment deadlocks once the enumerator has no more splits to assign",
		"Upgrade to 1.20.2, 2.0.1 or 2.1.0, or switch alignment off.", deadlockedAlignment, ""},
	{"FLINK-40093", in("2.1.2", "2.1.3", "2.2.1", "2.3.0"), catalog.Critical,
		"a paused split that turns idle is never resumed",
		"Restart the job, and switch off alignment or idleness until a release has the fix.", pausedThenIdle, ""},
	{"FLINK-39073", in("2.1.0", "2.1.1", "2.2.0"), catalog.Warning,
		"idle splits are paused by alignment and may stay so",
		"Upgrade to 2.1.2, 2.2.1 or 2.3.0.", idleAndPaused, ""},
	{"FLINK-35886", idleClockRuns, catalog.Info,
		"the idle clock runs while a source is backpressured or paused, so a busy split may be declared idle and its records dropped as late",
		"Upgrade to 1.19.2, 1.20.1 or 2.0.0.", idlenessUnderPressure, ""},
	{"FLINK-36751", idleClockRuns, catalog.Info,
		"a reader with one split is never paused by split alignment, and its idle clock runs on",
		"Upgrade to 1.19.2, 1.20.1 or 2.0.0.", alignedSingleSplit, ""},
	{"FLINK-34252", func(v model.Version) bool { return v.Below(1, 19, 2) }, catalog.Warning,
		"SQL WatermarkAssigner with an idle timeout turns idle although rows flow",
		"Upgrade to 1.19.2 or 1.20.0.", assignerWithTimeout, ""},
	{"FLINK-34252", func(v model.Version) bool { return v.Below(1, 19, 2) }, catalog.Warning,
		"SQL WatermarkAssigner with an idle timeout turns idle although rows flow; a timeout that is set in the session is not shown by REST",
		"Look for table.exec.source.idle-timeout in the session; upgrade to 1.19.2 or 1.20.0.", assignerMayTimeOut, "TM401"},
	{"FLINK-37025", func(v model.Version) bool {
		return v.Below(1, 19, 2) || v == model.Version{Major: 1, Minor: 20, Patch: 0}
	}, catalog.Info,
		"the periodic SQL watermark follows the last row instead of the largest, so it lags on out-of-order data",
		"Upgrade to 1.19.2, 1.20.1 or 2.0.0.", pushedDownPeriodic, ""},
	{"FLINK-32828", func(v model.Version) bool { return v.Below(1, 19, 1) }, catalog.Warning,
		"after a restore, splits that have not spoken yet are not in the minimum: event time runs ahead and their records are dropped as late",
		"Upgrade to 1.19.1 or 1.20.0.", restoredSilentSplit, ""},
	{"FLINK-38454", before(2, 2, 0), catalog.Warning,
		"once all splits are idle the source keeps the smallest of their watermarks instead of the largest, so the last windows stay open although records have passed them",
		"Send a later record, which closes them; upgrade to 2.2.0.", idleBelowNewest, ""},
	{"FLINK-38477", always, catalog.Info,
		"a finished input counts as end of input; if all live inputs go idle event time jumps to Long.MAX_VALUE",
		"Keep one live input active, with a longer idle timeout or heartbeats: open in all releases.", finishedBesideIdle, ""},
	{"FLINK-39586", always, catalog.Info,
		"a HybridSource subtask without a split after the switch keeps its old watermark and never goes idle",
		"Keep its parallelism at or below the splits of the second source.", hybridSource, ""},
	{"FLINK-32548", before(1, 17, 2), catalog.Warning,
		"alignment before 1.17.2 can hang or run away (FLINK-31632, FLINK-32414, FLINK-32496, FLINK-32316)",
		"Upgrade.", usesAlignment, ""},
	{"FLINK-35157", func(v model.Version) bool { return v.Below(1, 19, 2) }, catalog.Warning,
		"aligned sources stop once some of their subtasks finish, since the last report of a finished one stays in the group",
		"Upgrade to 1.19.2 or 1.20.0.", alignedFinished, ""},
	{"FLINK-40505", always, catalog.Warning,
		"alignment keeps the last report of a failed or removed subtask, so the group can stand still after a failover",
		"Restart the job from a checkpoint.", stalledAfterFailover, "TM501"},
	{"FLINK-36663", func(v model.Version) bool {
		return v.Below(1, 20, 5) || v == model.Version{Major: 2, Minor: 0, Patch: 0}
	}, catalog.Info,
		"SQL HOP windows emit extra rows at the first watermark after a restore",
		"Upgrade to 2.0.1 or 2.1.0.", hopAfterRestore, ""},
	{"FLINK-40504", always, catalog.Critical,
		"a source that was idle and resumes with older data stays idle for everyone downstream: its records are dropped as late. Open in all releases",
		"Restart, or raise the idle timeout.", resumedBelow, ""},
	{"FLINK-40475", always, catalog.Warning,
		"a channel that became active again holds a task's input until a still larger watermark comes",
		"No release has the fix. A still larger watermark frees it; else restart the job.", valveStalls, ""},
	{"FLINK-40499", always, catalog.Warning,
		"a source that was idle when its job was drained or ended does not pass on the end of input, so the last windows do not fire",
		"No release up to 2.3.0 has the fix. Send a record to every partition before the job is drained, or leave the idle timeout out for the drain.", idleAtTheEnd, ""},
	{"FLINK-39481", losesInterrupted, catalog.Warning,
		"with unaligned checkpoints and interruptible timers a watermark whose timers were interrupted is lost at the end of the job, with the windows that it would have fired",
		"Set execution.checkpointing.unaligned.interruptible-timers.enabled to false for jobs that end or are drained, and look at the last windows. The branches of 1.20, 2.2 and 2.3 have the fix since July 2026, no release up to 2.3.0 has it.", interruptedAtTheEnd, ""},
	{"FLINK-31628", in("1.17.0"), catalog.Critical,
		"watermark processing fails with an ArrayIndexOutOfBoundsException",
		"Upgrade to 1.17.1.", failedWith(`ArrayIndexOutOfBoundsException[\s\S]*(StatusWatermarkValve|HeapPriorityQueue)`), ""},
	{"FLINK-37545", in("1.19.2", "1.19.3", "1.20.1", "2.0.0"), catalog.Critical,
		"a WatermarkStrategy that calls context.getMetricGroup() in assignTimestampsAndWatermarks overflows the stack",
		"Upgrade to 1.20.2 or 2.0.1.", failedWith(`StackOverflowError[\s\S]*TimestampsAndWatermarks`), ""},
	{"FLINK-39728", always, catalog.Warning,
		"the Kafka reader (connector up to 5.0.0) fails when alignment resumes a partition it no longer owns",
		"Switch alignment off or upgrade the connector.", failedWith(`IllegalStateException[\s\S]*(pauseOrResumeSplits|No current assignment for partition)`), ""},
}

func failedWith(pattern string) func(*model.Job) (*model.Vertex, string, bool) {
	return func(j *model.Job) (*model.Vertex, string, bool) {
		if j.Now.Exceptions == nil {
			return nil, "", false
		}
		re := regexp.MustCompile(pattern)
		for _, e := range j.Now.Exceptions.History.Entries {
			if re.MatchString(e.Stacktrace) {
				return j.VertexNamed(e.TaskName), model.Shorten(strings.SplitN(e.Stacktrace, "\n", 2)[0], 160), true
			}
		}
		return nil, "", false
	}
}
