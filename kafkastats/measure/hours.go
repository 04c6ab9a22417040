package measure

import (
	"maps"
	"slices"
)

// Only keeps the hours of arrival that want selects; hour is arrival ms / HourMs. Statistics that
// are not kept by hour stay complete: offsets, the last events of a partition, the range of event
// time. Transport delay against disorder is not kept by hour, so it is left out.
func (m *Measurement) Only(want func(hour int64) bool) *Measurement {
	out := New(m.Windows, m.IdleMs)
	out.Span = Span{FirstEvent: m.Span.FirstEvent, LastEvent: m.Span.LastEvent}
	for _, id := range m.IDs() {
		p := m.Partitions[id]
		kept := out.partition(id)
		kept.Ranges, kept.Jumps, kept.Confluent = p.Ranges, p.Jumps, p.Confluent
		for hour, c := range p.Cells {
			if want(hour) {
				kept.Cells[hour] = c
				out.Span.N += c.Records
			}
		}
		kept.Slots.Shift = p.Slots.Shift
		for slot, w := range p.Slots.Worst {
			if want(floorDiv(w.At, HourMs)) {
				kept.Slots.add(slot<<p.Slots.Shift, w)
			}
		}
		for _, f := range p.Futures {
			if want(floorDiv(f.Arrival, HourMs)) {
				kept.Futures = append(kept.Futures, f)
			}
		}
	}
	for hour, c := range m.Topic {
		if want(hour) {
			out.Topic[hour] = c
		}
	}
	for hour, s := range m.Steps {
		if want(hour) {
			out.Steps[hour] = s
		}
	}
	out.blocksFromHours()
	if hours := slices.Sorted(maps.Keys(out.Hours())); len(hours) > 0 && out.Span.N > 0 {
		out.Span.FirstArrival = max(m.Span.FirstArrival, hours[0]*HourMs)
		out.Span.LastArrival = min(m.Span.LastArrival, (hours[len(hours)-1]+1)*HourMs-1)
	}
	return out
}

// blocksFromHours uses each hour as a block: finer ones may mix selected hours with others.
func (m *Measurement) blocksFromHours() {
	m.Blocks = Blocks{Shift: hourShift}
	byHour := m.Hours()
	for _, hour := range slices.Sorted(maps.Keys(byHour)) {
		m.Blocks.at(m.Blocks.number(hour * HourMs)).Merge(byHour[hour])
	}
}

// hourShift is the first block width above an hour.
const hourShift = 12

const (
	weekHours = 7 * 24
	eraHours  = 4 * weekHours
)

// Fold merges hours before the given one that are the same hour of the week within the same four
// weeks, so that a profile of months stays small. The result has the time of the first of these
// weeks: a real time, so that its local hour in a zone is known, except in weeks in which
// daylight saving changes. Folding twice changes nothing.
func (m *Measurement) Fold(before int64) {
	place := func(hour int64) int64 {
		if hour >= before {
			return hour
		}
		return floorDiv(hour, eraHours)*eraHours + (hour - floorDiv(hour, weekHours)*weekHours)
	}
	for _, p := range m.Partitions {
		cells := map[int64]*Cell{}
		for _, hour := range slices.Sorted(maps.Keys(p.Cells)) {
			if at := place(hour); cells[at] == nil {
				cells[at] = p.Cells[hour]
			} else {
				cells[at].Merge(p.Cells[hour])
			}
		}
		for _, c := range cells {
			c.pack()
		}
		p.Cells = cells
	}
	topic, steps := map[int64]*TopicCell{}, map[int64]Steps{}
	for _, hour := range slices.Sorted(maps.Keys(m.Topic)) {
		if at := place(hour); topic[at] == nil {
			topic[at] = m.Topic[hour]
		} else {
			topic[at].Merge(m.Topic[hour])
		}
	}
	for hour, s := range m.Steps {
		at := place(hour)
		if steps[at] == nil {
			steps[at] = Steps{}
		}
		steps[at].Merge(s)
	}
	for _, c := range topic {
		c.pack()
	}
	m.Topic, m.Steps = topic, steps
}

// LastHour is the latest hour of arrival; ok is false if there is none.
func (m *Measurement) LastHour() (hour int64, ok bool) {
	for _, p := range m.Partitions {
		for h := range p.Cells {
			if !ok || h > hour {
				hour, ok = h, true
			}
		}
	}
	return hour, ok
}
