package analyze

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/checks"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Unmet says why a check could not judge this job, from the needs that the check declares; "" where it could, so that
// no finding means no fault.
func Unmet(j *model.Job, c catalog.Check) string {
	switch {
	case c.Run == nil:
		return "it does not judge jobs"
	case j.Now == nil:
		return "the job could not be read"
	case j.Batch && !checks.Applies(j, c):
		return "batch job: watermarks do not apply"
	case !checks.Applies(j, c):
		return "the job is " + j.State + ": its cached metrics are old"
	case j.Running() && j.WarmingUp() && c.Settled:
		return "the job just started: it is normal that it has no watermark yet"
	}
	for _, need := range c.Needs {
		if reason := lacks(j, need); reason != "" && !need.Optional {
			return reason
		}
	}
	return ""
}

// lacks says why a need is not met, "" where one of its readings is there.
func lacks(j *model.Job, need catalog.Need) string {
	unread := ""
	for _, r := range need.Any {
		gap, missing := gapIn(j, r)
		if !missing && r.In != nil && r.In(j) {
			return ""
		}
		switch {
		case unread != "":
		case missing:
			unread = unanswered(j, []flinkapi.Gap{gap})[0].Reason
		case r.Missing != nil && len(need.Any) == 1:
			unread = r.Missing(j)
		}
	}
	if unread == "" {
		unread = "not readable here: " + need.String()
	}
	return unread
}

// gapIn finds an incomplete answer that the reading may be missing from.
func gapIn(j *model.Job, r catalog.Reading) (flinkapi.Gap, bool) {
	if r.Hides == nil {
		return flinkapi.Gap{}, false
	}
	for _, g := range j.Gaps {
		if v := j.Vertex(g.Vertex); v != nil && j.Bears(g) && (v.IsSource() || !r.Sources) && g.Lacks(r.Hides) {
			return g, true
		}
	}
	return flinkapi.Gap{}, false
}
