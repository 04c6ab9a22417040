package checks

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/fix"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// idleAssigner finds subtasks of an assigner behind the source that get no records while their siblings do:
// a generator without records emits nothing, and is a channel as any other for who reads from it.
func idleAssigner(j *model.Job, v *model.Vertex) (catalog.Finding, bool) {
	at := v.Assigner()
	if at < 0 || j.WarmingUp() || v.EventTimeUse() == model.UseNo {
		return catalog.Finding{}, false
	}
	var idle []*model.Subtask
	spoke := false
	for _, s := range v.Subtasks {
		out := s.Out()
		quiet, known := s.Quiet()
		switch {
		case v.IsSource() && (!v.NamesSplits() || len(s.ActiveSplits()) > 0): // TM102, or TM103 of the source
		case known && quiet && (out.IsNone() || out.Frozen()) && j.Holds(s, out):
			idle = append(idle, s)
		}
		spoke = spoke || out.Now.IsKnown() && !(known && quiet)
	}
	if len(idle) == 0 || !spoke {
		return catalog.Finding{}, false
	}
	s := idle[0]
	silence := j.UptimeMs
	if s.RunMs > 0 {
		silence = min(silence, s.RunMs)
	}
	if own, known := s.Out().Now.Millis(); known && !s.Never() {
		newest, _ := v.NewestSplit().Millis()
		silence = newest - own
	}
	if silence < model.FrozenMs || !s.Never() && s.OrdinarySilence(silence) {
		return catalog.Finding{}, false
	}
	op := v.Chain[at]
	f := catalog.NewFinding("TM103", v)
	f.Title, f.Operator = "{place} assigns watermarks and gets no records", op.Name
	f.HeldBack = j.HeldBack(v, v.MinOut())
	f.Since(silence)
	for _, x := range idle {
		f.Subtasks = append(f.Subtasks, x.Index)
	}
	state := fmt.Sprintf("has had no record for about %s", units.Duration(silence))
	if s.Never() {
		state = "has never had a record"
	}
	f.Summary = fmt.Sprintf("%s: %s subtask %s of %d %s, so it emits no watermark and everything behind it waits",
		catalog.Without(f.HeldBack, v, s.Out()), model.QuoteName(op.Name), catalog.SomeInts(f.Subtasks), len(v.Subtasks), state)
	if keyed(v) {
		f.Summary += ". Its input is keyed, and no key falls to that subtask"
	}
	f.Fix = fix.EmptyAssigner(j, v, keyed(v))
	for _, x := range idle[:min(len(idle), 4)] {
		subject := fmt.Sprintf("%s subtask %d", model.QuoteName(op.Name), x.Index)
		f.ProveReading(v, subject, "currentOutputWatermark", x.Out())
		f.ProveGauge(v, subject, "numRecordsIn", x.Records)
	}
	return f, true
}
