package analyze

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// gapLine is what could not be read of one vertex at one endpoint for one reason.
type gapLine struct {
	vertex, why string
	remedy      string // why and what to do, for a headline
	endpoint    flinkapi.Endpoint
	ids         []string // nil = the whole answer
	samples     []int
}

// unanswered reports each missing answer once per reason, however often it was missing.
func unanswered(j *model.Job, gaps []flinkapi.Gap) []catalog.NotChecked {
	type question struct {
		vertex, why string
		endpoint    flinkapi.Endpoint
	}
	var lines []*gapLine
	asked := map[question]*gapLine{}
	for _, g := range gaps {
		l := &gapLine{vertex: g.Vertex, endpoint: g.Endpoint, why: gapReason(g), remedy: remedy(g), ids: g.IDs}
		if l.endpoint == flinkapi.MetricIDList {
			l.endpoint = flinkapi.MetricValues // the report does not tell the two requests apart
		}
		q := question{l.vertex, l.why, l.endpoint}
		if first := asked[q]; first == nil {
			asked[q] = l
			lines = append(lines, l)
		} else if l = first; l.ids != nil && g.IDs != nil {
			l.ids = append(slices.Clip(l.ids), g.IDs...)
		} else {
			l.ids = nil
		}
		if !slices.Contains(l.samples, g.Sample) {
			l.samples = append(l.samples, g.Sample)
		}
	}
	var out []catalog.NotChecked
	for _, l := range lines {
		text := l.why
		if what := l.asked(j); what != "" {
			text = what + ": " + text
			if j.SampleCount() == 2 && len(l.samples) == 1 {
				text += [2]string{" (in the first sample)", " (in the second sample)"}[l.samples[0]]
			}
		}
		n := catalog.NotChecked{Code: "TM901", Reason: text}
		if v := j.Vertex(l.vertex); v != nil {
			n = catalog.NotCheckedAt(v, "", "TM901", text)
			n.Untold = l.untold(v)
		}
		out = append(out, n)
	}
	return out
}

// untold says what is unknown of a vertex without its metrics; "" for other endpoints.
func (l *gapLine) untold(v *model.Vertex) string {
	if l.endpoint != flinkapi.MetricValues {
		return ""
	}
	name := model.QuoteName(catalog.HeadOf(v.Name))
	what := "Whether the watermark of " + name + " advances is unknown: its metrics could not be read: "
	if _, known := v.Watermark().Moved(); known {
		what = "Not every watermark of " + name + " could be read: "
	}
	is := func(which func(flinkapi.MetricID) bool) bool {
		return l.ids == nil || slices.ContainsFunc(l.ids, func(id string) bool {
			m, ok := flinkapi.ParseMetricID(id)
			return ok && which(m)
		})
	}
	switch {
	case is(flinkapi.MetricID.IsWatermark):
	case is(flinkapi.MetricID.IsLateCounter):
		what = "How many late records " + name + " drops is unknown: its metrics could not be read: "
	default:
		return ""
	}
	return what + model.Shorten(l.remedy, 80)
}

// asked names what is missing: the metrics or the endpoint, and the vertex where the job does not have it; "" where
// the reason says it.
func (l *gapLine) asked(j *model.Job) string {
	what := string(l.endpoint)
	switch {
	case l.ids != nil:
		what = metricNames(l.ids)
	case l.endpoint == flinkapi.OtherEndpoint && l.vertex == "":
		return ""
	case l.endpoint == flinkapi.OtherEndpoint:
		what = "every answer"
	case l.endpoint == flinkapi.VertexAnswer:
		what = "subtasks"
	}
	if l.vertex == "" || j.Vertex(l.vertex) != nil {
		return what
	}
	return l.vertex + ": " + what
}

