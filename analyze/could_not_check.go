package analyze

import (
	"fmt"
	"slices"

	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/checks"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

var (
	_ = catalog.Register(catalog.Check{
		Code: "TM901", Cause: "endpoint-failed", Title: "An endpoint could not be read", Severity: catalog.Info,
		Means: "The cluster, or a proxy before it, refused or broke an answer that a judgement needs. What could be read is judged all the same.",
		Why:   "Missing permission, a truncated answer, a job that ended meanwhile, or an endpoint that this version does not have.",
		Fix:   catalog.Fix{Text: "Read the reason given; record the cluster with tidemark snapshot and look at the answer."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM902", Cause: "one-sample", Title: "One metric fetch: movement cannot be told", Severity: catalog.Info,
		Means: "There is only one sample, or both were answered from the same fetch of the JobManager's metric cache. Whether a watermark stands still or a counter rises cannot be known.",
		Why:   "The JobManager refreshes metrics at most every metrics.fetcher.update-interval (10 s) and answers from its cache; two reads of one fetch are equal by nature.",
		Fix:   catalog.Fix{Text: "Run without --once, or record a second sample more than the interval later."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM903", Cause: "stale-metrics", Title: "The metric cache does not refresh", Severity: catalog.Info,
		Means: "The age of the last metric fetch is far above the update interval, or a new fetch brought not a single new value: the numbers are of the past.",
		Why:   "A lost or hanging TaskManager blocks the refresh for the whole cluster for up to web.timeout (10 min), since a new fetch waits for the one before; REST goes on answering old values.",
		Fix:   catalog.Fix{Text: "Look for a TaskManager that was lost or hangs (GET /taskmanagers, timeSinceLastHeartbeat), then look again."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM904", Cause: "metrics-missing", Title: "Metrics of a vertex are missing", Severity: catalog.Info,
		Means: "The JobManager has no watermark metrics of a running vertex.",
		Why:   "Nothing fetched yet; a restart in between; or a TaskManager's metric dump above the size limit, where gauges are dropped as a whole (MetricQueryService#enforceSizeLimit) and only its log says so.",
		Fix:   catalog.Fix{Text: "Look again after an interval; if it stays, reduce the number of metrics per TaskManager, or raise pekko.framesize (1.17: akka.framesize), which bounds the dump."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM905", Cause: "split-unknown", Title: "The split cannot be named", Severity: catalog.Info,
		Means: "REST does not show which split holds event time back.",
		Why:   "Watermarks per split exist since 2.1; before, Kafka's currentOffset per partition is the only trace, and other connectors show none.",
		Fix:   catalog.Fix{Text: "Compare the partitions in the topic itself (tidemark crosscheck), or upgrade to 2.1 or later."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM906", Cause: "unexplained", Title: "Event time stands still or is late, and no check explains it", Severity: catalog.Info,
		Means: "A vertex's event time does not move although records flow, or is more than a minute late, and none of the checks accounts for it.",
		Why:   "Metrics are missing, or the cause is one that REST does not show. It is reported so that a missing finding is not taken for a healthy job.",
		Fix:   catalog.Fix{Text: "Record the job with tidemark snapshot; compare with the topic (tidemark crosscheck); please report the recording."},
	})
)

// notChecked lists what could not be judged, and whether an all-clear needs it.
func notChecked(j *model.Job, acc account.Account) (list []catalog.NotChecked, essential bool) {
	add := func(code, reason string) { list = append(list, catalog.NotChecked{Code: code, Reason: reason}) }
	list = append(list, unanswered(j, j.Gaps)...)
	essential = slices.ContainsFunc(j.Gaps, j.Bears)
	if !j.Running() || j.Batch {
		return list, essential
	}
	var stale []string
	var frozen *model.Point // the first of them
	for _, v := range j.Vertices {
		why := ""
		if age := j.NowMs - v.FetchedMs; v.FetchedMs > 0 && age > 3*j.IntervalMs+20_000 {
			why = "last fetch " + units.Duration(age) + " ago"
		} else if v.Stale {
			why = "no value changed between two fetches"
		}
		if why == "" {
			continue
		}
		if stale = append(stale, model.QuoteName(v.Name)+": "+why); frozen == nil {
			frozen = &model.Point{Vertex: v.Ref()}
		}
	}
	if len(stale) > 0 {
		list = append(list, catalog.NotChecked{Code: "TM903", Place: frozen, Reason: "metrics are frozen, so what they show is of the past; a TaskManager may be lost: " + catalog.SomeStrings(stale)})
		essential = true
	}
	if !j.Compared() {
		add("TM902", j.OneFetch()+": whether event time moves, and whether late counters rise, cannot be known")
	}
	for _, v := range j.Vertices {
		for _, c := range v.Late {
			why := checks.DropsUnseen(j, v, c)
			if why == "" {
				continue
			}
			total, _ := c.Dropped.Value()
			list = append(list, catalog.NotCheckedAt(v, v.OperatorName(c.Operator), "TM401", fmt.Sprintf("it has dropped %s late records since its start; %s. Whether it goes on needs a larger --interval",
				units.Number(total), why)))
			essential = true
		}
	}
	list = append(list, acc.Unreadable...)
	essential = essential || len(acc.Unreadable) > 0
	if !j.Version.Known() {
		add("TM650", "the Flink version could not be read: known bugs were not matched")
	}
	return list, essential
}
