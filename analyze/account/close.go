package account

import (
	"fmt"
	"slices"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// close reports bad claims that no finding explains, once per holder, and raises the severity of findings that explain
// a standstill.
func (x *judge) close() {
	x.raise()
	for _, claim := range []catalog.Claim{catalog.Movement, catalog.Lag, catalog.Loss, catalog.Sense} {
		said := map[*model.Vertex]int{} // by holder: index of its finding
		for _, o := range x.open[claim] {
			if x.incomplete(o) {
				continue
			}
			if i, ok := said[o.holder]; ok && claim != catalog.Sense {
				f := &x.account.Findings[i]
				f.HeldBack = append(f.HeldBack, *o.vertex.Ref())
				continue
			}
			said[o.holder] = len(x.account.Findings)
			x.account.Findings = append(x.account.Findings, x.unexplained(o))
		}
	}
}

// incomplete records a bad claim that is not proven to be a fault as unreadable.
func (x *judge) incomplete(o openClaim) bool {
	why := ""
	switch o.claim.Claim {
	case catalog.Movement:
		why = x.movementUnknown(o)
	case catalog.Lag:
		if !o.holder.MinOut().Now.Readable() || o.holder.Stale || slices.ContainsFunc(x.job.GapsOf(o.holder), x.job.Bears) {
			why = "it is " + units.Duration(*o.claim.Ms) + " late, and " + model.QuoteName(o.holder.Name) + ", which it waits for, could not be read"
		}
	}
	if why == "" {
		return false
	}
	x.account.Unreadable = append(x.account.Unreadable, catalog.NotCheckedAt(o.vertex, "", "TM906", why))
	return true
}

// movementUnknown is why a watermark that stands is not proven to be held by a fault; "" where it is.
func (x *judge) movementUnknown(o openClaim) string {
	stands := "its watermark " + standsAt(o.vertex)
	unread, early := x.unreadBehind(o.holder), x.early(o.vertex)
	switch {
	case x.young:
		return fmt.Sprintf("the job has run for %s only, too short to tell whether it advances", units.Duration(x.job.UptimeMs))
	case o.vertex.EventTimeUse() == model.UseUnknown:
		return stands + ", and its operators do not show whether they use event time"
	case x.hiding(o.vertex):
		return stands + ", for longer than its sources are silent. A split may have fallen silent before the others; this version does not show the watermark of each. Compare with the topic: tidemark crosscheck"
	case !x.flowing(o.vertex):
		return stands + ", and no record is seen to arrive"
	case x.readsBacklog(o.vertex):
		return waitsToBeRead(o.vertex)
	case x.lacking(o.vertex):
		return stands + "; what may hold it could not be read"
	case unread != nil:
		return stands + "; whether " + model.QuoteName(unread.Name) + " waits for it could not be read"
	case x.due(o.vertex):
		return stands + ", and a single record has come since the sample before: the watermark may be due with the next emission. Read again"
	case blind(o.holder):
		return stands + "; the inputs of " + model.QuoteName(o.holder.Name) + " show no watermark"
	}
	return early
}

// unreadBehind is a consumer of v that could not be read. An idle subtask of v, which the consumer has passed, then
// looks like one that it waits for.
func (x *judge) unreadBehind(v *model.Vertex) *model.Vertex {
	for _, e := range v.Out {
		if slices.ContainsFunc(x.job.GapsOf(e.To), x.job.Bears) {
			return e.To
		}
	}
	return nil
}

// blind reports a vertex that makes no watermarks and before which none can be read: who holds it is not known.
func blind(v *model.Vertex) bool {
	return len(v.In) > 0 && !v.Assigns() && !slices.ContainsFunc(v.In, func(e *model.Edge) bool { return e.From.MinOut().Now.Readable() })
}

// due reports that the holder of v has read a single record between the samples: the watermark that it makes may not
// have been emitted yet.
func (x *judge) due(v *model.Vertex) bool {
	h := x.job.HolderOf(v)
	if h.Subtask == nil || h.Split != nil || !h.Subtask.Out().Now.IsKnown() {
		return false
	}
	rise, ok := h.Subtask.Records.Rise()
	return ok && rise == 1
}

func waitsToBeRead(v *model.Vertex) string {
	return "its watermark " + standsAt(v) + "; what it waits for may be among the records that still wait to be read"
}

// hidesUnread reports a source upstream of v that reads a backlog and does not show from which splits.
func (x *judge) hidesUnread(v *model.Vertex) bool {
	h := x.job.HolderOf(v)
	return h.Vertex.IsSource() && slices.ContainsFunc(h.Vertex.Subtasks, func(s *model.Subtask) bool { return x.job.ReadsBacklog(s) && s.HidesUnread() })
}

// readsBacklog reports that the holder of v still has records waiting: those of the split that holds it may be among
// them.
func (x *judge) readsBacklog(v *model.Vertex) bool {
	h := x.job.HolderOf(v)
	return h.Subtask != nil && x.job.ReadsBacklog(h.Subtask) || h.Subtask == nil && h.Vertex.IsSource() && slices.ContainsFunc(h.Vertex.Subtasks, x.job.ReadsBacklog)
}

// early says that the holder of v has been silent for too short a time to call it a fault.
func (x *judge) early(v *model.Vertex) string {
	h := x.job.HolderOf(v)
	if h.Subtask == nil {
		return ""
	}
	quiet, known := h.Subtask.Quiet()
	if h.Split != nil {
		quiet, known = h.Split.Quiet()
	}
	silence := x.silence(h)
	if stood := x.stood(h); h.Split != nil && !quiet && h.Subtask.Out().Frozen() && stood > 0 && stood < model.FrozenMs {
		return fmt.Sprintf("%s for at most %s although it gives records: too short to tell", stands(v, h), units.Duration(stood))
	} else if h.Split == nil && h.Subtask.Out().Frozen() && stood > 0 && (stood < model.FrozenMs || h.Subtask.OrdinarySilence(stood)) {
		return fmt.Sprintf("%s for at most %s while its splits are not shown: one that sends rarely looks the same", stands(v, h), units.Duration(stood))
	}
	if !known || !quiet || x.job.LongEnough(h.Vertex, silence) && !h.OrdinarySilence(silence) {
		return ""
	}
	gave := "it waits for " + h.String() + ", which"
	if h.Vertex == v {
		gave = "its" + h.Point().Within()
	}
	return fmt.Sprintf("%s has given no record for %s: too short a silence to tell", gave, units.Duration(silence))
}

// stands names the watermark that v waits for.
func stands(v *model.Vertex, h model.Holder) string {
	if h.Vertex == v {
		return "the watermark of its" + h.Point().Within() + " stands"
	}
	return "it waits for " + h.String() + ", whose watermark stands"
}

// stood is the longest time for which the holder's watermark can have stood still, ms: its lag minus the age of its
// records.
func (x *judge) stood(h model.Holder) int64 {
	late, ok := x.job.Lag(h.Vertex, h.Subtask.Out())
	if age, told := h.Subtask.EmitLag.Value(); told && age > 0 {
		late -= int64(age)
	}
	if !ok {
		return 0
	}
	return late
}

// unexplained is the finding for a bad claim that nothing accounts for.
func (x *judge) unexplained(o openClaim) catalog.Finding {
	f := catalog.NewFinding("TM906", o.vertex)
	f.Confidence = catalog.Possible // that it is so is certain, the cause is not known
	name := model.QuoteName(o.vertex.Name)
	switch o.claim.Claim {
	case catalog.Movement:
		f.Severity = catalog.Critical
		f.Title = name + " has a watermark that stands still; cause not found"
		f.Summary = fmt.Sprintf("%s receives records, but its watermark %s", name, standsAt(o.vertex))
		if o.vertex.Watermark().IsNone() {
			f.Title = name + " has never had a watermark; cause not found"
			f.Summary = name + " receives records, but has never had a watermark"
		}
		if h := o.claim.Holder; h != nil && h.Vertex.ID != o.vertex.ID {
			f.Summary += fmt.Sprintf("; it waits for %s", *h)
		}
		f.ProveReading(o.vertex, name, "event time", o.vertex.Watermark())
		f.ProveGauge(o.vertex, name, "records", o.vertex.Records())
	case catalog.Lag:
		f.Severity = catalog.Warning
		f.Title = fmt.Sprintf("%s runs %s late; cause not found", name, units.Duration(*o.claim.Ms))
		f.Summary = fmt.Sprintf("%s runs %s late; cause not found", name, units.Duration(*o.claim.Ms))
		f.ProveReading(o.vertex, name, "event time", o.vertex.Watermark())
	case catalog.Loss:
		f.Severity = catalog.Warning
		f.Title = name + " drops late records; cause not found"
		f.Summary = name + " drops late records; cause not found"
		for _, l := range o.vertex.Late {
			f.ProveGauge(o.vertex, name, l.Metric, l.Dropped)
		}
	case catalog.Sense:
		f.Severity = catalog.Warning
		f.Title = fmt.Sprintf("%s has event times that make no sense against the clock", o.claim.At)
		off := "in another unit than ms, or from 1970"
		if o.claim.Ms != nil {
			off = units.Duration(-*o.claim.Ms) + " ahead of the clock"
		}
		f.Summary = fmt.Sprintf("%s has event times %s; cause not found", o.claim.At, off)
		f.Prove(o.vertex, o.claim.At.String(), "watermark against the clock", off)
		f.Place = o.claim.At.Place()
	}
	return f
}

// standsAt says how a watermark that does not advance stands.
func standsAt(v *model.Vertex) string {
	et := v.Watermark()
	switch {
	case et.IsNone():
		return "was never emitted"
	case et.Now.IsKnown():
		return "stands at " + et.Now.String()
	}
	return "is at end of input"
}

// raise makes a finding critical that explains a standstill where event time is used: weak evidence lowers confidence,
// never severity. A cause that is always harmless stays info. In a run that is too young a standstill is neither
// proven nor excluded.
func (x *judge) raise() {
	for _, v := range x.job.Vertices {
		for _, c := range x.account.Claims[v.ID] {
			if c.Claim != catalog.Movement || c.Good || c.By == "" {
				continue
			}
			if c.State == catalog.Never && x.hidesUnread(v) {
				x.account.Unreadable = append(x.account.Unreadable, catalog.NotCheckedAt(v, "", "TM906", waitsToBeRead(v)))
			}
			for _, f := range x.findings {
				check, _ := catalog.FindCheck(f.Code)
				if f.Code != c.By || check.Severity == catalog.Info || f.Severity != catalog.Warning || !x.about(f, v) {
					continue
				}
				switch {
				case x.young && check.Severity == catalog.Critical:
					x.unsure(v)
				case f.Confidence == catalog.Possible: // whether it holds anything is not proven
					x.possible(v)
				case !x.young && (v.EventTimeUse() == model.UseYes || check.Severity == catalog.Critical):
					f.Severity = catalog.Critical
				}
			}
		}
	}
}

// possible notes a standstill whose only explanation is not proven to hold anything.
func (x *judge) possible(v *model.Vertex) {
	for _, f := range x.findings {
		if f.Severity == catalog.Critical && x.about(f, v) {
			return
		}
	}
	x.account.Unreadable = append(x.account.Unreadable, catalog.NotCheckedAt(v, "", "TM906",
		fmt.Sprintf("its watermark %s, and what is named for it may hold nothing", standsAt(v))))
}

// unsure notes a standstill that is explained in a run that is too young to call it one.
func (x *judge) unsure(v *model.Vertex) {
	x.account.Unreadable = append(x.account.Unreadable, catalog.NotCheckedAt(v, "", "TM906",
		fmt.Sprintf("its watermark %s, and the job runs for %s: too young to tell", standsAt(v), units.Duration(x.job.UptimeMs))))
}

// about reports a finding at v or at a vertex that v waits for.
func (x *judge) about(f *catalog.Finding, v *model.Vertex) bool {
	return f.Vertex == nil || x.waitsFor(v, f.Vertex.ID) || x.holds(f, v)
}

// unreadable notes a claim whose readings are missing.
func (x *judge) unreadable(v *model.Vertex, c Claim) {
	what := map[catalog.Claim]string{catalog.Movement: "whether its event time moves", catalog.Loss: "whether it drops late records", catalog.Sense: "whether its times make sense"}[c.Claim]
	x.account.Unreadable = append(x.account.Unreadable, catalog.NotCheckedAt(v, "", "TM904", what+" cannot be determined: "+c.Why))
}