// metricNames lists the names of metrics, those that a verdict depends on first.
func metricNames(ids []string) string {
	var first, rest []string
	for _, id := range ids {
		m, ok := flinkapi.ParseMetricID(id)
		if !ok || slices.Contains(first, m.Name) || slices.Contains(rest, m.Name) {
			continue
		}
		if m.IsWatermark() || m.IsLateCounter() {
			first = append(first, m.Name)
		} else {
			rest = append(rest, m.Name)
		}
	}
	slices.Sort(first)
	slices.Sort(rest)
	const most = 3
	names := append(first, rest...)
	if n := len(names); n > most+1 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more metrics", n-most)
	}
	return strings.Join(names, ", ")
}

func gapReason(g flinkapi.Gap) string {
	switch {
	case g.Reason == flinkapi.GapErrors:
		return "the answer is an error, " + g.Cause
	case g.Status < 300:
		return g.Cause
	}
	if tooLong(g) {
		return "HTTP 404: the request line was longer than the 4,096 bytes that Flink accepts"
	}
	if g.Status == 404 {
		return "HTTP 404, the JobManager does not have it, or no longer: " + g.Cause
	}
	return fmt.Sprintf("HTTP %d, %s", g.Status, g.Cause)
}

// tooLong reports a request that Flink could not parse: it answers for the path /bad-request.
func tooLong(g flinkapi.Gap) bool {
	return g.Status == 404 && strings.Contains(g.Cause, "/bad-request")
}

// remedy says why an answer is missing and what to do, for a headline; gapReason has the status code, under "not
// checked".
func remedy(g flinkapi.Gap) string {
	switch {
	case g.Reason == flinkapi.GapErrors || g.Status < 300:
		return gapReason(g)
	case tooLong(g):
		return "the request was longer than Flink accepts; read the job again"
	case g.Status == 401 || g.Status == 403:
		return "these credentials may not read it; give others"
	case g.Status == 404:
		return "the JobManager does not have it, or no longer; read the job again"
	}
	return "the JobManager or a proxy answered with an error; read the job again"
}

// notRead reports a job that cannot be judged at all, with the answer that failed.
func notRead(j *model.Job) JobReport {
	r := JobReport{ID: j.ID, Name: j.Name, ShortID: j.ShortID, State: j.State, Verdict: VerdictIncomplete, Incomplete: true, Unread: true, Findings: []catalog.Finding{}, Vertices: []VertexReport{}, NotChecked: []catalog.NotChecked{}}
	why := "it was not read"
	if j.Unreadable != nil {
		why = remedy(*j.Unreadable)
	}
	listed := ""
	if j.State != "" {
		listed = " (listed as " + j.State + ")"
	}
	r.Headline = "the job could not be judged" + listed + ": " + why
	r.NotChecked = append(r.NotChecked, unanswered(j, j.Gaps)...)
	if len(r.NotChecked) == 0 {
		r.NotChecked = append(r.NotChecked, catalog.NotChecked{Code: "TM901", Reason: "the job could not be read"})
	}
	return r
}

// lostNotice names TaskManagers that were lost while the cluster was read.
func lostNotice(c *flinkapi.Capture) []catalog.NotChecked {
	if len(c.Lost) == 0 {
		return nil
	}
	var ids []string
	for _, t := range c.Lost {
		ids = append(ids, t.ID)
	}
	return []catalog.NotChecked{{Code: "TM903", Reason: "TaskManager lost while the cluster was read: " + catalog.SomeStrings(ids) + "; metrics of its subtasks are old"}}
}

// versionNotice warns of a Flink version that tidemark was not tested with.
func versionNotice(c *flinkapi.Capture) []catalog.NotChecked {
	reason := ""
	switch c.Support() {
	case flinkapi.SupportOlder:
		reason = "is older than " + flinkapi.OldestFlink + ", the oldest version tidemark knows: gauges may be missing or mean something else, and a fix may name an option that it does not have"
	case flinkapi.SupportNewer:
		reason = "is newer than " + flinkapi.NewestFlink + ", the newest version tidemark knows: gauges may mean something else, and its bugs are not in the list of known ones"
	default:
		return nil
	}
	return []catalog.NotChecked{{Code: "TM650", Reason: "Flink " + c.FlinkVersion() + " " + reason}}
}
