package checks

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = catalog.Register(catalog.Check{
	Code: "TM101", Cause: "never-emitted", Title: "Records flow, but no watermark was ever emitted",
	Headline: "{vertex} emits no watermark although records flow",
	Symptom:  2, Severity: catalog.Critical, Needs: catalog.Needs(catalog.SourceWatermark),
	Explains:  []catalog.Explains{catalog.Stalls(catalog.Never)},
	Settled:   true,
	Ended:     true,
	EventTime: true,
	Means:     "Every active subtask of a source sends records, yet its output watermark is Long.MIN_VALUE and nothing downstream assigns one. No event-time window fires, and CEP buffers all of its input.",
	Why: "The likely reasons, most frequent first: the source was built with noWatermarks() or a SQL table has no WATERMARK clause; a custom generator never calls output.emitWatermark; " +
		"pipeline.auto-watermark-interval is 0, which turns off periodic emission and idleness detection (ProgressiveTimestampsAndWatermarks). An idle split (TM102) is different: here the subtasks and splits that do have records are the ones without a watermark.",
	Fix: catalog.Fix{
		Text:       "Give the source a watermark strategy, and check that pipeline.auto-watermark-interval is above 0.",
		DataStream: "env.fromSource(source, WatermarkStrategy\n    .<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withTimestampAssigner((order, t) -> order.timestampMillis())\n    .withIdleness(Duration.ofMinutes(1)), \"Orders\")",
		SQL:        "CREATE TABLE orders (…, ts TIMESTAMP_LTZ(3),\n    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (…)",
	},
	Hides: []string{"TM102", "TM103", "TM104", "TM105"},
	Run:   runNeverEmitted,
})

