package measure

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
)

// HourMs is the width of a cell in arrival time.
const HourMs = 3_600_000

// Measurement is everything counted about a topic. The sum of two measurements of different
// offset ranges is the measurement of both.
type Measurement struct {
	Partitions map[int32]*Partition `json:"partitions"`
	Topic      map[int64]*TopicCell `json:"topic"` // by hour: arrival ms / HourMs
	Steps      map[int64]Steps      `json:"steps"` // disorder of all partitions by hour
	Blocks     Blocks               `json:"blocks"`
	Joint      Joint                `json:"joint,omitzero"` // transport delay against disorder
	IdleMs     int64                `json:"idle_ms"`
	Windows    []int64              `json:"windows"`
	Span       Span                 `json:"span"`
	Periodic   *Periodic            `json:"periodic,omitzero"`     // nil: not requested, or only for a part
	CountsOnly bool                 `json:"counts_only,omitempty"` // from FromCounts: one cell for all hours, nothing across partitions
}

// Span is the range of what was counted, in epoch ms; all zero if N is zero.
type Span struct {
	N            uint64 `json:"n"`
	FirstArrival int64  `json:"first_arrival"`
	LastArrival  int64  `json:"last_arrival"`
	FirstEvent   int64  `json:"first_event"`
	LastEvent    int64  `json:"last_event"`
}

func (s *Span) see(arrival, event int64) {
	if s.N == 0 {
		*s = Span{1, arrival, arrival, event, event}
		return
	}
	s.N++
	s.FirstArrival, s.LastArrival = min(s.FirstArrival, arrival), max(s.LastArrival, arrival)
	s.FirstEvent, s.LastEvent = min(s.FirstEvent, event), max(s.LastEvent, event)
}

// Merge extends the range by another.
func (s *Span) Merge(o Span) {
	switch {
	case o.N == 0:
	case s.N == 0:
		*s = o
	default:
		s.N += o.N
		s.FirstArrival, s.LastArrival = min(s.FirstArrival, o.FirstArrival), max(s.LastArrival, o.LastArrival)
		s.FirstEvent, s.LastEvent = min(s.FirstEvent, o.FirstEvent), max(s.LastEvent, o.LastEvent)
	}
}

// Partition is everything counted about one partition.
type Partition struct {
	Cells     map[int64]*Cell `json:"cells"` // by hour: arrival ms / HourMs
	Slots     Slots           `json:"slots"`
	Futures   []Future        `json:"futures,omitempty"` // the first few
	Confluent Recent          `json:"confluent"`
	Ranges    []Range         `json:"ranges"`
	Jumps     uint64          `json:"jumps"` // offsets missing between consecutive records that the source did not explain
}

// Range is a run of offsets [From, To) that was counted.
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Future is a quarantined record.
type Future struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
	Event     int64 `json:"event_ms"`
	Arrival   int64 `json:"arrival_ms"`
}

// maxFutures is the number of quarantined records listed per partition; all are counted.
const maxFutures = 10

func newPartition() *Partition {
	return &Partition{Cells: map[int64]*Cell{}}
}

// New makes an empty measurement.
func New(windows []int64, idleMs int64) *Measurement {
	return &Measurement{Partitions: map[int32]*Partition{}, Topic: map[int64]*TopicCell{}, Steps: map[int64]Steps{}, Blocks: Blocks{Shift: finest}, Windows: windows, IdleMs: idleMs}
}

func (m *Measurement) partition(id int32) *Partition {
	p := m.Partitions[id]
	if p == nil {
		p = newPartition()
		m.Partitions[id] = p
	}
	return p
}

// Empty reports whether no record was read.
func (m *Measurement) Empty() bool {
	for _, p := range m.Partitions {
		if p.Total().Seen() > 0 {
			return false
		}
	}
	return true
}

// IDs are the partitions in order.
func (m *Measurement) IDs() []int32 { return slices.Sorted(maps.Keys(m.Partitions)) }

// Total adds up the hours of a partition.
func (p *Partition) Total() *Cell {
	sum := newCell(nil, nil)
	for _, hour := range slices.Sorted(maps.Keys(p.Cells)) {
		sum.Merge(p.Cells[hour])
	}
	return sum
}

// Total adds up all partitions.
func (m *Measurement) Total() *Cell {
	sum := newCell(nil, nil)
	for _, id := range m.IDs() {
		p := m.Partitions[id]
		for _, hour := range slices.Sorted(maps.Keys(p.Cells)) {
			sum.Merge(p.Cells[hour])
		}
	}
	return sum
}

// TopicTotal adds up the hours of the cross-partition statistics.
func (m *Measurement) TopicTotal() *TopicCell {
	sum := newTopicCell()
	for _, hour := range slices.Sorted(maps.Keys(m.Topic)) {
		sum.Merge(m.Topic[hour])
	}
	return sum
}

// StepTotal adds up the hours.
func (m *Measurement) StepTotal() Steps {
	sum := Steps{}
	for _, s := range m.Steps {
		sum.Merge(s)
	}
	return sum
}

// Hours gives the disorder of all partitions by hour of arrival.
func (m *Measurement) Hours() map[int64]*hist.Histogram {
	out := map[int64]*hist.Histogram{}
	for _, id := range m.IDs() {
		for hour, c := range m.Partitions[id].Cells {
			if out[hour] == nil {
				out[hour] = &hist.Histogram{}
			}
			out[hour].Merge(c.Own)
		}
	}
	return out
}

// Episodes adds up the separate episodes beyond d and counts the partitions with at least one.
func (m *Measurement) Episodes(d int64) (episodes, partitions int) {
	for _, p := range m.Partitions {
		if n := p.Slots.Episodes(d); n > 0 {
			episodes += n
			partitions++
		}
	}
	return episodes, partitions
}
