package policy

import "reflect"

// NeedsSubject reports a rule with a key that only a job, a recording or a SQL script can answer.
func (r *Rule) NeedsSubject() bool {
	d, l := r.Delay, r.Lateness
	records := d != nil && d.Measured != nil && d.Measured.Value == nil // which show the event time as well
	switch {
	case d != nil && (d.Measured == nil || d.Declared == nil), r.Idleness != nil && r.Idleness.Excused == nil, r.EventTime != nil && !records,
		l != nil && l.Watched != nil && l.Watched.Text != "none":
		return true
	}
	rule := reflect.ValueOf(r).Elem()
	for f, v := range rule.Fields() {
		if f.Tag.Get("key") != "" && f.Tag.Get("alone") == "" && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			return true
		}
	}
	return false
}
