package analyze

import "math"

// emitter is an operator that makes watermarks: a source with a strategy, or an assigner.
type emitter struct {
	vertex *Vertex
	at     int // index in the chain
	op     *Operator
}

// emitters lists who makes the event time of a job.
func (j *Job) emitters() []emitter {
	var out []emitter
	for _, v := range j.Vertices {
		for i, op := range v.Chain {
			isSource := i == 0 && v.IsSource()
			if (isSource || op.Kind == KindAssigner) && op.Out.Now.IsKnown() || isSource && v.anyKnown() {
				out = append(out, emitter{v, i, op})
			}
		}
	}
	return out
}

// eachEmitter gathers what judge finds at the emitters of a job.
func (j *Job) eachEmitter(judge func(*Job, emitter) (Finding, bool)) []Finding {
	var out []Finding
	for _, e := range j.emitters() {
		if f, ok := judge(j, e); ok {
			out = append(out, f)
		}
	}
	return out
}

func (v *Vertex) anyKnown() bool {
	for _, s := range v.Subtasks {
		if s.SourceOut().Now.IsKnown() {
			return true
		}
		for _, sp := range s.activeSplits() {
			if sp.Watermark.Now.IsKnown() {
				return true
			}
		}
	}
	return false
}

// spot is one place where an emitter shows a watermark: a split, or a subtask.
type spot struct {
	subtask *Subtask
	split   *Split
	reading Reading
}

func (p spot) label() string {
	if p.split != nil {
		return "split " + p.split.ID
	}
	return subtaskLabel(p.subtask)
}

// spots lists the splits where their watermarks are visible, the subtasks elsewhere.
func (e emitter) spots() []spot {
	var out []spot
	for _, s := range e.vertex.Subtasks {
		splits := 0
		if e.at == 0 && e.vertex.IsSource() {
			for _, sp := range s.activeSplits() {
				if sp.Watermark.Now.Readable() {
					out = append(out, spot{s, sp, sp.Watermark})
					splits++
				}
			}
		}
		if splits == 0 && e.at < len(s.Ops) && s.Ops[e.at].Out.Now.Readable() {
			out = append(out, spot{s, nil, s.Ops[e.at].Out})
		}
	}
	return out
}

// known keeps the spots that have a number.
func known(spots []spot) []spot {
	var out []spot
	for _, p := range spots {
		if p.reading.Now.IsKnown() {
			out = append(out, p)
		}
	}
	return out
}

// lag is wall clock at the fetch minus the spot's watermark, ms.
func (j *Job) lag(v *Vertex, r Reading) (int64, bool) { return r.Now.Lag(j.clock(v)) }

// clock is the JobManager time that a vertex's gauges belong to.
func (j *Job) clock(v *Vertex) int64 {
	if v.FetchedMs > 0 {
		return v.FetchedMs
	}
	return j.NowMs
}

// minLag and maxLag over spots with a number; ok is false where there is none.
func (j *Job) lagRange(v *Vertex, spots []spot) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, p := range known(spots) {
		if l, has := j.lag(v, p.reading); has {
			lo, hi, ok = min(lo, l), max(hi, l), true
		}
	}
	return lo, hi, ok
}
