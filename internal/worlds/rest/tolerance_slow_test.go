//go:build slow

package rest_test

import (
	"fmt"
	"math"

	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// tolerance is how far a watermark may lie from the recording's, ms.
type tolerance struct {
	emission int64   // periodic emission in the source and again behind it: the phases are not known
	records  int64   // distance of records, and how far the newest of disordered records trails
	clock    int64   // producer's tick, gauges of one dump not read at once
	buffer   int64   // event time in a network buffer before an operator that cannot keep up
	offsets  int64   // records that a partition gets while the producer's clock is unsure, and one
	unit     float64 // of the event times, ms
}

func (x tolerance) total() int64 {
	return int64(math.Ceil(float64(x.emission+x.records+x.clock+x.buffer) * x.unit))
}

func (x tolerance) String() string {
	return fmt.Sprintf("%d = (emission %d + records %d + clocks %d + buffer %d ms) * %g", x.total(), x.emission, x.records, x.clock, x.buffer, x.unit)
}

// full is the event time in a buffer of 32 KiB: an operator reads a whole buffer from one channel before it reads the
// next.
func full(op job.Operator, sourceRate int64) int64 {
	const bytes, record = 32 << 10, 30 // a record of the lab: "k12,1796011286484", its timestamp and length
	if op.CostMs == 0 {
		return 0
	}
	return 1000 * bytes / record / sourceRate
}

// unit is one millisecond in the unit of the event times of a job.
func unit(op job.Operator) float64 {
	if op.Source == nil {
		return 1
	}
	for _, s := range op.Source.Splits {
		for _, p := range s.Records.(records.Schedule).Phases {
			return math.Max(float64(p.Times), 1) / math.Max(float64(p.Per), 1)
		}
	}
	return 1
}

// trail is how far the newest event time of a partition is behind the clock, ms, exceeded in one of ten thousand moments.
// The probability that none of its last records is nearer than x is the product of the probabilities of each.
func trail(everyMs, lateMs float64) int64 {
	for x := everyMs; ; x += 10 {
		miss := 1.0
		for age := everyMs; age < x; age += everyMs {
			miss *= 1 - math.Min((x-age)/math.Max(lateMs, 1), 1)
		}
		if miss < 1e-4 {
			return int64(x)
		}
	}
}
