package measure

import (
	"fmt"
	"maps"
	"slices"
)

// Merge adds the counts of o, which must be measured with the same windows and idle timeout over
// other offsets: an *Overlap error leaves m unchanged. The order of merging does not matter.
func (m *Measurement) Merge(o *Measurement) error {
	if !slices.Equal(m.Windows, o.Windows) || m.IdleMs != o.IdleMs {
		return fmt.Errorf("merge measurements: windows %v and idle timeout %d ms against %v and %d ms: measure both alike", m.Windows, m.IdleMs, o.Windows, o.IdleMs)
	}
	if overlap := m.Overlap(o); overlap != nil {
		return overlap
	}
	for _, id := range o.IDs() {
		m.partition(id).merge(o.Partitions[id])
	}
	for _, hour := range slices.Sorted(maps.Keys(o.Topic)) {
		if m.Topic[hour] == nil {
			m.Topic[hour] = newTopicCell()
		}
		m.Topic[hour].Merge(o.Topic[hour])
	}
	for hour, steps := range o.Steps {
		if m.Steps[hour] == nil {
			m.Steps[hour] = Steps{}
		}
		m.Steps[hour].Merge(steps)
	}
	switch {
	case o.Span.N == 0:
	case m.Span.N == 0 && o.Periodic != nil:
		m.Periodic = newPeriodic(o.Periodic.EmitMs)
		m.Periodic.merge(o.Periodic)
	case m.Periodic != nil && o.Periodic != nil && m.Periodic.EmitMs == o.Periodic.EmitMs:
		m.Periodic.merge(o.Periodic)
	default:
		m.Periodic = nil
	}
	m.Blocks.Merge(&o.Blocks)
	m.Joint.Merge(&o.Joint)
	m.Span.Merge(o.Span)
	return nil
}

func (p *Partition) merge(o *Partition) {
	p.Ranges = join(p.Ranges, o.Ranges)
	for _, hour := range slices.Sorted(maps.Keys(o.Cells)) {
		if p.Cells[hour] == nil {
			p.Cells[hour] = newCell(nil, nil)
		}
		p.Cells[hour].Merge(o.Cells[hour])
	}
	p.Slots.Merge(o.Slots)
	p.Jumps += o.Jumps
	p.Confluent.Merge(&o.Confluent)
	p.Futures = append(p.Futures, o.Futures...)
	slices.SortFunc(p.Futures, func(a, b Future) int { return compare(a.Offset, b.Offset) })
	p.Futures = p.Futures[:min(len(p.Futures), maxFutures)]
}

// Overlap says that two measurements counted the same records.
type Overlap struct {
	Partition int32
	A, B      Range
}

func (o *Overlap) Error() string {
	return fmt.Sprintf("partition %d: offsets %d to %d and offsets %d to %d overlap: their records would count twice",
		o.Partition, o.A.From, o.A.To-1, o.B.From, o.B.To-1)
}

// Overlap finds the first ranges that both measurements counted; nil: none.
func (m *Measurement) Overlap(o *Measurement) *Overlap {
	for _, id := range o.IDs() {
		p := m.Partitions[id]
		if p == nil {
			continue
		}
		for _, b := range o.Partitions[id].Ranges {
			for _, a := range p.Ranges {
				if max(a.From, b.From) < min(a.To, b.To) {
					return &Overlap{id, a, b}
				}
			}
		}
	}
	return nil
}

// join merges offset ranges that do not overlap; empty ones are dropped.
func join(a, b []Range) []Range {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y Range) int { return compare(x.From, y.From) })
	var out []Range
	for _, r := range all {
		n := len(out)
		switch {
		case r.From >= r.To:
		case n > 0 && r.From == out[n-1].To:
			out[n-1].To = r.To
		default:
			out = append(out, r)
		}
	}
	return out
}
