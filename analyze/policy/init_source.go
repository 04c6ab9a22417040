package policy

import (
	"fmt"
	"math"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/internal/units"
)

// draft is what a rule says about one source, in each job of the name.
func (s sourcesAt) draft() (lines []line) {
	lines = append(merged(s, sourceAt.draftDelay), s.draftIdle()...)
	for _, draft := range []func(sourceAt) part{sourceAt.draftParallelism, sourceAt.draftAlignment, sourceAt.draftEmission} {
		lines = append(lines, merged(s, draft)...)
	}
	return lines
}

// has reports a finding of one of these codes at the source.
func (s sourceAt) has(codes ...string) bool {
	return len(scope{job: s.job}.findings(s.Vertex.ID, codes...)) > 0
}

func (s sourceAt) draftParallelism() part {
	switch {
	case s.SplitsKnown && s.Parallelism > s.Splits:
		return one(comment("parallelism: {at-most-partitions: true}", fmt.Sprintf("would fail: %d subtasks over %d splits", s.Parallelism, s.Splits)))
	case s.SplitsKnown:
		return one(filled("parallelism: {at-most-partitions: true}", fmt.Sprintf("%d subtasks over %d splits", s.Parallelism, s.Splits)))
	}
	return one(comment("parallelism: {at-most-partitions: true, partitions: 4}", "how many partitions it reads is not shown; write the number"))
}

func (s sourceAt) draftAlignment() part {
	switch a := s.Alignment; {
	case a.Aligned && a.DriftHiMs > 0 && a.DriftHiMs < s.Idle.LowMs:
		return one(filled("alignment: {required: always, drift-at-least-idle-timeout: true}", "fails until the drift of "+driftText(a)+" is at least the idle timeout"))
	case a.Aligned && a.DriftHiMs > 0:
		return one(filled(fmt.Sprintf("alignment: {required: always, drift-at-least-idle-timeout: true, max-drift: %s}", units.Exact(a.DriftHiMs)), "drift "+driftText(a)))
	case a.Aligned:
		return one(filled("alignment: {required: always}", "the drift is not shown"))
	case a.Known:
		return one(comment("alignment: {required: for-backfill}", "it is not aligned"))
	}
	return one(comment("alignment: {required: for-backfill}", "whether it is aligned is not shown"))
}

func (s sourceAt) draftEmission() part {
	interval := s.Emission.IntervalMs
	switch {
	case s.Emission.Strategy == "on-event":
		return one(filled("emission-interval: {strategy: on-event}", ""))
	case interval <= 0:
		return one(comment("emission-interval: {max: 200 ms}", "pipeline.auto-watermark-interval is 0, which turns periodic watermarks off"))
	}
	return part{[]line{filled(fmt.Sprintf("emission-interval: {max: %s}", units.Exact(interval)), "pipeline.auto-watermark-interval of the cluster; a job can set its own")}, interval}
}

func (s sourceAt) draftDelay() part {
	declared := "delay: {declared: " + units.Exact(roundBound(s.Delay)) + "}"
	switch {
	case s.DelayKnown && s.has("TM301"):
		return one(comment(declared, "that is what was read, and TM301 finds it too large: write what it should be"))
	case s.DelayKnown && !s.Delay.Upper && s.Delay.MoreMs > s.Delay.Tolerance():
		return one(comment(declared, "the records are out of order: it is between "+units.Duration(s.Delay.Ms)+" and "+units.Duration(s.Delay.Ms+s.Delay.MoreMs)))
	case s.DelayKnown && !s.Delay.Upper:
		note := "declared in the plan"
		if !s.Delay.Declared {
			note = "inferred from the gauges (" + units.Duration(s.Delay.Ms) + ", right to about " + units.Duration(s.Delay.Tolerance()) + "); write the number of the code"
		}
		return part{lines: []line{filled("delay:", ""), filled("  declared: "+units.Exact(roundBound(s.Delay)), note),
			comment("  covers: p99.9", "needs a measurement: tidemark observe TOPIC --profile orders.profile"),
			comment("  at-most: 10x", ""), comment("  measured: {profile: orders.profile, max-age: 30 d}", "")}}
	case s.DelayKnown:
		return one(comment("delay: {declared: "+units.Exact(s.Delay.Ms)+"}", "only an upper limit: the age of the rows is in it"))
	}
	return one(comment("delay: {declared: 5s}", "the delay in force cannot be read: the plan does not show it and no split moves"))
}

