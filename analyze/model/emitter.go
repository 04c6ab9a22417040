package model

import "math"

// Emitter is an operator that emits watermarks of its own: a source with a strategy, or an assigner.
type Emitter struct {
	Vertex *Vertex
	At     int // index in the chain
	Op     *Operator
}

// Emitters lists the emitters of a job.
func (j *Job) Emitters() []Emitter {
	var out []Emitter
	for _, v := range j.Vertices {
		out = append(out, j.EmittersOf(v)...)
	}
	return out
}

// AnyKnown reports a source with a subtask or split that has a known watermark.
func (v *Vertex) AnyKnown() bool {
	for _, s := range v.Subtasks {
		if s.SourceOut().Now.IsKnown() {
			return true
		}
		for _, sp := range s.ActiveSplits() {
			if sp.Watermark.Now.IsKnown() {
				return true
			}
		}
	}
	return false
}

// Spot is a split, or where Split is nil a subtask, with the watermark that an emitter gave it.
type Spot struct {
	Subtask *Subtask
	Split   *Split
	Reading Reading
}

// Label names the spot in a sentence.
func (p Spot) Label() string {
	if p.Split != nil {
		return "split " + p.Split.ID
	}
	return SubtaskLabel(p.Subtask)
}

// Spots lists the splits with readable watermarks, and the subtasks that have no such split.
func (e Emitter) Spots() []Spot {
	var out []Spot
	for _, s := range e.Vertex.Subtasks {
		splits := 0
		if e.At == 0 && e.Vertex.IsSource() {
			for _, sp := range s.ActiveSplits() {
				if sp.Watermark.Now.Readable() {
					out = append(out, Spot{s, sp, sp.Watermark})
					splits++
				}
			}
		}
		if splits == 0 && e.At < len(s.Ops) && s.Ops[e.At].Out.Now.Readable() {
			out = append(out, Spot{s, nil, s.Ops[e.At].Out})
		}
	}
	return out
}

// Known keeps the spots with a known watermark.
func Known(spots []Spot) []Spot {
	var out []Spot
	for _, p := range spots {
		if p.Reading.Now.IsKnown() {
			out = append(out, p)
		}
	}
	return out
}

// Lag is the wall clock at the fetch minus the watermark, ms; ok is false where the watermark is not known, or in another
// unit than ms.
func (j *Job) Lag(v *Vertex, r Reading) (ms int64, ok bool) {
	if own, known := r.Now.Millis(); known && UnitOf(own, j.NowMs) != "" {
		return 0, false
	}
	return r.Now.Lag(j.Clock(v))
}

// Clock is the JobManager time that a vertex's gauges belong to.
func (j *Job) Clock(v *Vertex) int64 {
	if v.FetchedMs > 0 {
		return v.FetchedMs
	}
	return j.NowMs
}

// LagRange is the smallest and the largest lag over the spots, ms; ok is false where no spot has one.
func (j *Job) LagRange(v *Vertex, spots []Spot) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, p := range Known(spots) {
		if l, has := j.Lag(v, p.Reading); has {
			lo, hi, ok = min(lo, l), max(hi, l), true
		}
	}
	return lo, hi, ok
}

// AheadMs is how far a watermark must be ahead of the JobManager's clock to be reported: clocks of producers differ by
// less.
const AheadMs = 60_000

// EmittersOf lists the emitters of one vertex.
func (j *Job) EmittersOf(v *Vertex) []Emitter {
	var out []Emitter
	for i, op := range v.Chain {
		isSource := i == 0 && v.IsSource()
		if (isSource || op.Kind == KindAssigner) && op.Out.Now.IsKnown() || isSource && v.AnyKnown() {
			out = append(out, Emitter{v, i, op})
		}
	}
	return out
}
