package crosscheck

import (
	"fmt"
	"math"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/engine"
)

// bufferMs is execution.buffer-timeout.interval's default: how long a watermark may wait in a buffer
// that is not full, at each exchange.
const bufferMs = 100

// passed is the range a subtask's output should lie in; why says what makes it unknown.
type passed struct {
	lo, hi int64
	why    string
}

// Downstream predicts what every vertex behind the sources should receive, and compares it with what
// it shows in the newest sample.
func (c *Crosscheck) Downstream() []Compared {
	j := c.Job()
	outs := map[*model.Vertex][]passed{}
	var all []Compared
	for _, v := range j.Vertices {
		if v.IsSource() {
			outs[v] = c.sourceOuts(v)
			continue
		}
		ins := make([]passed, len(v.Subtasks))
		for i, t := range v.Subtasks {
			ins[i] = inputOf(v, i, outs)
			cmp := Compared{Label: model.QuoteName(v.Name) + fmt.Sprintf(" subtask %d", t.Index), Partition: -1, Offset: -1, Subtask: t.Index, Vertex: v, Observed: t.In.Now, Verdict: NotCompared, Reason: ins[i].why}
			if len(v.In) > 1 && cmp.Reason == "" {
				if head := v.Head(); head != nil && head.Kind.Holds() {
					cmp.Reason = "an operator with two inputs ignores an idle one, which is not shown"
				}
			}
			if cmp.Reason == "" && !t.In.Now.Readable() {
				cmp.Reason = "the cluster does not show this watermark"
			}
			if cmp.Reason == "" {
				cmp = cmp.against(fromEngine(ins[i].lo), fromEngine(ins[i].hi))
			}
			all = append(all, cmp)
		}
		outs[v] = throughChain(v, ins)
	}
	return all
}

// sourceOuts are the ranges of a source's subtasks, widened by what may pass until another vertex
// shows them: buffers on the way, and metrics of two fetches.
func (c *Crosscheck) sourceOuts(v *model.Vertex) []passed {
	out := make([]passed, len(v.Subtasks))
	var s *CrossSource
	for _, x := range c.Sources {
		if x.Vertex == v {
			s = x
		}
	}
	for i, t := range v.Subtasks {
		out[i] = c.sourceOut(s, t)
	}
	return out
}

func (c *Crosscheck) sourceOut(s *CrossSource, t *model.Subtask) passed {
	if s == nil || s.Missing != "" {
		return passed{why: "a source before it was not compared"}
	}
	st, ok := s.strategy()
	if !ok {
		return passed{why: "no delay is declared and none could be inferred"}
	}
	if b, known := t.Backpressured.Value(); known && b > 100 {
		return passed{why: "a source before it is backpressured: its watermark waits in a queue"}
	}
	if len(t.ActiveSplits()) == 0 {
		return passed{why: "a source subtask before it reads no split: whether it is idle is not shown"}
	}
	lo, hi, why := s.subtaskMaxima(t, c.apart())
	if why != "" {
		return passed{why: why}
	}
	from, errLo := emitted(st, c.Version, pick(lo, func(e extremes) int64 { return e.lo }))
	to, errHi := emitted(st, c.Version, pick(hi, func(e extremes) int64 { return e.hi }))
	for _, err := range []error{errLo, errHi} {
		if err != nil {
			return passed{why: err.Error()}
		}
	}
	return passed{lo: from, hi: to}
}

// apart is how much the metric fetches of two vertices can differ in time, plus the buffers.
func (c *Crosscheck) apart() int64 {
	lo, hi, depth := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
	for _, v := range c.Job().Vertices {
		if v.FetchedMs > 0 {
			lo, hi = min(lo, v.FetchedMs), max(hi, v.FetchedMs)
		}
		if !v.IsSource() {
			depth++
		}
	}
	return max(hi-lo, 0) + bufferMs*depth
}

// inputOf combines the channels of a subtask in the engine's valve.
func inputOf(v *model.Vertex, index int, outs map[*model.Vertex][]passed) passed {
	var channels []passed
	for _, e := range v.In {
		ups := outs[e.From]
		if e.Ship == "FORWARD" && len(ups) == len(v.Subtasks) {
			ups = ups[index : index+1]
		}
		channels = append(channels, ups...)
	}
	if len(channels) == 0 {
		return passed{why: "nothing is known of what it reads"}
	}
	for _, ch := range channels {
		if ch.why != "" {
			return passed{why: ch.why}
		}
	}
	lo, err := minimum(channels, func(p passed) int64 { return p.lo })
	hi, errHi := minimum(channels, func(p passed) int64 { return p.hi })
	if err != nil || errHi != nil {
		return passed{why: "the engine refused the channels"}
	}
	return passed{lo: lo, hi: hi}
}

func minimum(channels []passed, f func(passed) int64) (int64, error) {
	out := &reached{watermark: engine.None}
	valve, err := engine.NewValve(len(channels), out)
	if err != nil {
		return 0, err
	}
	for i, ch := range channels {
		if w := f(ch); w != engine.None {
			if err := valve.Watermark(i, w); err != nil {
				return 0, err
			}
		}
	}
	return out.watermark, nil
}

// throughChain applies what the operators of a vertex do to the watermark.
func throughChain(v *model.Vertex, ins []passed) []passed {
	outs := append([]passed{}, ins...)
	for _, op := range v.Chain {
		hold, holds := model.HoldOf(op)
		for i := range outs {
			switch {
			case outs[i].why != "" || outs[i].lo == engine.None:
			case op.Kind == model.KindAssigner || op.Kind == model.KindMiniBatchProc:
				outs[i].why = model.QuoteName(op.Name) + " generates its own watermarks"
			case holds && op.Kind == model.KindMiniBatchRow:
				outs[i].lo -= hold
			case holds:
				outs[i].lo, outs[i].hi = outs[i].lo-hold, outs[i].hi-hold
			}
		}
	}
	return outs
}

// headline is the verdict in a sentence.
func (c *Crosscheck) headline(r analyze.JobReport) string {
	equal, differ := 0, 0
	for _, s := range c.Sources {
		for _, x := range append(append([]Compared{}, s.Splits...), s.Subtasks...) {
			switch x.Verdict {
			case Equal:
				equal++
			case Behind, Ahead:
				differ++
			}
		}
	}
	if len(r.Findings) > 0 && r.Findings[0].Severity != catalog.Info {
		return r.Findings[0].Summary
	}
	if equal+differ == 0 {
		return "Nothing could be compared"
	}
	text := fmt.Sprintf("The cluster does what its strategy says: %d of %d watermarks agree with the records", equal, equal+differ)
	if len(c.Sources) == 1 && c.Sources[0].InForce.Known {
		text += ". Delay in force: " + c.Sources[0].InForce.text()
	}
	return text
}

// Tolerances are the parts of what predictions may differ by, ms of wall clock.
func (s *CrossSource) Tolerances(c *Crosscheck) []model.LagPart {
	parts := []model.LagPart{}
	if !s.OnEvent {
		parts = append(parts, model.LagPart{Part: "emission interval (" + s.IntervalBy + ")", Ms: s.IntervalMs, Certain: true},
			model.LagPart{Part: "a timer that waits for the current record", Ms: s.IntervalMs, Certain: true})
	}
	return append(parts, model.LagPart{Part: "gauges of one metric dump read one after the other", Ms: slackMs, Certain: true},
		model.LagPart{Part: "downstream: buffers and fetches apart", Ms: c.apart(), Certain: true})
}
