package analyze

import (
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// headline is the verdict in one sentence: the worst finding, or the largest lag.
func headline(j *model.Job, r JobReport) string {
	switch r.Verdict {
	case VerdictCritical, VerdictWarning:
		return r.Findings[0].Title
	case VerdictIncomplete:
		return incompleteHeadline(r)
	}
	if j.Batch {
		return "Batch job: watermarks do not apply"
	}
	if !j.Running() {
		return "The job is " + j.State
	}
	for _, code := range []string{"TM703", "TM603", "TM702", "TM106", "TM304", "TM308"} { // these explain the lag, so they come before it
		for _, f := range r.Findings {
			if f.Code == code {
				return f.Title
			}
		}
	}
	partly := len(r.NotChecked) > 0
	latest := r.Latest()
	if latest == nil {
		if len(r.Findings) > 0 {
			return r.Findings[0].Title
		}
		return "No vertex has a watermark, and none is needed"
	}
	largest := lagWords("watermark lag", latest)
	if partly {
		return "No fault found in what could be read; " + largest
	}
	stands := func(v VertexReport) bool { return v.Moving == nil || !*v.Moving }
	if r.Verdict == VerdictInfo || slices.ContainsFunc(r.Vertices, stands) {
		return "No fault found; " + largest
	}
	return "The watermark advances everywhere; " + lagWords("lag", latest)
}

// lagWords says how late the latest vertex is, or how far ahead of the clock where all are ahead.
func lagWords(lag string, v *VertexReport) string {
	if ms := *v.LagMs; ms < 0 {
		return "ahead of the clock by " + units.Duration(-ms) + ", at " + model.QuoteName(v.Name)
	}
	return "largest " + lag + " " + units.Duration(*v.LagMs) + ", at " + model.QuoteName(v.Name)
}

// incompleteHeadline says what could not be judged, the place first, and why. A vertex is named by its first operator.
func incompleteHeadline(r JobReport) string {
	if len(r.NotChecked) == 0 {
		return "The job could not be judged"
	}
	last := r.NotChecked[len(r.NotChecked)-1]
	if last.Untold != "" {
		return last.Untold
	}
	place, reason := "The job", last.Reason
	if last.Place != nil {
		place = last.Place.Subject()
	}
	if last.Why != "" {
		reason = last.Why
	}
	var heads []string
	for _, v := range r.Vertices {
		heads = append(heads, model.QuoteName(v.Name), model.QuoteName(catalog.HeadOf(v.Name)))
	}
	return strings.NewReplacer(heads...).Replace(place + " could not be judged: " + model.Shorten(reason, 140))
}
