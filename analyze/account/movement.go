package account

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

func (x *judge) movement(v *model.Vertex) []Claim {
	c := Claim{Claim: catalog.Movement, At: model.Point{Vertex: v.Ref()}, Good: true}
	et := v.Watermark()
	moved, known := et.Moved()
	switch use := v.EventTimeUse(); {
	case v.Status == "FINISHED" || v.Status == "CANCELED":
		c.State, c.Why = catalog.NotExpected, "it has "+v.Status
	case use == model.UseNo:
		c.State, c.Why = catalog.NotExpected, "no operator of its path uses event time"
	case v.Replaced():
		c.State, c.Why = catalog.NotExpected, "what is behind it assigns its own watermarks"
	case et.Now.Readable() && !x.signed(v):
		c.State, c.Why = catalog.NotExpected, "no watermark is declared or emitted on its path"
	case v.IsSource() && x.feedsOnlyAdvancing(v):
		c.State, c.Why = catalog.Advancing, "everything that it feeds advances"
	case known && moved && !x.backwards(v):
		c.State = catalog.Advancing
	case et.Now.State() == flinkapi.End:
		c.State = catalog.End
		if x.reading(v) {
			return []Claim{x.settleClaim(v, x.bad(v, c))}
		}
	case et.IsNone():
		c.State = catalog.Never
		return x.stall(v, c)
	case known:
		c.State = catalog.Standing
		return x.stall(v, c)
	default:
		c.State, c.Good, c.Why = catalog.Unreadable, false, x.missing(v, et)
		x.unreadable(v, c)
	}
	return []Claim{c}
}

// stall settles a watermark that is none or does not advance.
func (x *judge) stall(v *model.Vertex, c Claim) []Claim {
	if why := x.rests(v, c); why != "" {
		c.State, c.Why = catalog.NotExpected, why
		return []Claim{c}
	}
	return []Claim{x.settleClaim(v, x.bad(v, c))}
}

// bad marks a claim as bad and names its holder. A split that advances holds nobody.
func (x *judge) bad(v *model.Vertex, c Claim) Claim {
	h := x.job.HolderOf(v)
	if h.Split != nil && model.MovedCertainly(h.Split.Watermark) {
		h.Split = nil
	}
	p := h.Point()
	c.Good, c.Holder = false, &p
	return c
}

// rests says why a watermark is not expected to advance: nothing came since the sample before, and its holder has been
// silent no longer than usual.
func (x *judge) rests(v *model.Vertex, c Claim) string {
	h := x.job.HolderOf(v)
	if h.Subtask == nil || c.State == catalog.Never {
		return ""
	}
	if moved, known := h.Subtask.Out().Moved(); known && moved && c.State == catalog.Standing && !x.behind(v, h) {
		return "the newest watermark is on its way"
	}
	quiet, known := h.Subtask.Quiet()
	if h.Split != nil && (!known || !quiet) {
		quiet, known = h.Split.Quiet()
		return x.restsSplit(h, quiet && known)
	}
	if !known || !quiet {
		return ""
	}
	silence := x.silence(h)
	if silence < model.FrozenMs && lag.Rests(x.job, v) && !x.hiding(v) || h.OrdinarySilence(silence) {
		return "its source does not send more often"
	}
	return ""
}

// restsSplit is rests for a split whose subtask reads others.
func (x *judge) restsSplit(h model.Holder, quiet bool) string {
	if quiet && h.Split.OrdinarySilence(x.silence(h)) {
		return "its source does not send more often"
	}
	return ""
}

// silence is for how long the holder has given nothing, ms.
func (x *judge) silence(h model.Holder) int64 {
	if h.Split != nil {
		if ms, ok := x.job.SilenceMs(h.Split); ok {
			return ms
		}
	}
	if idle, ok := h.Subtask.SourceIdle.Value(); ok {
		return int64(idle)
	}
	return x.job.GapMs
}

// behind reports that v has not yet received what its holder had sent one sample ago.
func (x *judge) behind(v *model.Vertex, h model.Holder) bool {
	return v.Watermark().Now.Before(h.Subtask.Out().Before)
}

// backwards reports a watermark that fell between the samples without a restart: nothing to trust.
func (x *judge) backwards(v *model.Vertex) bool {
	ms, ok := v.Watermark().Advance()
	return ok && ms < 0
}

// feedsOnlyAdvancing reports a source whose consumers all advance: a part of it that stands still is idle in effect.
func (x *judge) feedsOnlyAdvancing(v *model.Vertex) bool {
	for _, e := range v.Out {
		if !model.MovedCertainly(e.To.EventTime()) {
			return false
		}
	}
	return len(v.Out) > 0
}

// missing says why a watermark's movement could not be read.
func (x *judge) missing(v *model.Vertex, et model.Reading) string {
	switch {
	case et.Now.Readable() && x.job.Before == nil:
		return x.job.OneFetch()
	case et.Now.Readable():
		return "its watermark is missing in the earlier sample, or both come from one metric fetch"
	}
	if g, ok := x.gap(v, flinkapi.MetricID.IsWatermark); ok {
		return "its metrics could not be read: " + g.Cause
	}
	return "the JobManager has no watermark metric of it"
}
