package flinkapi

import (
	"fmt"
	"slices"
)

// markEnd marks the job whose answers a damaged recording lacks: the one that was being read at
// the damage, or every job if that is unknown. Its verdict cannot be complete.
func (r *Recording) markEnd(c *Capture) {
	at := slices.IndexFunc(c.Jobs, func(j JobCapture) bool {
		for i := min(r.damagedAt, len(r.Entries)) - 1; i >= 0; i-- {
			if q := r.Entries[i].question(); q.job != "" {
				return q.job == j.ID
			}
		}
		return false
	})
	for i := range c.Jobs {
		if at < 0 || at == i {
			c.Jobs[i].endsAt(Gap{Endpoint: OtherEndpoint, Reason: GapEnd, Cause: oneLine(r.Damage.Error())})
		}
	}
}

func (j JobCapture) endsAt(g Gap) {
	if n := len(j.Samples); n > 0 {
		j.Samples[n-1].Missing = append(j.Samples[n-1].Missing, g)
	}
}

// unfinished finds a job whose last sample is cut off by the end of the recording, between two
// lines, so that no line is broken. The missing answers are unknown and must not look like
// silence.
func unfinished(c *Capture) (JobCapture, error) {
	for _, j := range c.Jobs {
		n := len(j.Samples)
		if n == 0 {
			continue
		}
		last := j.Samples[n-1]
		if !last.HasJob || last.Job.State != "RUNNING" || len(last.Missing) > 0 {
			continue // the job is gone or could not be read, which is reported elsewhere
		}
		var before *Sample
		if n > 1 {
			before = j.Samples[n-2]
		}
		if id := last.missing(before); id != "" {
			return j, fmt.Errorf("the recording ends within sample %d of job %q: vertex %s was not read to the end; record it again with `tidemark snapshot`", n, j.Name, id)
		}
	}
	return JobCapture{}, nil
}

// missing is the first vertex that a sample lacks, or that lacks values which the sample before
// has.
func (s *Sample) missing(before *Sample) string {
	for _, v := range s.Job.Vertices {
		now := s.Vertices[v.ID]
		if now == nil {
			return v.ID
		}
		if before == nil || before.Vertices[v.ID] == nil || len(now.Missing) > 0 {
			continue
		}
		was := before.Vertices[v.ID]
		if was.HasWatermarks && !now.HasWatermarks || len(was.Metrics) > 0 && len(now.Metrics) == 0 {
			return v.ID
		}
		listed := map[string]bool{}
		for _, id := range now.MetricIDs {
			listed[id] = true
		}
		for id := range was.Metrics {
			if _, ok := now.Metrics[id]; !ok && (len(listed) == 0 || listed[id]) {
				return v.ID
			}
		}
	}
	return ""
}
