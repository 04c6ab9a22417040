package flinkapi

import "slices"

// Gap is a missing answer: what was requested, about what, and how that failed. A missing answer
// never means zero or empty.
type Gap struct {
	Sample   int       // index in JobCapture.Samples, set by JobCapture.Gaps; -1 = the cluster itself
	Vertex   string    // vertex id; "" = the job or the cluster
	Endpoint Endpoint  // what was requested
	IDs      []string  // metric ids left without a value, with subtask prefix; nil = the whole answer
	Reason   GapReason // how it failed
	Status   int       // HTTP status; 0 if there was no answer
	Cause    string    // deepest cause, one line, secrets masked
	Path     string    // one line of at most 200 bytes; "" if nothing was requested
	At       int64     // client wall clock, epoch ms; 0 if nothing was requested
}

// GapReason says why an answer is missing.
type GapReason string

// The reasons of a Gap.
const (
	GapRefused    GapReason = "refused"     // 401, 403
	GapNotFound   GapReason = "not-found"   // 404
	GapServer     GapReason = "failed"      // any other status outside 2xx
	GapPage       GapReason = "page"        // HTML: a proxy or a login page
	GapNull       GapReason = "null"        // the JSON value null
	GapEmpty      GapReason = "empty"       // {} or, where a list cannot be empty, []
	GapErrors     GapReason = "errors"      // {"errors":[…]} in 2xx
	GapShape      GapReason = "wrong-shape" // JSON, but not that of this endpoint
	GapField      GapReason = "field"       // a field of another type; the rest of the answer is used
	GapState      GapReason = "unknown-state"
	GapCut        GapReason = "cut"        // truncated JSON, or the connection broke
	GapTimeout    GapReason = "timed-out"  // no answer in time
	GapTooLarge   GapReason = "too-large"  // an answer beyond the limit
	GapNoAnswer   GapReason = "no-answer"  // no connection, or it was closed
	GapUnanswered GapReason = "unanswered" // ids listed and requested, without a value in the answer
	GapUnlisted   GapReason = "unlisted"   // ids that other running subtasks list, but not this one
	GapUnread     GapReason = "unread"     // not in this sample, although another sample has it or every reading requests it
	GapSpared     GapReason = "spared"     // not requested: to spare the JobManager, or the request is too long
	GapGone       GapReason = "gone"       // the job, or the cluster, was gone before it could be read
	GapEnd        GapReason = "cut-off"    // the recording ends before it
)

// Transient reports a failure that may be gone when the request is repeated within the sample.
func (r GapReason) Transient() bool {
	switch r {
	case GapServer, GapPage, GapNull, GapEmpty, GapErrors, GapShape, GapCut, GapTimeout, GapNoAnswer, GapUnanswered:
		return true
	}
	return false
}

// Lacks reports whether a metric for which wanted is true may be missing: it is one of IDs, or
// the whole list or answer is missing.
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

// Subtasks are the subtasks whose metrics are missing, in order; nil = unknown, or all.
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

// Gaps is everything that the samples of the job lack, each with the index of its sample:
// failures, ids without a value, and what another sample has.
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

// Unreadable says why the job cannot be judged at all: no sample has the job. ok is false if one
// has it.
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
