package crosscheck

import (
	"slices"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/flinkapi"
)

// reached keeps what a component of the engine emitted last.
type reached struct {
	watermark int64
	idle      bool
}

func (r *reached) EmitWatermark(ts int64) { r.watermark = ts }

func (r *reached) EmitStatus(idle bool) { r.idle = idle }

// strategy is what predictions are made with: what is in force where that is one value, else what was
// declared; ok is false with neither.
func (s *CrossSource) strategy() (st engine.Strategy, ok bool) {
	st = engine.Strategy{SQL: s.SQL, EmitOnEvent: true}
	switch {
	case s.InForce.Exact && s.InForce.Lo >= 0:
		st.BoundMs = s.InForce.Lo
	case s.Declared != nil:
		st.BoundMs = s.Declared.DelayMs
	default:
		return st, false
	}
	return st, true
}

// emitted asks the engine what a subtask emits whose splits have these running maxima; a split without
// a record is engine.None.
func emitted(st engine.Strategy, v engine.Version, maxima []int64) (int64, error) {
	out := &reached{watermark: engine.None}
	src, err := engine.NewSource(engine.SourceConfig{Strategy: st, Version: v}, out)
	if err != nil {
		return 0, err
	}
	handles := make([]int, len(maxima))
	for i := range maxima {
		handles[i] = src.AddSplit()
	}
	for i, m := range maxima {
		if m == engine.None {
			continue
		}
		if err := src.Record(handles[i], m); err != nil {
			return 0, err
		}
	}
	return out.watermark, nil
}

// extremes are the running maximum of a split, in the job's reading, at the earliest and at the latest
// emission that the cluster can be showing.
type extremes struct{ lo, hi int64 }

// maximaOf gives the extremes of a split at an offset; extra widens the window by what lies between
// the split and the gauge compared. A split that read nothing has engine.None.
func (s *CrossSource) maximaOf(o Observation, at offsetOf, extra int64) (extremes, string) {
	d := s.Data[at.id]
	if d == nil {
		return extremes{}, "the records of split " + at.id + " were not read"
	}
	if at.offset < 0 {
		return extremes{engine.None, engine.None}, ""
	}
	lo, hi, ok := d.window(at.offset, s.stretch(d, o, at, s.back()+extra), s.stretch(d, o, at, s.ahead()+extra))
	if !ok {
		return extremes{}, "no record at or before offset of split " + at.id + " was read"
	}
	maxima := d.maxima(lo, hi)
	if s.InForce.LaterStart {
		maxima = d.laterMaxima(lo, hi)
	}
	e := extremes{s.InForce.Unit.apply(slices.Min(maxima)), s.InForce.Unit.apply(slices.Max(maxima))}
	e.lo, e.hi = e.lo+s.InForce.ShiftMs, e.hi+s.InForce.ShiftMs
	return e, ""
}

// compare predicts and compares every split and subtask of the source in the newest sample.
func (s *CrossSource) compare(c *Crosscheck) {
	st, ok := s.strategy()
	for _, o := range s.Observed {
		if !o.Last || o.Split == nil {
			continue
		}
		cmp := Compared{Label: "split " + o.Split.ID, Partition: s.partition(o.Split.ID), Subtask: o.Subtask.Index, Vertex: s.Vertex, Offset: o.Splits[0].offset, Observed: o.Watermark}
		e, why := s.maximaOf(o, o.Splits[0], 0)
		s.Splits = append(s.Splits, cmp.settle(c, st, ok, []extremes{e}, []extremes{e}, why))
	}
	for _, t := range s.Vertex.Subtasks {
		if cmp, any := s.compareSubtask(c, t, st, ok); any {
			s.Subtasks = append(s.Subtasks, cmp)
		}
	}
}

func (s *CrossSource) partition(id string) int32 {
	if d := s.Data[id]; d != nil {
		return d.Partition
	}
	return -1
}

// output is what the source, or the assigner in its chain, shows at a subtask.
func (s *CrossSource) output(t *model.Subtask) model.Reading {
	at := 0
	for i, op := range s.Vertex.Chain {
		if op == s.Assigner {
			at = i
		}
	}
	if at >= len(t.Ops) {
		return model.Reading{}
	}
	return t.Ops[at].Out
}

