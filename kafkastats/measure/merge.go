package measure

import (
	"fmt"
	"maps"
	"slices"
)

// Merge adds the counts of o, which must have been measured with the same windows and idle timeout
// over other offsets. The order of merging does not matter.
func (m *Measurement) Merge(o *Measurement) error {
	if !slices.Equal(m.Windows, o.Windows) || m.IdleMs != o.IdleMs {
		return fmt.Errorf("merge measurements: windows %v and idle timeout %d ms against %v and %d ms: measure both alike", m.Windows, m.IdleMs, o.Windows, o.IdleMs)
	}
	for _, id := range o.IDs() {
		if err := m.partition(id).merge(o.Partitions[id]); err != nil {
			return fmt.Errorf("merge partition %d: %w", id, err)
		}
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
	m.Blocks.Merge(&o.Blocks)
	m.Joint.Merge(&o.Joint)
	m.Span.merge(o.Span)
	return nil
}

func (p *Partition) merge(o *Partition) error {
	ranges, err := join(p.Ranges, o.Ranges)
	if err != nil {
		return err
	}
	p.Ranges = ranges
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
	slices.SortFunc(p.Futures, func(a, b Future) int { return int(a.Offset - b.Offset) })
	p.Futures = p.Futures[:min(len(p.Futures), maxFutures)]
	return nil
}

// join unites offset ranges and refuses any offset counted twice.
func join(a, b []Range) ([]Range, error) {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y Range) int {
		if x.From != y.From {
			return int(min(max(x.From-y.From, -1), 1))
		}
		return int(min(max(x.To-y.To, -1), 1))
	})
	var out []Range
	for _, r := range all {
		n := len(out)
		switch {
		case n > 0 && r.From < out[n-1].To:
			return nil, fmt.Errorf("offsets %d to %d are in both measurements", r.From, min(r.To, out[n-1].To)-1)
		case n > 0 && r.From == out[n-1].To:
			out[n-1].To = r.To
		default:
			out = append(out, r)
		}
	}
	return out, nil
}
