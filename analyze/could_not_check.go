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
		Means: "The cluster, or a proxy in front of it, refused an answer that a check needs, or the answer was broken. What could be read is judged.",
		Why:   "Missing permission, a truncated answer, a job that ended meanwhile, or an endpoint that this version does not have.",
		Fix:   catalog.Fix{Text: "Read the reason given; record the cluster with tidemark snapshot and look at the answer."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM902", Cause: "one-sample", Title: "Only one metric fetch: whether anything moves is unknown", Severity: catalog.Info,
		Means: "There is only one sample, or both were answered from the same fetch of the JobManager's metric cache. Whether a watermark stands still or a counter rises is unknown.",
		Why:   "The JobManager refreshes metrics at most every metrics.fetcher.update-interval (10 s) and answers from its cache; two reads of one fetch are always equal.",
		Fix:   catalog.Fix{Text: "Run without --once, or record a second sample more than the interval later."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM903", Cause: "stale-metrics", Title: "The metric cache does not refresh", Severity: catalog.Info,
		Means: "The age of the last metric fetch is far above the update interval, or a new fetch changed no value: the numbers are old.",
		Why:   "A lost or hanging TaskManager blocks the refresh for the whole cluster for up to web.timeout (10 min), since a new fetch waits for the one before; meanwhile REST answers with old values.",
		Fix:   catalog.Fix{Text: "Look for a TaskManager that was lost or hangs (GET /taskmanagers, timeSinceLastHeartbeat), then look again."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM904", Cause: "metrics-missing", Title: "Metrics of a vertex are missing", Severity: catalog.Info,
		Means: "The JobManager has no watermark metrics of a running vertex.",
		Why:   "Nothing was fetched yet; the job restarted in between; or the metrics of a TaskManager exceed the size limit: then it drops all gauges (MetricQueryService#enforceSizeLimit), and only its log says so.",
		Fix:   catalog.Fix{Text: "Look again after an interval; if they are still missing, reduce the number of metrics per TaskManager, or raise pekko.framesize (1.17: akka.framesize), which sets the limit."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM905", Cause: "split-unknown", Title: "The split cannot be named", Severity: catalog.Info,
		Means: "REST does not show which split holds event time back.",
		Why:   "Splits have a watermark metric since 2.1; before that only Kafka's currentOffset shows partitions, and other connectors show nothing.",
		Fix:   catalog.Fix{Text: "Compare the partitions in the topic itself (tidemark crosscheck), or upgrade to 2.1 or later."},
	})
	_ = catalog.Register(catalog.Check{
		Code: "TM906", Cause: "unexplained", Title: "Event time stands still or is late, and no check explains it", Severity: catalog.Info,
		Means: "The watermark of a vertex does not advance although records flow, or is more than a minute late, and no check explains it.",
		Why:   "Metrics are missing, or REST does not show the cause. It is reported so that the lack of a finding is not taken for a healthy job.",
		Fix:   catalog.Fix{Text: "Record the job with tidemark snapshot; compare with the topic (tidemark crosscheck); please report the recording."},
	})
)

// notChecked lists what could not be judged; essential says that a healthy verdict needs some of it.
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
		list = append(list, catalog.NotChecked{Code: "TM903", Place: frozen, Reason: "metrics are frozen at old values; a TaskManager may be lost: " + catalog.SomeStrings(stale)})
		essential = true
	}
	if !j.Compared() {
		add("TM902", j.OneFetch()+": whether watermarks advance and late counters rise is unknown")
	}
	for _, v := range j.Vertices {
		for _, c := range v.Late {
			why := checks.DropsUnseen(j, v, c)
			if why == "" {
				continue
			}
			total, _ := c.Dropped.Value()
			list = append(list, catalog.NotCheckedAt(v, v.OperatorName(c.Operator), "TM401", fmt.Sprintf("it has dropped %s late records since its start; %s. To see whether it still drops, use a larger --interval",
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