func runNeverEmitted(j *model.Job) []catalog.Finding {
	var out []catalog.Finding
	if f, ok := missingTimestamps(j); ok {
		out = append(out, f)
	}
	for _, v := range j.Sources() {
		if f, ok := neverEmitted(j, v); ok {
			out = append(out, f)
		}
	}
	for _, v := range j.Vertices {
		if f, ok := assignsNone(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

// assignsNone finds an assigner behind the source that took records and emitted no watermark; one that
// takes watermarks as well swallows them (TM307).
func assignsNone(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	at := v.Assigner()
	if at < 0 || v.EventTimeUse() == model.UseNo {
		return catalog.Finding{}, false
	}
	op := v.Chain[at]
	f := catalog.NewFinding("TM101", v)
	for _, s := range v.Subtasks {
		n, ok := s.Records.Value()
		if !ok || n == 0 {
			continue
		}
		if at >= len(s.Ops) || !s.Ops[at].Out.IsNone() || s.Ops[at].In.Now.IsKnown() {
			return catalog.Finding{}, false
		}
		f.Subtasks = append(f.Subtasks, s.Index)
	}
	if len(f.Subtasks) == 0 {
		return catalog.Finding{}, false
	}
	f.Operator, f.Confidence = op.Name, catalog.Likely
	f.HeldBack = j.HeldBack(v, v.MinOut())
	f.Began(j.NowMs-j.UptimeMs, j.NowMs)
	n, _ := v.Records().Value()
	f.Summary = fmt.Sprintf("%s assigns watermarks and has emitted none from %s records: the time of the rows is NULL, its generator never emits, or pipeline.auto-watermark-interval is 0 in the job", model.QuoteName(op.Name), units.Number(n))
	f.Fix = noneFix
	f.ProveReading(v, model.QuoteName(op.Name), "currentOutputWatermark (minimum)", op.Out)
	f.ProveGauge(v, model.QuoteName(v.Name), "numRecordsIn", v.Records())
	return f, true
}

// noneFix is for a strategy that is declared and emits nothing.
var noneFix = catalog.Fix{
	Text:       "Look at a few rows: a time that is NULL, or that the format could not read, moves nothing. Check that pipeline.auto-watermark-interval is above 0, and that no partition is without records.",
	DataStream: "env.getConfig().setAutoWatermarkInterval(200);",
	SQL:        "SET 'pipeline.auto-watermark-interval' = '200 ms';\nSELECT COUNT(*) FROM orders WHERE ts IS NULL",
}

func neverEmitted(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	active, silentPartition, unread := 0, false, false
	var none []int
	for _, s := range v.Subtasks {
		n, ok := s.Records.Value()
		if !ok || n == 0 {
			continue
		}
		active++
		if s.Out().Now.State() != flinkapi.None || s.SourceOut().Now.IsKnown() {
			return catalog.Finding{}, false // emitted; what is chained to it may still keep it: TM307
		}
		none = append(none, s.Index)
		silentPartition = silentPartition || hasSilentSplit(s)
		back, _ := s.Backpressured.Value()
		unread = unread || back >= jammed && s.HidesUnread()
	}
	if active == 0 || assignsDownstream(v) || splitSpoke(v) || v.EventTimeUse() == model.UseNo || !v.NeedsEventTime() {
		return catalog.Finding{}, false
	}
	if unread || allUnread(j, v) {
		return catalog.Finding{}, false // TM303, TM304: one of its splits may wait to be read
	}
	if silentPartition && !model.SplitsTellWatermarks(v) && everySilent(v) {
		return catalog.Finding{}, false // before 2.1 a silent partition in each subtask looks the same: TM102
	}
	f := catalog.NewFinding("TM101", v)
	f.HeldBack = j.HeldBack(v, v.MinOut())
	f.Subtasks = none
	count := "records"
	if n, ok := v.Records().Value(); ok {
		count = units.Number(n) + " records"
	}
	f.Summary = fmt.Sprintf("%s: source %s has sent %s from %s and never a watermark. %s",
		catalog.Without(f.HeldBack, v, v.MinOut()), model.SourceLabel(v), count, catalog.Plural(active, "active subtask"), candidates(j, v))
	f.Confidence = catalog.Certain
	if declares(j, v) {
		f.Fix = noneFix
	}
	if hidesSplit(v) {
		f.Confidence = catalog.Likely // a split that never had a record would look the same
	}
	if v.EventTimeUse() == model.UseUnknown { // only a user function may want a watermark here
		f.Severity, f.Confidence = catalog.Warning, catalog.Likely
	}
	f.Began(j.NowMs-j.UptimeMs, j.NowMs)
	f.ProveReading(v, model.SourceLabel(v), "currentOutputWatermark (all active subtasks)", v.MinOut())
	f.ProveGauge(v, model.SourceLabel(v), "numRecordsOut", v.Records())
	if !hasWatermarkLag(v) {
		f.Prove(v, model.SourceLabel(v), "watermarkLag", "absent (registered with the first watermark)")
	}
	return f, true
}

// candidates ranks the causes by what the cluster shows.
func candidates(j *model.Job, v *model.Vertex) string {
	if d, err := units.ParseFlinkDuration(j.Config["pipeline.auto-watermark-interval"]); err == nil && d == 0 {
		return "The cluster configuration sets pipeline.auto-watermark-interval to 0: periodic emission is off"
	}
	if v.IsSQLScan() && declares(j, v) {
		text := "A watermark is declared"
		if d, ok := j.Declared(v); ok {
			text = "The plan declares the watermark " + model.Shorten(d.Expr, 80)
		}
		text += ", and none comes: the time of the rows is NULL, "
		if hidesSplit(v) {
			text += "a split never had a record, which is not shown here, "
		}
		return text + "the connector or stream behind the table emits none, or pipeline.auto-watermark-interval is 0 in the job"
	}
	if v.IsSQLScan() {
		return "Most likely the table has no WATERMARK clause; else the job sets pipeline.auto-watermark-interval to 0"
	}
	if !hasLiveSplits(v) {
		return "Either the source has no strategy (noWatermarks()), or its splits finish within one emit interval and their watermark is lost, as file and lake sources do: let the generator emit per event; or a split that is not shown here has never had a record"
	}
	text := "REST does not show why: the source has no strategy (noWatermarks()), or a custom generator never emits, or the job sets pipeline.auto-watermark-interval to 0"
	if hidesSplit(v) {
		text += ", or a split never had a record, which is not shown here"
	}
	return text
}

// hidesSplit reports a source that may own a split without a first record, and shows none.
func hidesSplit(v *model.Vertex) bool {
	return !model.SplitsTellWatermarks(v) && slices.ContainsFunc(v.Subtasks, (*model.Subtask).HidesUnread)
}

// declares reports a table whose watermark is in the plan, or must be there: a window, OVER or pattern of SQL
// takes a time attribute only, and there is none without a WATERMARK clause.
func declares(j *model.Job, v *model.Vertex) bool {
	if !v.IsSQLScan() {
		return false
	}
	if _, ok := j.Declared(v); ok {
		return true
	}
	return v.EventTimeUse() == model.UseYes
}

func hasLiveSplits(v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if len(s.ActiveSplits()) > 0 {
			return true
		}
	}
	return false
}

func hasWatermarkLag(v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if _, ok := s.WatermarkLag.Value(); ok {
			return true
		}
	}
	return false
}

// assignsDownstream finds an operator behind v, in its chain or later, that makes watermarks.
func assignsDownstream(v *model.Vertex) bool {
	for _, u := range append([]*model.Vertex{v}, v.Descendants()...) {
		for _, op := range u.Chain {
			if op.Kind == model.KindAssigner || op.Kind == model.KindMiniBatchProc {
				return true
			}
		}
	}
	return false
}

// splitSpoke reports a split with its own watermark: then the generator does emit.
func splitSpoke(v *model.Vertex) bool {
	return v.AnySplit(func(s *model.Split) bool { return s.Watermark.Now.IsKnown() })
}

func hasSilentSplit(s *model.Subtask) bool {
	for _, sp := range s.ActiveSplits() {
		if off, ok := sp.Offset.Value(); ok && off < 0 {
			return true
		}
	}
	return false
}

// allUnread reports a source each of whose subtasks reads a backlog, and may not have come to all of its splits yet.
func allUnread(j *model.Job, v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if !s.Never() && !(j.ReadsBacklog(s) && s.MayHaveUnread()) {
			return false
		}
	}
	return true
}

// everySilent reports that each subtask without a watermark has a partition without a record.
func everySilent(v *model.Vertex) bool {
	for _, s := range v.Subtasks {
		if !s.Never() && s.Out().IsNone() && !hasSilentSplit(s) {
			return false
		}
	}
	return true
}
