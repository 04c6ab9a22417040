package flinkapi

import "fmt"

// unfinished tells that a recording ends within the last sample of a job: between two lines, so that no
// line is broken. What the rest would have said is unknown, and must not look like silence.
func unfinished(c *Capture) error {
	for _, j := range c.Jobs {
		n := len(j.Samples)
		if n == 0 {
			continue
		}
		last := j.Samples[n-1]
		if !last.HasJob || last.Job.State != "RUNNING" || len(last.Failures) > 0 {
			continue // the job is gone or could not be read, which is said elsewhere
		}
		var before *Sample
		if n > 1 {
			before = j.Samples[n-2]
		}
		if id := last.missing(before); id != "" {
			return fmt.Errorf("the recording ends within sample %d of job %q: vertex %s was not read to the end; record it again with `tidemark snapshot`", n, j.Name, id)
		}
	}
	return nil
}

// missing is the vertex that a sample lacks, or of which it lacks values that the sample before has.
func (s *Sample) missing(before *Sample) string {
	for _, v := range s.Job.Vertices {
		now := s.Vertices[v.ID]
		if now == nil {
			return v.ID
		}
		if before == nil || before.Vertices[v.ID] == nil || len(now.Failures) > 0 {
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
