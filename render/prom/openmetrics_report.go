package prom

import (
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// reportFamilies are the values of a report. Labels job and vertex are names; job_id and vertex_id distinguish equal
// names.
func reportFamilies(r *analyze.Report) []family {
	finding := gauge("tidemark_finding", "1 for every cause found at a place; what it means: tidemark explain CODE.")
	verdict := gauge("tidemark_job_verdict", "1 for the verdict of each job, 0 for the others.")
	lag := gauge("tidemark_event_time_lag_seconds", "JobManager clock minus event-time watermark; absent where there is no watermark.")
	state := gauge("tidemark_event_time_state", "1 for the state of each vertex's watermark: known, none (never emitted), end, absent or failed.")
	accepted := gauge("tidemark_finding_acknowledged_until_timestamp_seconds", "Of each cause that a policy accepts, the end of its last day, Unix time.")
	notChecked := gauge("tidemark_not_checked", "Things that could not be judged, per job.")
	for _, j := range r.Jobs {
		job := []string{"job", j.Name, "job_id", j.ID}
		for _, v := range verdicts {
			verdict.add(truth(j.Verdict == v), job, "verdict", string(v))
		}
		notChecked.add(float64(len(j.NotChecked)), job)
		for _, f := range j.Findings {
			finding.add(1, job, ofFinding(&f)...)
		}
		for _, a := range j.Acknowledged {
			if day, err := time.Parse(time.DateOnly, a.Until); err == nil {
				accepted.add(unixSeconds(day.AddDate(0, 0, 1)), job, ofFinding(&a.Finding)...)
			}
		}
		for _, v := range j.Vertices {
			vertex := append(append([]string{}, job...), "vertex", v.Name, "vertex_id", v.ID)
			if _, known := v.Min.Millis(); known && v.LagMs != nil {
				lag.add(float64(*v.LagMs)/1000, vertex)
			}
			for _, s := range states {
				state.add(truth(v.Min.State() == s), vertex, "state", string(s))
			}
		}
	}
	all := []family{finding, accepted, verdict, lag, state, notChecked}
	if at, err := time.Parse(time.RFC3339Nano, r.CapturedAt); err == nil {
		all = append(all, gauge("tidemark_captured_at_timestamp_seconds", "JobManager clock at the reading, Unix time.", sample{value: unixSeconds(at)}))
	}
	return all
}

// ofFinding are the labels of a finding; its vertex is empty where it is about the job as a whole.
func ofFinding(f *catalog.Finding) []string {
	var vertex model.Ref
	if f.Vertex != nil {
		vertex = *f.Vertex
	}
	return []string{"code", f.Code, "cause", f.Cause, "severity", string(f.Severity), "vertex", vertex.Name, "vertex_id", vertex.ID}
}

var (
	verdicts = []analyze.Verdict{analyze.VerdictHealthy, analyze.VerdictInfo, analyze.VerdictWarning, analyze.VerdictCritical, analyze.VerdictIncomplete, analyze.VerdictAcknowledged}
	states   = []flinkapi.State{flinkapi.Known, flinkapi.None, flinkapi.End, flinkapi.Absent, flinkapi.Failed}
)

func (f *family) add(value float64, labels []string, more ...string) {
	f.samples = append(f.samples, sample{append(append([]string{}, labels...), more...), value})
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
