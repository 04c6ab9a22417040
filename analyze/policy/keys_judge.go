package policy

// keys judges every key of the rule that is about a subject that was read.
func (s scope) keys() {
	r := s.rule
	if r.Strategy != nil && r.Strategy.Text == "on-source" {
		s.strategy(r.Strategy.At)
	}
	if r.Delay != nil {
		s.delay(r.Delay)
		if r.EventTime == nil || r.EventTime.Unit == nil {
			s.unitOfRecords(r.Delay)
		}
	}
	if r.Idleness != nil {
		s.idleness(r.Idleness)
	}
	if r.MaxLag != nil {
		s.maxLag(r.MaxLag)
	}
	if r.Late != nil {
		s.late(r.Late)
	}
	if r.Parallelism != nil {
		s.parallelism(r.Parallelism)
	}
	if r.Alignment != nil {
		s.alignment(r.Alignment)
	}
	if r.Emission != nil {
		s.emission(r.Emission)
	}
	if r.EventTime != nil {
		s.eventTime(r.EventTime)
	}
	if r.Lateness != nil && r.Lateness.Watched != nil {
		s.watched(r.Lateness)
	}
	if r.Drill != nil {
		s.drill(r.Drill)
	}
	if r.Alerts != nil {
		s.alerted(r.Alerts)
	}
	if r.WhatIf != nil {
		s.whatIf(r.WhatIf)
	}
}

// judgeRule judges what needs no subject, once per rule.
func (e *evaluation) judgeRule(r *Rule) {
	p := r.Name
	if p == nil {
		p = r.Table
	}
	s := scope{evaluation: e, rule: r, subject: Subject{Kind: "policy", Name: p.Text}}
	if d := r.Delay; d != nil && d.Measured != nil {
		s.measured(d)
	}
	if _, run := e.in.Replays[r.Replay]; r.Replay != nil && (run || !e.in.LeavesOut(r)) {
		s.replay(r.Replay)
	}
}

// jobOnly says why a key about a running job cannot be judged here, and whether that leaves the run
// incomplete.
func (s scope) jobOnly(code, key string, at Location) bool {
	if s.job == nil && s.script != nil && s.in.JobsRead {
		s.leave(code, key, at, s.subject, "a script has no metrics; the job was read too")
		return false
	}
	if s.job == nil {
		s.skip(code, key, at, s.subject, "no running job or recording was read (--flink, --from)")
		return false
	}
	reason := s.unreadable()
	if reason == "" {
		reason = s.young()
	}
	if reason != "" {
		s.skip(code, key, at, s.subject, "%s", reason)
		return false
	}
	return true
}
