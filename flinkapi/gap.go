package flinkapi

import "slices"

// Gap is an answer that a reading lacks: what was asked, of what, and how that failed. A missing
// answer never means that there is nothing.
type Gap struct {
	Sample   int       // index in JobCapture.Samples, set by JobCapture.Gaps; -1 of the cluster itself
	Vertex   string    // vertex id; "" of the job or the cluster
	Endpoint Endpoint  // what was asked
	IDs      []string  // metric ids left without a value, with subtask prefix; nil = the whole answer
	Reason   GapReason // how it failed
	Status   int       // HTTP status; 0 where no answer came
	Cause    string    // deepest cause, one line, secrets masked
	Path     string    // one line of at most 200 bytes; "" where nothing was asked
	At       int64     // client wall clock, epoch ms; 0 where nothing was asked
}

// GapReason sorts how an answer can be missing.
type GapReason string

// The reasons of a Gap.
const (
	GapRefused    GapReason = "refused"     // 401, 403
	GapNotFound   GapReason = "not-found"   // 404
	GapServer     GapReason = "failed"      // any other status outside 2xx
	GapPage       GapReason = "page"        // HTML: a proxy or a login page
	GapNull       GapReason = "null"        // the JSON value null
	GapEmpty      GapReason = "empty"       // {} or, where there must be some, []
	GapErrors     GapReason = "errors"      // {"errors":[…]} in 2xx
	GapShape      GapReason = "wrong-shape" // JSON, but not that of this endpoint
	GapField      GapReason = "field"       // a field of a foreign type; the rest of the answer counts
	GapState      GapReason = "unknown-state"
	GapCut        GapReason = "cut"        // JSON or connection that breaks off
	GapTimeout    GapReason = "timed-out"  // no answer in time
	GapTooLarge   GapReason = "too-large"  // an answer without end
	GapNoAnswer   GapReason = "no-answer"  // no connection, or it was closed
	GapUnanswered GapReason = "unanswered" // ids listed and asked, without a value in the answer
	GapUnlisted   GapReason = "unlisted"   // ids of a running subtask that its siblings list and it does not
	GapUnread     GapReason = "unread"     // not in this sample, although another one has it or the protocol asks for it
	GapSpared     GapReason = "spared"     // not asked, to spare the JobManager, or too long to ask
	GapGone       GapReason = "gone"       // the job, or the cluster, was gone before it could be read
	GapEnd        GapReason = "cut-off"    // the recording ends before it
)

// Transient reports a failure that asking again within the sample may mend.
func (r GapReason) Transient() bool {
	switch r {
	case GapServer, GapPage, GapNull, GapEmpty, GapErrors, GapShape, GapCut, GapTimeout, GapNoAnswer, GapUnanswered:
		return true
	}
	return false
}

// Lacks reports whether a metric for which wanted holds may be among what is missing: one of IDs, or
// any where the whole list or answer is missing.
func (g Gap) Lacks(wanted func(MetricID) bool) bool {
	if g.IDs == nil {
		switch g.Endpoint {
		case MetricIDList, MetricValues, AggregateIDList, AggregateValues, VertexWatermarks, JobAnswer, OtherEndpoint:
			return g.Reason != GapField
		}
		return false
	}
	return slices.ContainsFunc(g.IDs, func(id string) bool {
		m, ok := ParseMetricID(id)
		return ok && wanted(m)
	})
}

// Subtasks are those whose metrics are missing, in order; nil = not known, or all.
func (g Gap) Subtasks() []int {
	var out []int
	for _, id := range g.IDs {
		if m, ok := ParseMetricID(id); ok && m.Subtask >= 0 && !slices.Contains(out, m.Subtask) {
			out = append(out, m.Subtask)
		}
	}
	slices.Sort(out)
	return out
}

// Gaps is everything that the samples of the job lack, each with its sample: what failed, what was
// not answered, and what one sample has and another does not.
func (j JobCapture) Gaps() []Gap {
	var all []Gap
	for k, s := range j.Samples {
		add := func(g Gap) {
			g.Sample = k
			all = append(all, g)
		}
		for _, g := range s.Missing {
			add(g)
		}
		for _, id := range s.SortedVertexIDs() {
			for _, g := range s.Vertices[id].Missing {
				add(g)
			}
		}
		for _, g := range j.unread(k) {
			add(g)
		}
	}
	return all
}

// Unreadable is why the job cannot be judged at all: no sample holds a job. ok is false where one does.
func (j JobCapture) Unreadable() (why Gap, ok bool) {
	for _, s := range j.Samples {
		if s.HasJob {
			return Gap{}, false
		}
	}
	for _, g := range j.Gaps() {
		if g.Endpoint == JobAnswer {
			return g, true
		}
	}
	return Gap{Endpoint: JobAnswer, Reason: GapUnread, Cause: "it was not read"}, true
}
