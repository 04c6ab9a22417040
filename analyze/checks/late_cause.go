package checks

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// lateCause is what makes records late at a vertex other than disorder of the input, as a sentence and
// what to do about it. Raising the bound helps none of them.
type lateCause func(j *model.Job, v *model.Vertex) (why string, fix catalog.Fix, ok bool)

// lateCauses are tried in this order: what is proven by the plan first, then what time tells.
var lateCauses = []lateCause{outerIntervalJoin, justRestored, justStarted, behindWatermark, joinedLater, aheadOfInput, idleUnderPressure, reordered}

// explainLate adds to a finding about late records why they are late, and replaces its advice.
func explainLate(j *model.Job, v *model.Vertex, f *catalog.Finding) {
	for _, cause := range lateCauses {
		if why, what, ok := cause(j, v); ok {
			f.Summary += ". " + why
			f.Fix = what
			return
		}
	}
}

// outerIntervalJoin finds an outer interval join before the window: it emits a row without a partner when
// its time bound has passed, behind the watermark that it has passed on (TimeIntervalJoin, 1.17 to 2.3).
func outerIntervalJoin(_ *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	for _, u := range append([]*model.Vertex{v}, v.Ancestors()...) {
		for _, op := range u.Chain {
			if op.Kind != model.KindIntervalJoin {
				continue
			}
			kind, ok := model.Property(op.Text, "joinType")
			if !ok || kind == "InnerJoin" {
				continue
			}
			return fmt.Sprintf("%s is an outer interval join (%s): a row without a partner leaves it only once its interval has passed, behind the watermark that it passes on, so a window behind it drops that row", model.QuoteName(op.Name), kind),
				catalog.Fix{Text: "A larger delay does not help: the outer join itself emits those rows late. Join inside the window (a window join), use an inner interval join, or aggregate without a window behind it.",
					SQL: "-- a window join keeps rows without a partner in their own window\nSELECT … FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) l\nLEFT JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) r\n  ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"}, true
		}
	}
	return "", catalog.Fix{}, false
}

// settleMs is for how long drops after a restore count as its consequence, ms of wall clock.
const settleMs = 5 * 60_000

// justRestored finds a restore of late: records that were in flight, and splits that have not spoken yet,
// are late once.
func justRestored(j *model.Job, _ *model.Vertex) (string, catalog.Fix, bool) {
	c := j.Now.Checkpoints
	if c == nil || c.Latest.Restored == nil || j.UptimeMs > settleMs {
		return "", catalog.Fix{}, false
	}
	ago := j.NowMs - c.Latest.Restored.RestoreTimestamp
	if ago < 0 || ago > settleMs {
		return "", catalog.Fix{}, false
	}
	why := fmt.Sprintf("The job was restored %s ago", units.Duration(ago))
	unaligned := j.Now.CheckpointConfig != nil && j.Now.CheckpointConfig.Unaligned
	switch {
	case j.Version.Known() && j.Version.Below(1, 19, 1):
		why += ": up to 1.19.0 a restored split that has not spoken is not in the minimum, so event time runs ahead of it and its records are late (FLINK-32828)"
	case unaligned && !c.Latest.Restored.IsSavepoint:
		why += " from an unaligned checkpoint: records that were in flight are read again behind newer watermarks, and after a change of parallelism watermarks are rebuilt from other channels, so such records are late once"
	case ago > startMs:
		return "", catalog.Fix{}, false // its sources have caught up with each other
	default:
		why += ": sources rebuild their watermarks from nothing, and a split that catches up is late until it has"
	}
	what := catalog.Fix{Text: "Look again in five minutes: what was late once stops. If the counter still rises then, measure the disorder (tidemark recommend TOPIC)."}
	if j.Version.Known() && j.Version.Below(1, 19, 1) {
		what.Text += " Upgrade to 1.19.1 or 1.20.0, where restored splits hold the watermark until they speak."
	} else if unaligned {
		what.Text += " Rescale from a savepoint, which holds no records in flight."
	}
	return why, what, true
}

// startMs is for how long drops after a start count as its consequence, ms of wall clock.
const startMs = 2 * 60_000

// justStarted finds a run of late: its sources begin one after the other, and a split that is read later than
// its siblings is late once. A restart without a checkpoint begins so, too.
func justStarted(j *model.Job, _ *model.Vertex) (string, catalog.Fix, bool) {
	if j.UptimeMs > startMs {
		return "", catalog.Fix{}, false
	}
	why := fmt.Sprintf("The job has run for %s only: while its sources start, a split that is read later than its siblings is late once", units.Duration(j.UptimeMs))
	if n, ok := j.Restarts.Value(); ok && n > 0 {
		why = fmt.Sprintf("The job restarted %s ago: sources rebuild event time from nothing, and a split that is read later than its siblings is late once", units.Duration(j.UptimeMs))
	}
	return why, catalog.Fix{Text: "Look again in two minutes: what was late once stops. If the counter still rises then, measure the disorder (tidemark recommend TOPIC)."}, true
}

