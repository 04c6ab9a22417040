package policy

// NeedsSubject reports a rule with a key that only a job, a recording or a SQL script can answer.
func (r *Rule) NeedsSubject() bool {
	d := r.Delay
	records := d != nil && d.Measured != nil && d.Measured.Value == nil // which show the event time as well
	return r.Strategy != nil || r.Idleness != nil && r.Idleness.Excused == nil || r.MaxLag != nil || r.Late != nil || r.Parallelism != nil ||
		r.Alignment != nil || r.Emission != nil || r.EventTime != nil && !records || r.WhatIf != nil || r.Drill != nil || r.Lateness != nil && r.Lateness.Watched != nil && r.Lateness.Watched.Text != "none" ||
		len(r.Forbid) > 0 || d != nil && (d.Measured == nil || d.Declared == nil)
}
