package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
)

// jointBins is how many coarse bins each side of a Joint has: one below zero, one up to 4 ms, then
// two for every doubling up to 35 years.
const jointBins = 80

// Joint counts transport delay against disorder, both of the same record, in coarse bins: 51 KB
// in all cases. A delay of the pipeline shows as a band next to the diagonal, devices that report
// late as a separate cloud, a wrong time zone as a line. The zero value is empty.
type Joint struct {
	n     uint64
	cells *[jointBins * jointBins]uint64 // row: transport, column: disorder; nil: empty
}

// JointCell is one bin that is not empty. From and To in ms, To exclusive; From nil: below zero,
// To nil: no upper limit.
type JointCell struct {
	TransportFrom, TransportTo *int64
	DisorderFrom, DisorderTo   *int64
	Records                    uint64
}

// rootTwo[k] is the smallest integer at or above 2^(k+1/2): bins are equally wide on a log scale.
var rootTwo = func() (edges [64]int64) {
	for k := range 62 {
		// The root of 2^(2k+1), from the digits of the root of two: 2^62.5 rounds up from 2^62 *
		// 1.414…
		edges[k] = int64(uint64(6521908912666391106)>>(62-k)) + 1
	}
	return edges
}()

func jointBin(v int64) int {
	switch {
	case v < 0:
		return 0
	case v < 4:
		return 1
	}
	k := bits.Len64(uint64(v)) - 1
	bin := 2*k - 2
	if k >= 62 || v >= rootTwo[k] {
		bin++
	}
	return min(bin, jointBins-1)
}

func jointEdges(bin int) (from, to *int64) {
	edge := func(bin int) *int64 {
		var v int64
		if bin > 1 {
			k := (bin + 2) / 2
			if v = 1 << k; bin%2 == 1 {
				v = rootTwo[k]
			}
		}
		return &v
	}
	if bin > 0 {
		from = edge(bin)
	}
	if bin < jointBins-1 {
		to = edge(bin + 1)
	}
	return from, to
}

func (j *Joint) add(transport, disorder int64) {
	if j.cells == nil {
		j.cells = new([jointBins * jointBins]uint64)
	}
	j.cells[jointBin(transport)*jointBins+jointBin(disorder)]++
	j.n++
}

// Count is the number of records with a running maximum and a Kafka timestamp.
func (j *Joint) Count() uint64 { return j.n }

// Merge adds the counts of o.
func (j *Joint) Merge(o *Joint) {
	if o.cells == nil {
		return
	}
	if j.cells == nil {
		j.cells = new([jointBins * jointBins]uint64)
	}
	for i, n := range o.cells {
		j.cells[i] += n
	}
	j.n += o.n
}

// Cells returns the bins that are not empty, by transport delay, then disorder.
func (j *Joint) Cells() []JointCell {
	var out []JointCell
	if j.cells == nil {
		return nil
	}
	for i, n := range j.cells {
		if n == 0 {
			continue
		}
		c := JointCell{Records: n}
		c.TransportFrom, c.TransportTo = jointEdges(i / jointBins)
		c.DisorderFrom, c.DisorderTo = jointEdges(i % jointBins)
		out = append(out, c)
	}
	return out
}

// IsZero leaves an empty one out of a profile.
func (j Joint) IsZero() bool { return j.n == 0 }

// MarshalJSON writes position and count alternately, in order of position.
func (j Joint) MarshalJSON() ([]byte, error) {
	flat := []uint64{}
	if j.cells != nil {
		for i, n := range j.cells {
			if n > 0 {
				flat = append(flat, uint64(i), n)
			}
		}
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (j *Joint) UnmarshalJSON(b []byte) error {
	var flat []uint64
	if err := json.Unmarshal(b, &flat); err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	if len(flat)%2 != 0 {
		return errors.New("joint: a position without a count")
	}
	*j = Joint{}
	for i := 0; i < len(flat); i += 2 {
		at, n := flat[i], flat[i+1]
		if at >= jointBins*jointBins || n == 0 || j.n+n < j.n || i > 0 && at <= flat[i-2] {
			return fmt.Errorf("joint: impossible position %d with count %d", at, n)
		}
		if j.cells == nil {
			j.cells = new([jointBins * jointBins]uint64)
		}
		j.cells[at] = n
		j.n += n
	}
	return nil
}