// behindWatermark finds a source whose records have gone back behind its watermark (TM112).
func behindWatermark(j *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	for _, src := range v.SourcesOf() {
		for _, s := range src.Subtasks {
			if b, ok := wentBack(j, s); ok && b.byMs > 0 {
				check, _ := catalog.FindCheck("TM112")
				return fmt.Sprintf("The records of source %s are %s older than its watermark (TM112): no delay helps, they are late until event time has passed it again", model.SourceLabel(src), units.Duration(b.byMs)), check.Fix, true
			}
		}
	}
	return "", catalog.Fix{}, false
}

// joinedLater finds a split that was added to a job that had been running (2.1+ tells its age): it begins with
// records that its siblings have passed.
func joinedLater(j *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	for _, src := range v.SourcesOf() {
		for _, s := range src.Subtasks {
			for _, sp := range s.ActiveSplits() {
				age := j.AgeMs(sp)
				if _, told := sp.ActiveMs.Value(); !told || age > settleMs || age+settleMs > j.UptimeMs || age+settleMs > s.RunMs && s.RunMs > 0 {
					continue
				}
				return fmt.Sprintf("Split %s was added %s ago: its records are late until it has caught up with its siblings", sp.ID, units.Duration(age)),
					catalog.Fix{Text: "Look again once it has caught up. A larger delay does not help; for a partition with old records align its source (withWatermarkAlignment), or replay them with a separate job."}, true
			}
		}
	}
	return "", catalog.Fix{}, false
}

// aheadOfInput finds a vertex whose event time has passed what an input sends now: that input was declared
// idle, and came back.
func aheadOfInput(j *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	in, known := v.EventTime().Now.Millis()
	if ms, ok := j.Lag(v, v.EventTime()); !known || !ok || ms < -model.AheadMs {
		return "", catalog.Fix{}, false // ahead of the clock: a record from the future (TM202), another unit or zone
	}
	for _, e := range v.In {
		out := e.From.MinOut()
		sent, told := out.Now.Millis()
		if flows, counted := e.From.Flows(); !told || in-sent < aheadOfInputMs || !counted || !flows {
			continue
		}
		return fmt.Sprintf("Its event time is %s ahead of what %s sends: a part of that input was declared idle, and its records come behind the watermark", units.Duration(in-sent), model.QuoteName(e.From.Name)),
			fix.LongerIdle(j, e.From, 0), true
	}
	return "", catalog.Fix{}, false
}

// aheadOfInputMs is more than two metric fetches of one job may be apart in event time.
const aheadOfInputMs = 20_000

// idleUnderPressure finds a backpressured source in a version whose idle clock runs on meanwhile. Whether an idle timeout
// is set shows only where the plan declares it, and then TM504 says so.
func idleUnderPressure(j *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	for _, src := range v.SourcesOf() {
		back := model.WorstBackpressure(src)
		if d, told := j.Declared(src); back < 100 || told && d.IdleKnown || !j.Version.Known() || j.Version.PausesIdleClock() {
			continue
		}
		return fmt.Sprintf("Source %s is backpressured %s, and in Flink %s the idle clock runs on meanwhile (FLINK-35886): with an idle timeout, its splits are declared idle while they have records, which are late then", model.SourceLabel(src), units.Share(back/1000), j.Version),
			catalog.Fix{Text: "Fix the backpressure first, and see whether an idle timeout is set. If it is, upgrade to 1.19.2, 1.20.1 or 2.0.0, or make it longer than the longest block. If none is, measure the disorder (tidemark recommend TOPIC)."}, true
	}
	return "", catalog.Fix{}, false
}

// reordered finds an operator before the window that gives records out in another order than it took them.
func reordered(_ *model.Job, v *model.Vertex) (string, catalog.Fix, bool) {
	for _, u := range append([]*model.Vertex{v}, v.Ancestors()...) {
		for _, op := range u.Chain {
			text := strings.ToLower(op.Text + " " + op.Name)
			if !strings.Contains(text, "async wait operator") && !strings.Contains(text, "asyncwaitoperator") && !strings.Contains(text, "async=[unordered") {
				continue
			}
			return fmt.Sprintf("%s works asynchronously: unordered results keep their place between two watermarks only, and a slow call holds the watermark, not the record", model.QuoteName(op.Name)),
				catalog.Fix{Text: "Compare with the records at the source first (tidemark recommend TOPIC): if they are in order there, ask for ordered results or a shorter timeout of the calls.",
					DataStream: "AsyncDataStream.orderedWait(stream, function, timeout, TimeUnit.SECONDS)",
					SQL:        "SET 'table.exec.async-lookup.output-mode' = 'ORDERED'"}, true
		}
	}
	return "", catalog.Fix{}, false
}
