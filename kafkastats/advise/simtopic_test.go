package advise

import (
	"cmp"
	"slices"

	"tidemark/kafkastats/record"
)

// simTopic is an invented topic: events at a fixed spacing, each with a delay that its kind draws.
type simTopic struct {
	spacingMs float64
	delay     func(i int, atMs float64) float64 // ms; called in order of event time
}

// points are n records in order of arrival.
func (s simTopic) points(n int) []record.Point {
	out := make([]record.Point, n)
	for i := range out {
		at := float64(i) * s.spacingMs
		event := epoch + int64(at)
		out[i] = record.Point{Event: event, Arrival: event + max(1, int64(s.delay(i, at))), Type: record.AppendTime}
	}
	slices.SortStableFunc(out, func(a, b record.Point) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for i := range out {
		out[i].Offset, out[i].First = int64(i), i == 0
	}
	return out
}
