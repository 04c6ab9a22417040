package fix

import (
	"fmt"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// strategy is DataStream code that adds a call to the strategy of the source and keeps the delay in force. REST
// shows none of a DataStream job: where records do not tell it either, the strategy stays a name.
func (s site) strategy(call string) string {
	whose := ""
	if len(s.job.Sources()) > 1 {
		whose = " of " + model.QuoteName(s.label())
	}
	code := s.assigned()
	if code == "strategy" {
		return fmt.Sprintf("// added to the strategy%s\nstrategy.%s", whose, call)
	}
	b, _ := s.delay()
	how := "inferred"
	if b.Declared {
		how = "declared"
	}
	return fmt.Sprintf("// the strategy%s, with the delay now in force (%s)\n%s\n    .%s", whose, how, code, call)
}

// assigned is the strategy with the delay in force, or its name.
func (s site) assigned() string {
	b, ok := s.delay()
	ms := declarable(b.Ms)
	switch {
	case !ok:
		return "strategy"
	case b.Declared:
		ms = b.Ms
	}
	return bounded(ms)
}

func bounded(ms int64) string {
	if ms == 0 {
		return "WatermarkStrategy.<T>forMonotonousTimestamps()"
	}
	return "WatermarkStrategy.<T>forBoundedOutOfOrderness(" + units.Java(ms) + ")"
}

// beamDelay is the delay in seconds, as text.
func (s site) beamDelay() string {
	if b, ok := s.delay(); ok {
		return fmt.Sprint(max(declarable(b.Ms)/1000, 1))
	}
	return "5"
}

// clause is the WATERMARK clause that the plan shows, "" where it shows none or no column.
func (s site) clause() string {
	b, ok := s.delay()
	col := s.column()
	if !ok || !b.Declared || col == "" {
		return ""
	}
	return units.Watermark(col, b.Ms)
}

// watermark is a WATERMARK clause for the table with a delay, ms.
func (s site) watermark(ms int64) string {
	col := s.column()
	if col == "" {
		col = "ts"
	}
	clause := units.Watermark(col, ms)
	if t := table(s.source); t != "" {
		return "-- in CREATE TABLE " + t + "\n" + clause
	}
	return clause
}

// declarable rounds up to a delay that a person would declare, ms.
func declarable(ms int64) int64 {
	for _, x := range []int64{0, 1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1200, 1800, 2700, 3600} {
		if ms <= x*1000+100 { // a gauge is read a moment after the record
			return x * 1000
		}
	}
	const hour = 3_600_000
	return (ms + hour - 1) / hour * hour
}

// losers are causes that drop records whatever the delay: they are fixed first.
var losers = []string{"TM201", "TM202", "TM203", "TM204", "TM108", "TM504", "TM107"}

// late is for disorder that the delay does not cover.
func late(s site) catalog.Fix {
	for _, code := range losers {
		for _, f := range s.beside {
			if f.Code != code || f.Latent || f.Severity == catalog.Info || !s.behind(f.Vertex) {
				continue
			}
			if code == "TM107" {
				return catalog.Fix{Text: "TM107 may be why: its delay must cover the distance between partitions as well. Fix that first, then measure (tidemark recommend TOPIC).", After: code}
			}
			return catalog.Fix{Text: "Caused by " + code + ": fix that first. A larger delay does not help.", After: code}
		}
	}
	f := catalog.Fix{Text: "Nothing else explains this: measure the disorder (tidemark recommend TOPIC) and declare the delay that covers it"}
	larger, now := s.larger()
	f.SQL = "-- a larger delay" + now + ", until it is measured\n" + s.watermark(larger)
	f.DataStream = bounded(larger) + "   // a larger delay" + now + ", until it is measured"
	f.Try = s.try("delay", flag(larger))
	if s.api()&dataStream != 0 {
		f.Text += ", or allow lateness, or send late records to a side output"
		lateness := "Duration.ofMinutes(1)"
		if s.below(2, 0) {
			lateness = "Time.minutes(1)"
		}
		f.DataStream += "\n// or behind the window\n.allowedLateness(" + lateness + ").sideOutputLateData(lateTag)"
		if s.vertex != nil && s.at(model.KindMatch) { // a pattern has no allowed lateness
			f.Text = strings.Replace(f.Text, ", or allow lateness, or", ", or", 1)
			f.DataStream = strings.Replace(f.DataStream, "// or behind the window\n.allowedLateness("+lateness+")", "// or at the pattern\npatternStream", 1)
		}
	}
	f.Text += "."
	if own := s.ownBefore(); own != "" {
		f.Text += " Where records are in order at the source, " + own + " before it holds them back or changes their times."
	}
	if s.api() == beam {
		f.Text = "Nothing else explains this: measure the disorder (tidemark recommend TOPIC), and allow that lateness, or let the source's timestamp policy wait longer."
		f.Beam, f.DataStream = true, beamMark+"Window.<T>into(FixedWindows.of(size)).withAllowedLateness(Duration.standardMinutes(1)).accumulatingFiredPanes()"
	}
	return f
}

// ownBefore is an operator of the job's own between source and place, "" where there is none.
func (s site) ownBefore() string {
	if s.vertex == nil {
		return ""
	}
	for _, v := range s.vertex.Ancestors() {
		for _, op := range v.Chain {
			if op.Kind == model.KindUnknown && !v.IsSource() {
				return model.QuoteName(op.Name)
			}
		}
	}
	return ""
}

// larger is a delay above the one in force and not below the disorder that was seen, ms, and what is known of the
// one in force.
func (s site) larger() (ms int64, now string) {
	ms, now = s.above()
	return max(ms, declarable(s.disorder())), now
}

// disorder is how far the oldest record that was seen is behind the newest one there can be, ms.
func (s site) disorder() int64 {
	if s.source == nil || s.source.IsSQLScan() {
		return 0
	}
	lo, hi, seen := s.source.EmitLag()
	if !seen {
		return 0
	}
	if b, ok := lag.BoundOf(s.job, s.source); ok && !b.Declared && !b.Upper {
		lo = min(lo, float64(b.NewestMs))
	}
	return int64(hi - max(lo, 0))
}

func (s site) above() (ms int64, now string) {
	if b, ok := s.delay(); ok {
		now = " (now about " + units.Duration(b.Ms) + ", inferred)"
		if b.Declared {
			now = " (now " + units.Exact(b.Ms) + ")"
		}
		return declarable(2*b.Ms + 4000), now
	}
	if s.source != nil {
		if b, ok := lag.BoundOf(s.job, s.source); ok && b.Untold() {
			return declarable(b.Ms + b.MoreMs + 4000), " (the one in force cannot be told: " + b.Range() + ")"
		} else if ok {
			return declarable(2*b.Ms + 4000), " (now at most " + units.Duration(b.Ms) + ")"
		}
	}
	return 30_000, ""
}

// behind reports a place that the finding's own place reads from, or is.
func (s site) behind(at *model.Ref) bool {
	if at == nil || s.vertex == nil {
		return at == nil
	}
	for _, v := range append([]*model.Vertex{s.vertex}, s.vertex.Ancestors()...) {
		if v.ID == at.ID {
			return true
		}
	}
	return false
}

// smaller is for a bound that is the whole lag: it must still cover the ages that were seen.
func smaller(s site) catalog.Fix {
	f := catalog.Fix{Text: "Measure the topic (tidemark recommend TOPIC) and declare the delay that covers the share of late records you can accept."}
	b, ok := s.delay()
	if s.source == nil {
		return f
	}
	lo, hi, seen := s.source.EmitLag()
	if !seen || s.source.IsSQLScan() {
		if ok {
			f.Text += " Nothing that REST shows tells how little would do."
		}
		return f
	}
	ms := max(declarable(int64(hi-lo)), 5000)
	if ok && ms >= b.Ms {
		return f
	}
	f.Text += fmt.Sprintf(" The records seen were %s to %s old, so %s would cover those.", units.Duration(max(int64(lo), 0)), units.Duration(int64(hi)), units.Duration(ms))
	f.DataStream = fmt.Sprintf("%s   // instead of about %s", bounded(ms), units.Duration(b.Ms))
	f.SQL = s.watermark(ms)
	f.Try = s.try("delay", flag(ms))
	return f
}

// neverEmitted is for a source that emits nothing, which three causes bring about that look the same in REST.
func neverEmitted(s site) catalog.Fix {
	f := catalog.Fix{Text: "Give the source a watermark strategy; measure its delay with tidemark recommend TOPIC."}
	if s.job.EmitIntervalMs() == 0 {
		f.Text = "Set pipeline.auto-watermark-interval to 200 ms in the cluster configuration: with 0 no watermark is ever emitted."
		f.DataStream, f.SQL = "env.getConfig().setAutoWatermarkInterval(200);", "SET 'pipeline.auto-watermark-interval' = '200 ms';"
		return f
	}
	if s.api() == beam {
		f.Text = "Give KafkaIO a timestamp policy; by default it goes by processing time."
		f.DataStream = s.timeout(60_000).DataStream
		return f
	}
	f.DataStream = fmt.Sprintf("env.fromSource(source, WatermarkStrategy\n    .<T>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withTimestampAssigner((r, t) -> r.timestampMillis())\n    .withIdleness(%s), \"%s\")", units.Java(s.idleTimeout()), s.label())
	if s.connector() == "kafka" {
		f.DataStream = strings.Replace(f.DataStream, "r.timestampMillis())", "r.timestampMillis())   // without it: Kafka's own timestamp", 1)
	}
	if s.source != nil && s.source.IsSQLScan() {
		f.Text = "Give the table a WATERMARK clause on its time column; measure the delay with tidemark recommend TOPIC."
	}
	f.SQL = s.watermark(5000)
	if s.api() == dataStream {
		f.Text = "Look in this order, since REST cannot tell: 1. a strategy on the source (give it one if it has none or noWatermarks(); measure its delay with tidemark recommend TOPIC); " +
			"2. a generator of the job's own (it must call output.emitWatermark); 3. pipeline.auto-watermark-interval in the job's own code (it must be above 0)."
		f.DataStream = "// 1. where the source has no strategy\n" + f.DataStream +
			"\n// 2. where it has a generator of the job's own that never emits\npublic void onPeriodicEmit(WatermarkOutput out) {\n    out.emitWatermark(new Watermark(max - delayMs - 1));\n}" +
			"\n// 3. where the job sets the interval to 0\nenv.getConfig().setAutoWatermarkInterval(200);"
	}
	return f
}

// assigner moves the strategy into the source, with its delay.
func assigner(s site) catalog.Fix {
	f := catalog.Fix{Text: "Pass the strategy to the source, so that each split has its own.", Try: s.try("place", "source")}
	f.DataStream = fmt.Sprintf("env.fromSource(source, %s, \"%s\")\n// and no assignTimestampsAndWatermarks(…) behind it", s.assigned(), s.label())
	if s.assigned() == "strategy" {
		f.DataStream = strings.Replace(f.DataStream, "// and", "// strategy: the one of the assigner, with its delay; and", 1)
	}
	if s.normalized() {
		return catalog.Fix{Text: "The table's changes are normalized by key before watermarks are assigned, so the source cannot assign them per split. Declare a delay that covers the distance between partitions, or read the topic as an append-only table.", Try: f.Try}
	}
	if s.api()&sql != 0 {
		f.Text = "Declare the watermark on the table of a connector with watermark push-down (Kafka has it), so that each split has its own."
		f.SQL = "-- on the connector's own table, not on one made from a DataStream\n" + s.watermark(s.delayOr(5000))
	}
	return f
}

// normalized reports a changelog that is normalized by key in front of the place.
func (s site) normalized() bool {
	if s.vertex == nil {
		return false
	}
	for _, v := range append([]*model.Vertex{s.vertex}, s.vertex.Ancestors()...) {
		for _, op := range v.Chain {
			if strings.HasPrefix(op.Text, "ChangelogNormalize(") || strings.HasPrefix(op.Name, "ChangelogNormalize[") {
				return true
			}
		}
	}
	return false
}

// delayOr is the delay in force, or another where it is not known, ms.
func (s site) delayOr(ms int64) int64 {
	switch b, ok := s.delay(); {
	case !ok:
		return ms
	case b.Declared:
		return b.Ms
	default:
		return declarable(b.Ms)
	}
}

// generator is for one that has stopped emitting.
func generator(s site) catalog.Fix {
	f := catalog.Fix{Text: "Emit from the largest time seen, in onPeriodicEmit or for every record, and see what the generator waits for. Flink's own generators do that."}
	f.DataStream = fmt.Sprintf("%s   // instead of the generator of the job's own", s.assigned())
	if s.assigned() == "strategy" {
		f.DataStream = "public void onEvent(T r, long ts, WatermarkOutput out) { max = Math.max(max, ts); }\npublic void onPeriodicEmit(WatermarkOutput out) {\n    out.emitWatermark(new Watermark(max - delayMs - 1));\n}"
	}
	if s.api()&sql != 0 {
		f.Text = "Look at the time column in a few new rows: it must be the one that says when it happened, and must move."
		if col, t := s.column(), table(s.source); col != "" && t != "" {
			f.SQL = fmt.Sprintf("SELECT %s FROM %s   -- in a session of its own", col, t)
		}
	}
	return f
}

// wallClock is for a generator that follows the clock.
func wallClock(s site) catalog.Fix {
	f := catalog.Fix{Text: "Emit from record times; use the wall clock only after a long silence, and then minus a margin.",
		DataStream: "// measure the delay: tidemark recommend TOPIC\nWatermarkStrategy.<T>forBoundedOutOfOrderness(delay)\n    .withIdleness(" + units.Java(s.idleTimeout()) + ")"}
	if s.api()&sql == 0 {
		return f
	}
	f.Text = "Take the watermark from the column that says when it happened, neither from the clock nor from SOURCE_WATERMARK() of such a connector."
	f.SQL = s.watermark(5000)
	if s.clause() != "" { // the column itself follows the clock
		f.SQL = "-- " + s.clause() + " goes by a column that follows the clock"
	}
	return f
}

// Declared is for a source that runs with another delay than the one that was declared, ms.
func Declared(j *model.Job, v *model.Vertex, ms int64) catalog.Fix {
	s := site{job: j, vertex: v, source: v, found: &catalog.Finding{}}
	return catalog.Fix{Text: "Submit the job again with the delay that is meant, or correct what is declared.", DataStream: bounded(ms), SQL: s.watermark(ms)}
}
