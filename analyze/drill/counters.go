package drill

import (
	"slices"

	"tidemark/analyze/facts"
	"tidemark/analyze/model"
)

// add takes the newest completed checkpoint, if it is new, and the number of failed ones.
func (c *Checkpoints) add(j *model.Job) {
	now := j.Now.Checkpoints
	if now == nil {
		return
	}
	c.Read = true
	failed := float64(now.Counts.Failed)
	c.failed.add(model.Gauge{Now: failed})
	c.Failed = int64(c.failed.sum)
	done := now.Latest.Completed
	if done == nil || done.ID == c.last {
		return
	}
	c.last = done.ID
	c.Size = append(c.Size, Point{j.NowMs, float64(done.StateSize)})
	c.Duration = append(c.Duration, Point{j.NowMs, float64(done.DurationMs)})
}

// addDroppers takes the late counters of every operator that can drop records.
func (r *Run) addDroppers(j *model.Job) {
	for _, op := range facts.Of(j).Operators {
		if !op.Drops {
			continue
		}
		at := slices.IndexFunc(r.Droppers, func(d *Dropper) bool { return d.Of.ID == op.Vertex.ID && d.Operator == op.Name })
		if at < 0 {
			at = len(r.Droppers)
			r.Droppers = append(r.Droppers, &Dropper{Of: op.Vertex, Operator: op.Name})
		}
		r.Droppers[at].add(op)
	}
}

func (d *Dropper) add(op facts.OperatorFacts) {
	switch {
	case !op.Counted && op.Uncounted:
		d.Unread = "it drops late rows without counting them in this version"
	case !op.Counted || !d.dropped.add(op.Dropped):
		if !d.dropped.read {
			d.Unread = "its late counter could not be read"
		}
	default:
		d.Unread, d.Dropped = "", d.dropped.sum
		d.Fed = d.input.add(op.Input)
		d.Input = d.input.sum
	}
}
