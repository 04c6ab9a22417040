package analyze

import (
	"fmt"

	"tidemark/flinkapi"
	"tidemark/internal/units"
)

var _ = register(Check{
	Code: "TM101", Cause: "never-emitted", Title: "Records flow, but no watermark was ever emitted",
	Symptom: 2, Severity: Critical, Needs: []string{"source output watermark"},
	Means: "Every active subtask of a source sends records, yet its output watermark is Long.MIN_VALUE and nothing downstream assigns one. No event-time window fires, CEP buffers all input.",
	Why: "Candidates, most frequent first: the source was built with noWatermarks() or a SQL table has no WATERMARK clause; a custom generator never calls output.emitWatermark; " +
		"pipeline.auto-watermark-interval is 0, which turns periodic emission and idleness detection off (ProgressiveTimestampsAndWatermarks). " +
		"It is told from an idle split by this: here the subtasks and splits that do have records are the ones without a watermark.",
	Fix: Fix{
		Text:       "Give the source a watermark strategy, and check that pipeline.auto-watermark-interval is above 0.",
		DataStream: "env.fromSource(source, WatermarkStrategy\n    .<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withTimestampAssigner((order, t) -> order.timestampMillis())\n    .withIdleness(Duration.ofMinutes(1)), \"Orders\")",
		SQL:        "CREATE TABLE orders (…, ts TIMESTAMP_LTZ(3),\n    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (…)",
	},
	Hides: []string{"TM102", "TM103", "TM104", "TM105"},
	Run:   runNeverEmitted,
})

func runNeverEmitted(j *Job) []Finding {
	var out []Finding
	if f, ok := missingTimestamps(j); ok {
		out = append(out, f)
	}
	for _, v := range j.Sources() {
		if f, ok := neverEmitted(j, v); ok {
			out = append(out, f)
		}
	}
	return out
}

func neverEmitted(j *Job, v *Vertex) (Finding, bool) {
	active, silentPartition := 0, false
	var none []int
	for _, s := range v.Subtasks {
		n, ok := s.Records.Value()
		if !ok || n == 0 {
			continue
		}
		active++
		if s.Out().Now.State() != flinkapi.None {
			return Finding{}, false
		}
		none = append(none, s.Index)
		silentPartition = silentPartition || hasSilentSplit(s)
	}
	if active == 0 || assignsDownstream(v) || splitSpoke(v) || v.eventTimeUse() == UseNo {
		return Finding{}, false
	}
	if silentPartition && !splitsTellWatermarks(v) && everySilent(v) {
		return Finding{}, false // before 2.1 a silent partition in each subtask looks the same: TM102
	}
	f := newFinding("TM101", v)
	f.HeldBack = j.heldBack(v, v.MinOut())
	f.Subtasks = none
	count := "records"
	if n, ok := v.Records().Value(); ok {
		count = fmt.Sprintf("%.0f records", n)
	}
	f.Summary = fmt.Sprintf("%s: source %s has sent %s from %s and never a watermark. %s",
		without(f.HeldBack, v, v.MinOut()), sourceLabel(v), count, plural(active, "active subtask"), candidates(j, v))
	f.Confidence = Certain
	if v.eventTimeUse() == UseUnknown { // only a user function may want a watermark here
		f.Severity, f.Confidence = Warning, Likely
	}
	f.since(j.UptimeMs)
	f.proveReading(v, sourceLabel(v), "currentOutputWatermark (all active subtasks)", v.MinOut())
	f.proveGauge(v, sourceLabel(v), "numRecordsOut", v.Records())
	if !hasWatermarkLag(v) {
		f.prove(v, sourceLabel(v), "watermarkLag", "absent (registered with the first watermark)")
	}
	return f, true
}

// candidates ranks the causes by what the cluster shows.
func candidates(j *Job, v *Vertex) string {
	if d, err := units.ParseFlinkDuration(j.Config["pipeline.auto-watermark-interval"]); err == nil && d == 0 {
		return "The cluster configuration sets pipeline.auto-watermark-interval to 0: periodic emission is off"
	}
	if v.isSQLScan() {
		return "Most likely the table has no WATERMARK clause; else the job sets pipeline.auto-watermark-interval to 0"
	}
	if !v.hasLiveSplits() {
		return "Either the source has no strategy (noWatermarks()), or its splits finish within one emit interval and their watermark is lost, as file and lake sources do: let the generator emit per event"
	}
	return "Most likely the source has no strategy (noWatermarks()); else a custom generator that never emits, or pipeline.auto-watermark-interval 0 in the job"
}

func (v *Vertex) hasLiveSplits() bool {
	for _, s := range v.Subtasks {
		if len(s.activeSplits()) > 0 {
			return true
		}
	}
	return false
}

func hasWatermarkLag(v *Vertex) bool {
	for _, s := range v.Subtasks {
		if _, ok := s.WatermarkLag.Value(); ok {
			return true
		}
	}
	return false
}

// assignsDownstream finds an operator behind v, in its chain or later, that makes watermarks.
func assignsDownstream(v *Vertex) bool {
	for _, u := range append([]*Vertex{v}, v.descendants()...) {
		for _, op := range u.Chain {
			if op.Kind == KindAssigner || op.Kind == KindMiniBatchProc {
				return true
			}
		}
	}
	return false
}

// splitSpoke reports a split with a watermark of its own: then the generator does emit.
func splitSpoke(v *Vertex) bool {
	for _, s := range v.Subtasks {
		for _, sp := range s.activeSplits() {
			if sp.Watermark.Now.IsKnown() {
				return true
			}
		}
	}
	return false
}

func splitsTellWatermarks(v *Vertex) bool {
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			if sp.Watermark.Now.Readable() {
				return true
			}
		}
	}
	return false
}

func hasSilentSplit(s *Subtask) bool {
	for _, sp := range s.activeSplits() {
		if off, ok := sp.Offset.Value(); ok && off < 0 {
			return true
		}
	}
	return false
}

// everySilent reports that each subtask without a watermark has a partition without a record.
func everySilent(v *Vertex) bool {
	for _, s := range v.Subtasks {
		if !s.Never() && s.Out().IsNone() && !hasSilentSplit(s) {
			return false
		}
	}
	return true
}
