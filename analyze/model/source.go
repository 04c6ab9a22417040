package model

import (
	"math"
	"slices"
	"strings"
)

// TotalSplits is the number of splits that the source's subtasks own.
func (v *Vertex) TotalSplits() int {
	n := 0
	for _, s := range v.Subtasks {
		n += len(s.ActiveSplits())
	}
	return n
}

// SplitsTellWatermarks reports a source whose splits have a watermark metric (2.1+).
func SplitsTellWatermarks(v *Vertex) bool {
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			if sp.Watermark.Now.Readable() {
				return true
			}
		}
	}
	return false
}

// Idle reports a split that withIdleness has marked idle; known only since 2.1.
func (s *Split) Idle() (idle, known bool) {
	if rise, ok := s.IdleMs.Rise(); ok && rise > 0 {
		return true, true
	}
	rate, ok := s.IdleRate.Value()
	return rate > 500, ok
}

// Paused reports a split that alignment pauses; known only since 2.1.
func (s *Split) Paused() (paused, known bool) {
	if rise, ok := s.PausedMs.Rise(); ok {
		return rise > 0, true
	}
	rate, ok := s.PausedRate.Value()
	return rate > 0, ok
}

// ActiveSplits lists the splits of a subtask that it still owns.
func (s *Subtask) ActiveSplits() []*Split {
	var out []*Split
	for _, sp := range s.Splits {
		if !sp.Leftover {
			out = append(out, sp)
		}
	}
	return out
}

// AnySplit reports whether any active split of the vertex meets the condition.
func (v *Vertex) AnySplit(is func(*Split) bool) bool {
	return slices.ContainsFunc(v.Subtasks, func(s *Subtask) bool { return slices.ContainsFunc(s.ActiveSplits(), is) })
}

// NamesSplits reports a source whose metrics name splits, so that a subtask without any has none.
func (v *Vertex) NamesSplits() bool {
	for _, s := range v.Subtasks {
		if len(s.Splits) > 0 {
			return true
		}
	}
	return false
}

// Pending is pendingRecords summed over the subtasks; ok is false where no subtask has it.
func (v *Vertex) Pending() (float64, bool) {
	sum := NoGauge()
	for _, s := range v.Subtasks {
		sum = AddGauges(sum, s.Pending)
	}
	return sum.Value()
}

// EmitLag is the smallest and the largest currentEmitEventTimeLag, wall clock minus event time of a record in ms, over
// the subtasks that emitted any; ok is false where none did. Ages of event times in another unit are left out.
func (v *Vertex) EmitLag() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range v.Subtasks {
		if s.Never() {
			continue
		}
		for _, x := range []float64{s.EmitLag.Before, s.EmitLag.Now} {
			if math.IsNaN(x) || x == -1 || v.FetchedMs > 0 && UnitOf(v.FetchedMs-int64(x), v.FetchedMs) != "" {
				continue
			}
			lo, hi, ok = math.Min(lo, x), math.Max(hi, x), true
		}
	}
	return lo, hi, ok
}

// IsSQLScan reports a table source. The timestamps of its records are the connector's, not the rowtime.
func (v *Vertex) IsSQLScan() bool {
	head := v.Head()
	if head == nil {
		return false
	}
	return strings.HasPrefix(head.Text, "TableSourceScan(") || strings.Contains(head.Name, "default_catalog.") ||
		nodeIDOf(head.Name) > 0 || v.hasSQLOperator()
}

// hasSQLOperator finds an operator with a SQL node id in the source's own chain or directly downstream.
func (v *Vertex) hasSQLOperator() bool {
	for _, op := range v.Chain {
		if nodeIDOf(op.Name) > 0 && op.Kind != KindUnknown {
			return true
		}
	}
	for _, e := range v.Out {
		for _, op := range e.To.Chain {
			if nodeIDOf(op.Name) > 0 && op.Kind != KindUnknown {
				return true
			}
		}
	}
	return false
}
