package fix

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// idle is for a silent split or subtask of a source: why an idle timeout that is in force does not help, or else one that
// is longer than its ordinary silences.
func idle(s site) catalog.Fix {
	if fix, set := s.idleSet(); set {
		return fix
	}
	f := s.timeout(s.idleTimeout())
	f.Text = fmt.Sprintf("Set an idle timeout of %s, or send a heartbeat record to every partition. Find out why it is silent: a key that never occurs, a dead producer.", s.timeoutText())
	switch s.connector() {
	case "kinesis":
		f.Text = strings.Replace(f.Text, "to every partition", "to every shard", 1)
	case "hybrid":
		f.Text += " In a HybridSource only the second source may be silent: after the switch, run no more subtasks than it has splits (FLINK-39586)."
	}
	if s.api() == beam {
		f.Text = "Let KafkaIO advance the watermark of a partition without backlog with the clock, or send a heartbeat record to every partition. Find out why it is silent."
	}
	return f
}

// idleTimeout is the idle timeout for the record rate of the source, ms; 1 min where that is unknown.
func (s site) idleTimeout() int64 {
	if s.source == nil || s.source.UsualGapMs() == 0 {
		return 60_000
	}
	return s.source.IdleTimeout()
}

// timeoutText is the idle timeout, and where it comes from.
func (s site) timeoutText() string {
	text := units.Duration(s.idleTimeout())
	if s.source != nil && s.source.UsualGapMs() > 0 {
		return text + " (at least ten times the mean distance between its records so far, " + units.Duration(s.source.UsualGapMs()) + ")"
	}
	return text + " to begin with (how long it is usually silent is not known)"
}

// notSet is for a source without an idle timeout whose splits all have records.
func notSet(s site) catalog.Fix {
	f := s.timeout(s.idleTimeout())
	f.Text = "Set an idle timeout of " + s.timeoutText() + ", or document why no partition is ever silent."
	return f
}

// timeout is the code that sets an idle timeout, ms, and keeps the rest of the strategy.
func (s site) timeout(ms int64) catalog.Fix {
	if s.api() == beam {
		return catalog.Fix{Beam: true, DataStream: beamMark + "KafkaIO.<K, V>read().withTimestampPolicyFactory((partition, previous) ->\n    new CustomTimestampPolicyWithLimitedDelay<>(record -> timeOf(record), Duration.standardSeconds(" + s.beamDelay() + "), previous))"}
	}
	f := catalog.Fix{DataStream: s.strategy("withIdleness(" + units.Java(ms) + ")")}
	if s.connector() == "kinesis" && s.source != nil && !s.source.NamesSplits() {
		f.DataStream += "\n// FlinkKinesisConsumer: " + fmt.Sprintf("config.setProperty(ConsumerConfigConstants.SHARD_IDLE_INTERVAL_MILLIS, \"%d\")", ms)
	}
	f.SQL = s.tableOption("idle-timeout", units.Option(ms))
	f.Try = s.try("idle-timeout", flag(ms))
	return f
}

// tableOption sets scan.watermark.KEY of the table, or the session's option where the version or the connector has none.
// The WATERMARK clause, which stays, is in a comment where the plan shows it.
func (s site) tableOption(key, value string) string {
	session := fmt.Sprintf("SET 'table.exec.source.%s' = '%s';", key, value)
	keeps := ""
	if clause := s.clause(); clause != "" {
		keeps = "-- keeps " + clause + "\n"
	}
	t := table(s.source)
	if t == "" || s.below(1, 18) || !s.pushesDown() {
		return keeps + session
	}
	return keeps + fmt.Sprintf("ALTER TABLE %s SET ('scan.watermark.%s' = '%s');\n-- for a temporary table: %s", t, key, value, session)
}

// pushesDown is false where an assigner downstream of the scan shows that the connector has no watermark push-down.
func (s site) pushesDown() bool {
	for _, v := range append([]*model.Vertex{s.source}, s.source.Descendants()...) {
		for _, op := range v.Chain {
			if strings.HasPrefix(op.Text, "WatermarkAssigner(") {
				return false
			}
		}
	}
	return true
}

// idleSet is the fix where an idle timeout is declared, or has been seen in force.
func (s site) idleSet() (catalog.Fix, bool) {
	if s.source == nil {
		return catalog.Fix{}, false
	}
	d, _ := s.job.Declared(s.source)
	if !s.idleDeclared() {
		if s.source.HasBeenIdle() {
			text := "An idle timeout is in force: splits of this source have been idle before. This one has not been, so the timeout is longer than its silence, or it still sends records that do not advance its watermark. Find out why it is silent."
			if lo, hi, from, told := s.job.InferredIdleTimeout(); told && from.Vertex == s.source {
				text = fmt.Sprintf("An idle timeout of %s to %s is in force (seen at subtask %d), and this place is not idle: it still sends records that do not advance its watermark, or it is paused. Find out why.", units.Duration(lo), units.Duration(hi), from.Index)
			}
			return textOnly(text), true
		}
		return catalog.Fix{}, false
	}
	set := fmt.Sprintf("An idle timeout of %s is configured but not in effect: ", units.Duration(d.IdleMs))
	why := "the job may run with an older plan or session, or the strategy of a later operator (a second assigner) replaces this one; REST shows what was planned, not what runs"
	switch {
	case d.OnEvent:
		why = "with watermark.emit.strategy on-event idleness is checked only when a record arrives (FLIP-296), so a silent split is never declared idle; set on-periodic"
	case s.job.EmitIntervalMs() == 0:
		why = "pipeline.auto-watermark-interval is 0, and idleness is checked only at each periodic emission; set 200 ms"
	case s.job.Version.PausesIdleClock() && model.WorstBackpressure(s.source) >= 100:
		why = "the idle clock stands still while the source is back-pressured (FLIP-471); fix the back pressure first"
	}
	return textOnly(set + why + ". Restart the job with the plan you expect, and see whether the split turns idle; find out why the partition is silent."), true
}

