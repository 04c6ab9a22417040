package model

import (
	"math"
)

// Emitter is an operator that makes watermarks: a source with a strategy, or an assigner.
type Emitter struct {
	Vertex *Vertex
	At     int // index in the chain
	Op     *Operator
}

// Emitters lists who makes the event time of a job.
func (j *Job) Emitters() []Emitter {
	var out []Emitter
	for _, v := range j.Vertices {
		out = append(out, j.EmittersOf(v)...)
	}
	return out
}

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

// Spot is one place where an emitter shows a watermark: a split, or a subtask.
type Spot struct {
	Subtask *Subtask
	Split   *Split
	Reading Reading
}

func (p Spot) Label() string {
	if p.Split != nil {
		return "split " + p.Split.ID
	}
	return SubtaskLabel(p.Subtask)
}

// Spots lists the splits where their watermarks are visible, the subtasks elsewhere.
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

// Known keeps the spots that have a number.
func Known(spots []Spot) []Spot {
	var out []Spot
	for _, p := range spots {
		if p.Reading.Now.IsKnown() {
			out = append(out, p)
		}
	}
	return out
}

// Lag is wall clock at the fetch minus the spot's watermark, ms.
// ok is false for an event time in another unit: its distance to the clock means nothing.
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

// minLag and maxLag over spots with a number; ok is false where there is none.
func (j *Job) LagRange(v *Vertex, spots []Spot) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, p := range Known(spots) {
		if l, has := j.Lag(v, p.Reading); has {
			lo, hi, ok = min(lo, l), max(hi, l), true
		}
	}
	return lo, hi, ok
}

// AheadMs is how far ahead of the JobManager clock event time must be; clocks of producers differ by less.
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