// draftIdle demands of each job what all of them have: timeouts from the shortest to the longest.
func (s sourcesAt) draftIdle() []line {
	lo, hi, exact, required := int64(math.MaxInt64), int64(0), true, true
	for _, at := range s {
		lo, hi = min(lo, at.Idle.LowMs), max(hi, at.Idle.HighMs)
		exact = exact && at.exact()
		p := at.draftIdle()
		required = required && !p.gap() && p.ms == 0
	}
	lines := merged(s, sourceAt.draftIdle)
	switch {
	case !lines[0].gap || !required:
		return lines
	case exact:
		return []line{filled(fmt.Sprintf("idleness: {required: true, min: %s, max: %s}", units.Exact(lo), units.Exact(hi)), fmt.Sprintf("from the shortest to the longest of %d jobs of this name", len(s)))}
	}
	return []line{filled("idleness: {required: true}", "no limits: the timeouts of jobs of this name differ, or are not shown")}
}

// exact reports an idle timeout that is known to the millisecond and not found to be wrong.
func (s sourceAt) exact() bool {
	return s.Idle.State == facts.IdleSet && s.Idle.LowMs == s.Idle.HighMs && s.Idle.HighMs > 0 && !s.has("TM502", "TM504")
}

func (s sourceAt) draftIdle() part {
	held := scope{job: s.job}.findings(s.Vertex.ID, silentCodes...)
	least, usual, ms := s.job.usualTimeout()
	switch {
	case s.Idle.State == facts.IdleSet && s.has("TM502", "TM504"):
		return one(filled("idleness: {required: true}", s.Idle.How+"; no limits from it, as it is found to be wrong"))
	case s.exact():
		return one(filled(fmt.Sprintf("idleness: {required: true, min: %s, max: %s}", units.Exact(s.Idle.LowMs), units.Exact(s.Idle.HighMs)), s.Idle.How))
	case s.Idle.State == facts.IdleSet:
		return one(filled("idleness: {required: true}", s.Idle.How))
	case len(held) > 0:
		return part{[]line{filled("idleness: {required: true"+least+"}", joined("fails until it is fixed or excused: "+held[0].Cause, usual))}, ms}
	case s.Idle.State == facts.IdleUnset:
		return part{[]line{filled("idleness: {required: true"+least+"}", joined("fails until a timeout is set, or this is excused: "+s.Idle.How, usual))}, ms}
	case least != "":
		return one(comment("idleness: {required: true"+least+"}", joined("whether a timeout is set is not shown", usual)))
	}
	return one(comment("idleness: {excused: \"why no partition is ever silent\"}", "REST does not show the idle timeout of a DataStream strategy, and no split has been idle"))
}

// draftLag takes a limit from a job that is well: twice the lag of an outage would let the next one pass.
func (j *Job) draftLag() part {
	if j.Usual != nil {
		return j.usualLag()
	}
	latest := j.Report.Latest()
	if latest == nil {
		return one(comment("max-lag: 1m", "no vertex has a watermark, so there is no lag to go by"))
	}
	worst := *latest.LagMs
	switch verdict := j.Report.Verdict; {
	case worst > maxDuration.Milliseconds()/2 || worst < -60_000:
		return one(comment("max-lag: 1m", "the lag that was read is no measure: "+units.Duration(worst)))
	case verdict != analyze.VerdictHealthy && verdict != analyze.VerdictInfo:
		return one(comment("max-lag: 1m", "the lag that was read ("+units.Duration(worst)+") is that of a job which is not well: "+trouble(&j.Report)))
	}
	limit := roundUp(max(2*worst, 30_000))
	return part{[]line{filled("max-lag: "+units.Exact(limit), "twice what was read: "+units.Duration(worst))}, limit}
}

// trouble names what is wrong with a job.
func trouble(r *analyze.JobReport) string {
	for _, f := range r.Findings {
		if f.Severity != catalog.Info {
			return f.Cause
		}
	}
	return string(r.Verdict)
}

func (j *Job) draftLateness() part {
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
		return one(comment("late: {share: 0.1%}", "no operator is known to drop late records"))
	case missing != "":
		return part{lines: []line{comment("late: {share: 0.1%}", "no late counter of "+quote(missing)+" was read"),
			comment("lateness: {allowed: 0s, watched: side-output, sink: LateOrders}", "allowed lateness is not shown")}}
	}
	return part{lines: []line{filled("late: {share: 0.1%}", fmt.Sprintf("operators that count what they drop: %d", counted)),
		filled("lateness: {watched: counter}", "add allowed: the allowed lateness is not shown")}}
}
