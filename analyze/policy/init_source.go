package policy

import (
	"fmt"

	"tidemark/analyze/facts"
	"tidemark/internal/units"
)

// source writes what a rule says about one source.
func (d *draft) source(s *facts.SourceFacts, j *Job) {
	d.delay(s)
	d.idle(s, j)
	switch {
	case s.SplitsKnown && s.Parallelism > s.Splits:
		d.gap("parallelism: {at-most-partitions: true}", fmt.Sprintf("would fail: %d subtasks over %d splits", s.Parallelism, s.Splits))
	case s.SplitsKnown:
		d.key("parallelism: {at-most-partitions: true}", fmt.Sprintf("%d subtasks over %d splits", s.Parallelism, s.Splits))
	default:
		d.gap("parallelism: {at-most-partitions: true, partitions: 4}", "how many partitions it reads is not shown; write the number")
	}
	switch a := s.Alignment; {
	case a.Aligned && a.DriftHiMs > 0 && a.DriftHiMs < s.Idle.LowMs:
		d.key("alignment: {required: always, drift-at-least-idle-timeout: true}", "fails until the drift of "+driftText(a)+" is at least the idle timeout")
	case a.Aligned && a.DriftHiMs > 0:
		d.key(fmt.Sprintf("alignment: {required: always, drift-at-least-idle-timeout: true, max-drift: %s}", units.Exact(a.DriftHiMs)), "drift "+driftText(a))
	case a.Aligned:
		d.key("alignment: {required: always}", "the drift is not shown")
	case a.Known:
		d.gap("alignment: {required: for-backfill}", "it is not aligned")
	default:
		d.gap("alignment: {required: for-backfill}", "whether it is aligned is not shown")
	}
	interval := s.Emission.IntervalMs
	if s.Emission.Strategy == "on-event" {
		d.key("emission-interval: {strategy: on-event}", "")
	} else {
		d.key(fmt.Sprintf("emission-interval: {max: %s}", units.Exact(max(interval, 1))), "pipeline.auto-watermark-interval of the cluster; a job can set its own")
	}
}

func (d *draft) delay(s *facts.SourceFacts) {
	switch {
	case s.DelayKnown && !s.Delay.Upper && s.Delay.MoreMs > s.Delay.Tolerance():
		d.gap("delay: {declared: "+units.Exact(roundBound(s.Delay))+"}", "the records are out of order: it is between "+units.Duration(s.Delay.Ms)+" and "+units.Duration(s.Delay.Ms+s.Delay.MoreMs))
	case s.DelayKnown && !s.Delay.Upper:
		note := "declared in the plan"
		if !s.Delay.Declared {
			note = "inferred from the gauges (" + units.Duration(s.Delay.Ms) + ", right to about " + units.Duration(s.Delay.Tolerance()) + "); write the number of the code"
		}
		d.key("delay:", "")
		d.key("  declared: "+units.Exact(roundBound(s.Delay)), note)
		d.gap("  covers: p99.9", "needs a measurement: tidemark observe TOPIC --profile orders.profile")
		d.gap("  at-most: 10x", "")
		d.gap("  measured: {profile: orders.profile, max-age: 30 d}", "")
	case s.DelayKnown:
		d.gap("delay: {declared: "+units.Exact(s.Delay.Ms)+"}", "only an upper limit: the age of the rows is in it")
	default:
		d.gap("delay: {declared: 5s}", "the delay in force cannot be read: the plan does not show it and no split moves")
	}
}

func (d *draft) idle(s *facts.SourceFacts, j *Job) {
	held := scope{job: j}.findings(s.Vertex.ID, silentCodes...)
	least, usual := j.usualTimeout()
	switch {
	case s.Idle.State == facts.IdleSet && s.Idle.LowMs == s.Idle.HighMs && s.Idle.HighMs > 0:
		d.key(fmt.Sprintf("idleness: {required: true, min: %s, max: %s}", units.Exact(s.Idle.LowMs), units.Exact(s.Idle.HighMs)), s.Idle.How)
	case s.Idle.State == facts.IdleSet:
		d.key("idleness: {required: true}", s.Idle.How)
	case len(held) > 0:
		d.key("idleness: {required: true"+least+"}", joined("fails until it is fixed or excused: "+held[0].Cause, usual))
	case s.Idle.State == facts.IdleUnset:
		d.key("idleness: {required: true"+least+"}", joined("fails until a timeout is set, or this is excused: "+s.Idle.How, usual))
	case least != "":
		d.gap("idleness: {required: true"+least+"}", joined("whether a timeout is set is not shown", usual))
	default:
		d.gap("idleness: {excused: \"why no partition is ever silent\"}", "REST does not show the idle timeout of a DataStream strategy, and no split has been idle")
	}
}

func (d *draft) lag(j *Job) {
	if j.Usual != nil {
		d.usualLag(j.Usual)
		return
	}
	latest := j.Report.Latest()
	if latest == nil {
		d.gap("max-lag: 1m", "no vertex has a watermark, so there is no lag to go by")
		return
	}
	switch worst := *latest.LagMs; {
	case worst > maxDuration.Milliseconds()/2 || worst < -60_000:
		d.gap("max-lag: 1m", "the lag that was read is no measure: "+units.Duration(worst))
	default:
		d.key("max-lag: "+units.Exact(roundUp(max(2*worst, 30_000))), "twice what was read: "+units.Duration(worst))
	}
}

func (d *draft) lateness(j *Job) {
	droppers := scope{job: j}.droppers()
	counted, missing := 0, ""
	for _, op := range droppers {
		if op.Counted {
			counted++
		} else {
			missing = op.Name
		}
	}
	switch {
	case len(droppers) == 0:
		d.gap("late: {share: 0.1%}", "no operator is known to drop late records")
	case missing != "":
		d.gap("late: {share: 0.1%}", "no late counter of "+quote(missing)+" was read")
		d.gap("lateness: {allowed: 0s, watched: side-output, sink: LateOrders}", "allowed lateness is not shown")
	default:
		d.key("late: {share: 0.1%}", fmt.Sprintf("operators that count what they drop: %d", counted))
		d.key("lateness: {watched: counter}", "add allowed: the allowed lateness is not shown")
	}
}