func (s *CrossSource) compareSubtask(c *Crosscheck, t *model.Subtask, st engine.Strategy, ok bool) (Compared, bool) {
	cmp := Compared{Label: model.SubtaskLabel(t), Partition: -1, Subtask: t.Index, Vertex: s.Vertex, Offset: -1, Observed: s.output(t).Now}
	lo, hi, why := s.subtaskMaxima(t, 0)
	if len(t.ActiveSplits()) == 0 {
		return cmp, false
	}
	return cmp.settle(c, st, ok, lo, hi, why), true
}

// subtaskMaxima are the extremes of the splits that hold a subtask: all but the idle ones. Where
// idleness cannot be seen a silent split may or may not count.
func (s *CrossSource) subtaskMaxima(t *model.Subtask, extra int64) (lo, hi []extremes, why string) {
	var merged *extremes
	active := 0
	for _, sp := range t.ActiveSplits() {
		offset, shown := sp.Offset.Value()
		if !shown {
			return nil, nil, "the offset of split " + sp.ID + " is not shown"
		}
		idle, known := sp.Idle()
		if known && idle {
			continue
		}
		active++
		e, broken := s.maximaOf(Observation{Subtask: t}, offsetOf{sp.ID, int64(offset)}, extra)
		if broken != "" {
			return nil, nil, broken
		}
		if s.Assigner != nil { // one generator over all splits follows the newest
			if merged == nil {
				merged = &extremes{engine.None, engine.None}
			}
			merged.lo, merged.hi = max(merged.lo, e.lo), max(merged.hi, e.hi)
			continue
		}
		lo = append(lo, e)
		if known || !s.silent(sp) {
			hi = append(hi, e)
		}
	}
	if merged != nil {
		return []extremes{*merged}, []extremes{*merged}, ""
	}
	if active == 0 || len(hi) == 0 {
		return nil, nil, "all of its splits are idle or silent: what it emitted last depends on their order"
	}
	return lo, hi, ""
}

// silent is a split whose silence is longer than usual idle timeouts.
func (s *CrossSource) silent(sp *model.Split) bool {
	d := s.Data[sp.ID]
	if d == nil {
		return false
	}
	last, any := d.Last()
	return !any || s.Vertex.FetchedMs-last.Arrival > 1000
}

// settle fills in the prediction and the verdict.
func (c Compared) settle(x *Crosscheck, st engine.Strategy, ok bool, lo, hi []extremes, why string) Compared {
	c.Verdict, c.Reason = NotCompared, why
	switch {
	case why != "":
	case !ok:
		c.Reason = "no delay is declared and none could be inferred"
	case !c.Observed.Readable():
		c.Reason = "the cluster does not show this watermark"
	}
	if c.Reason != "" {
		return c
	}
	from, errLo := emitted(st, x.Version, pick(lo, func(e extremes) int64 { return e.lo }))
	to, errHi := emitted(st, x.Version, pick(hi, func(e extremes) int64 { return e.hi }))
	for _, err := range []error{errLo, errHi} {
		if err != nil {
			c.Reason = err.Error()
			return c
		}
	}
	return c.against(fromEngine(from), fromEngine(to))
}

// against compares what is shown with the range it should lie in.
func (c Compared) against(lo, hi flinkapi.Watermark) Compared {
	c.Lo, c.Hi, c.Verdict, c.Reason, c.DiffMs = lo, hi, Equal, "", 0
	diff := func(end flinkapi.Watermark) int64 {
		a, okA := c.Observed.Millis()
		b, okB := end.Millis()
		if okA && okB {
			return a - b
		}
		return 0
	}
	switch {
	case c.Observed.Before(lo):
		c.Verdict, c.DiffMs = Behind, diff(lo)
	case hi.Before(c.Observed):
		c.Verdict, c.DiffMs = Ahead, diff(hi)
	}
	return c
}

func pick(es []extremes, f func(extremes) int64) []int64 {
	out := make([]int64, len(es))
	for i, e := range es {
		out[i] = f(e)
	}
	return out
}

func fromEngine(ms int64) flinkapi.Watermark {
	switch engine.State(ms) {
	case engine.NeverEmitted:
		return flinkapi.NoWatermark()
	case engine.EndOfInput:
		return flinkapi.EndWatermark()
	}
	return flinkapi.KnownWatermark(ms)
}