// idleDeclared reports an idle timeout that the plan shows.
func (s site) idleDeclared() bool {
	d, ok := s.job.Declared(s.source)
	return ok && d.IdleMs != 0
}

// quietInput is for an input that is silent as a whole; its event times may not matter.
func quietInput(s site) catalog.Fix {
	f := idle(s)
	if _, set := s.idleSet(); set || s.api() == beam {
		return f
	}
	f.Text += " If its times do not matter (rules, control data), a timeout of a few seconds will do."
	if s.api()&sql != 0 {
		f.Text += " A dimension that rarely changes is better joined by processing-time lookup."
	}
	return f
}

// sparse is for an input with few records that the others wait for.
func sparse(s site) catalog.Fix {
	text := "Nothing to do if results may wait that long. Else send heartbeats"
	if _, set := s.idleSet(); set && !s.idleDeclared() {
		return textOnly(text + ".")
	}
	f := s.timeout(10_000)
	f.Text = text + "; or declare the input idle between its records, if its times do not matter (rules, control data): records that come later may then be late."
	return f
}

// longerIdle is for an idle timeout that is shorter than silences of the source.
func longerIdle(s site) catalog.Fix { return s.longer(0) }

func (s site) longer(least int64) catalog.Fix {
	ms := least
	if least == 0 || s.source != nil && s.source.UsualGapMs() > 0 {
		ms = max(ms, s.idleTimeout())
	}
	if s.source != nil {
		if d, ok := s.job.Declared(s.source); ok && d.IdleMs > 0 {
			ms = max(ms, model.IdleTimeoutFor(d.IdleMs+d.IdleMs/2))
		}
	}
	if s.pressed() || s.waiting() {
		ms = max(ms, 300_000)
	}
	f := s.timeout(ms)
	f.Text = fmt.Sprintf("Make the idle timeout longer than the silences and pauses of this input, to %s. A larger delay does not help.", units.Duration(ms))
	if s.pressed() {
		f.Text += " Fix the back pressure."
		if s.job.Version.Known() && !s.job.Version.PausesIdleClock() {
			f.Text += " Upgrade to 1.19.2, 1.20.1 or 2.0.0, where the idle clock stops meanwhile (FLIP-471)."
		}
	}
	return f
}

// waiting reports a source with pending records.
func (s site) waiting() bool {
	if s.source == nil {
		return false
	}
	n, ok := s.source.Pending()
	return ok && n > 0
}

// pressed reports a source that is back-pressured, or paused by alignment.
func (s site) pressed() bool {
	if s.source == nil {
		return false
	}
	if model.WorstBackpressure(s.source) >= 100 {
		return true
	}
	for _, t := range s.source.Subtasks {
		if model.PausedByAlignment(t) {
			return true
		}
	}
	return false
}

// epochZero is for records with event time 0.
func epochZero(s site) catalog.Fix {
	f := s.timeout(10_000)
	f.Text, f.Try = "Take event time from a field that every record has, or declare the source idle after its snapshot.", ""
	f.DataStream = strings.Replace(f.DataStream, "withIdleness", "withTimestampAssigner((r, t) -> r.updatedAt() > 0 ? r.updatedAt() : t)\n    .withIdleness", 1)
	if s.api()&sql != 0 {
		f.Text += " A dimension that rarely changes is better joined by processing-time lookup."
	}
	return f
}

// dataCause is for a cause that crosscheck finds in the topic: a silent partition, or a record with a future time.
func dataCause(s site) catalog.Fix {
	if s.found.Symptom != nil && *s.found.Symptom == 4 {
		return future(s)
	}
	return idle(s)
}

// Idle is the fix for a silent source other than the one at the finding's place.
func Idle(j *model.Job, source *model.Vertex) catalog.Fix {
	return idle(site{job: j, vertex: source, source: source, found: &catalog.Finding{}})
}

// EmptyAssigner is the fix for a subtask that assigns watermarks and gets no records; keyed says that keys decide which
// subtask gets them.
func EmptyAssigner(j *model.Job, v *model.Vertex, keyed bool) catalog.Fix {
	s := site{job: j, vertex: v, source: sourceOf(j, v), found: &catalog.Finding{}}
	f := s.timeout(60_000)
	f.Text = "Give it records (REBALANCE before it), lower its parallelism, or set an idle timeout; best of all let the source assign watermarks, per split."
	if keyed {
		f.Text = "Lower its parallelism to what the keys fill, or set an idle timeout; best of all let the source assign watermarks, per split."
	}
	if s.api()&sql != 0 && j.Version.Below(1, 19, 2) {
		f.Text += " Up to 1.19.1 an assigner with an idle timeout becomes idle although rows flow (FLINK-34252): upgrade first."
	}
	if s.api()&dataStream != 0 {
		f.DataStream += "\n// or env.fromSource(source, strategy, \"" + s.label() + "\") and no assigner after the exchange"
	}
	return f
}

// LongerIdle is the fix for an input that was declared idle and now sends records that are late; apart is the distance
// between two of them, ms, 0 = unknown.
func LongerIdle(j *model.Job, input *model.Vertex, apart int64) catalog.Fix {
	s := site{job: j, vertex: input, source: sourceOf(j, input), found: &catalog.Finding{}}
	return s.adapt(s.longer(model.IdleTimeoutFrom(apart)))
}
