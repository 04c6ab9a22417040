package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/units"
)

// aheadMinMs is how far a consumer must be ahead of a channel in both fetches: more than the hop and the
// emit interval that lie between two gauges.
const aheadMinMs = 1000

// idleBetweenRecords finds a subtask that sends records while its consumer's event time is ahead of it: only
// an idle channel is not waited for, so it counts as idle between its records, and they are late.
func idleBetweenRecords(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	var behind []*model.Subtask
	var by *model.Vertex
	furthest := int64(0)
	waited := false
	for _, s := range v.Subtasks {
		ahead, who := consumerAhead(j, s)
		rise, ok := s.Records.Rise()
		switch {
		case !s.Passed():
			waited = true
		case ok && rise > 0 && who != nil:
			behind = append(behind, s)
			if ahead > furthest {
				furthest, by = ahead, who
			}
		}
	}
	if len(behind) == 0 || !waited { // where no channel is waited for, the gauges are of two moments
		return splitIdleBetween(j, v)
	}
	f := catalog.NewFinding("TM504", v)
	f.Operator, f.Confidence = model.HeadName(v), catalog.Likely
	var apart int64
	for _, s := range behind {
		f.Subtasks = append(f.Subtasks, s.Index)
		if n, ok := s.Records.Value(); ok && n > 0 {
			apart = max(apart, s.RunMs*int64(max(len(s.ActiveSplits()), 1))/int64(n))
		}
	}
	if splits := behind[0].ActiveSplits(); len(behind) == 1 && len(splits) == 1 {
		f.Split = splits[0].ID
	}
	f.Summary = fmt.Sprintf("Source %s subtask %s still sends a record about every %s, and event time of %s is up to %s ahead of it: it was declared idle between its records, which are late then",
		model.SourceLabel(v), catalog.SomeInts(f.Subtasks), units.Duration(apart), model.QuoteName(by.Name), units.Duration(furthest))
	explainTimeout(j, v, &f, apart)
	for _, s := range behind[:min(len(behind), 4)] {
		f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", s.Out())
		f.ProveGauge(v, model.SubtaskLabel(s), "numRecordsOut", s.Records)
	}
	f.ProveReading(by, model.QuoteName(by.Name), "event time", by.EventTime())
	return f, true
}

// explainTimeout compares the distance of two records with the idle timeout, and proposes a longer one.
func explainTimeout(j *model.Job, v *model.Vertex, f *catalog.Finding, apart int64) {
	f.Fix = fix.LongerIdle(j, v, apart)
	if d, ok := j.Declared(v); ok && d.IdleMs > 0 {
		f.Summary += fmt.Sprintf(" (idle timeout: %s)", units.Duration(d.IdleMs))
	}
	if apart < 500 {
		f.Confidence = catalog.Possible
		f.Summary += ". Records come so often that the timeout alone does not explain it: an input that was idle for long and comes back with old times looks the same"
	}
}

// splitIdleBetween finds the same within a subtask (2.1+): its watermark is ahead of a split that gives records.
func splitIdleBetween(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	for _, s := range v.Subtasks {
		out := s.SourceOut()
		if lag, ok := j.Lag(v, out); !ok || lag < -model.AheadMs {
			continue
		}
		for _, sp := range s.ActiveSplits() {
			now, okNow := distance(sp.Watermark.Now, out.Now)
			before, okBefore := distance(sp.Watermark.Before, out.Before)
			rise, told := sp.Offset.Rise()
			if !okNow || !okBefore || !told || rise == 0 || min(now, before) < aheadMinMs || v.GapMs == 0 {
				continue
			}
			f := catalog.NewFinding("TM504", v)
			f.Operator, f.Subtasks, f.Split, f.Confidence = model.HeadName(v), []int{s.Index}, sp.ID, catalog.Likely
			apart := v.GapMs / int64(rise)
			f.Summary = fmt.Sprintf("Split %s of source %s still has records, one about every %s, and the watermark of its subtask is %s ahead of it: it was declared idle between its records, which are late then",
				sp.ID, model.SourceLabel(v), units.Duration(apart), units.Duration(now))
			explainTimeout(j, v, &f, apart)
			f.ProveReading(v, "split "+sp.ID, "split.currentWatermark", sp.Watermark)
			f.ProveGauge(v, "split "+sp.ID, "currentOffset", sp.Offset)
			f.ProveReading(v, model.SubtaskLabel(s), "currentOutputWatermark", out)
			return f, true
		}
	}
	return catalog.Finding{}, false
}

// consumerAhead is how far event time is ahead of a subtask at whoever reads from it, in both fetches. Event
// time ahead of the clock is of a record from the future (TM202).
func consumerAhead(j *model.Job, s *model.Subtask) (ms int64, who *model.Vertex) {
	for steps := 0; steps < 100 && len(s.Vertex.Out) == 1; steps++ { // through what is not chained
		e := s.Vertex.Out[0]
		if e.Ship != "FORWARD" || s.Index >= len(e.To.Subtasks) {
			break
		}
		s = e.To.Subtasks[s.Index]
	}
	out := s.Out()
	for _, e := range s.Vertex.Out {
		et := e.To.EventTime()
		lagMs, known := j.Lag(e.To, et)
		now, okNow := distance(out.Now, et.Now)
		before, okBefore := distance(out.Before, et.Before)
		if known && lagMs >= -model.AheadMs && okNow && okBefore && min(now, before) >= aheadMinMs && now > ms {
			ms, who = now, e.To
		}
	}
	return ms, who
}

func distance(from, to flinkapi.Watermark) (ms int64, ok bool) {
	a, okA := from.Millis()
	b, okB := to.Millis()
	return b - a, okA && okB
}
