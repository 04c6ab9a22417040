package hist

import (
	"encoding/json"
	"errors"
	"fmt"
)

// wire is the sparse form: bucket index and count alternate, in order of the index.
type wire struct {
	SubBits int      `json:"sub_bits"`
	N       uint64   `json:"n"`
	Zero    uint64   `json:"zero,omitempty"`
	Min     int64    `json:"min"`
	Max     int64    `json:"max"`
	Pos     []uint64 `json:"pos,omitempty"`
	Neg     []uint64 `json:"neg,omitempty"`
}

// MarshalJSON writes the sparse form without exact values: a profile must stay mergeable with
// hours that were measured without them.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	return json.Marshal(wire{SubBits, h.n, h.zero, h.min, h.max, h.pos.flat(), h.neg.flat()})
}

func (c *counts) flat() []uint64 {
	var out []uint64
	c.each(func(i int, n uint64) bool { out = append(out, uint64(i), n); return true })
	return out
}

// UnmarshalJSON reads the sparse form and refuses an inconsistent one.
func (h *Histogram) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	if w.SubBits != SubBits {
		return fmt.Errorf("histogram: %d sub-bits, this version reads %d", w.SubBits, SubBits)
	}
	got := Histogram{n: w.N, zero: w.Zero, min: w.Min, max: w.Max}
	pos, err := got.pos.fill(w.Pos)
	if err != nil {
		return err
	}
	neg, err := got.neg.fill(w.Neg)
	if err != nil {
		return err
	}
	switch sum := pos + neg + w.Zero; {
	case sum < pos || sum != w.N:
		return fmt.Errorf("histogram: buckets hold %d values, header says %d", sum, w.N)
	case w.Min > w.Max, w.N == 0 && (w.Min != 0 || w.Max != 0):
		return errors.New("histogram: min and max contradict the counts")
	case pos > 0 && !inLast(w.Pos, w.Max), pos == 0 && w.Max > 0:
		return errors.New("histogram: max is not in the last bucket")
	case neg > 0 && (w.Min >= 0 || !inLast(w.Neg, -w.Min)), neg == 0 && w.Min < 0:
		return errors.New("histogram: min is not in the last negative bucket")
	}
	*h = got
	return nil
}

func inLast(flat []uint64, v int64) bool {
	return v > 0 && uint64(Index(uint64(v))) == flat[len(flat)-2]
}

func (c *counts) fill(flat []uint64) (sum uint64, err error) {
	if len(flat)%2 != 0 {
		return 0, errors.New("histogram: a bucket without a count")
	}
	c.packed = make([]pair, 0, len(flat)/2)
	for i := 0; i < len(flat); i += 2 {
		index, n := flat[i], flat[i+1]
		switch {
		case index > MaxIndex:
			return 0, fmt.Errorf("histogram: bucket %d does not exist", index)
		case i > 0 && index <= flat[i-2]:
			return 0, fmt.Errorf("histogram: bucket %d is out of order", index)
		case index == 0, n == 0, sum+n < sum:
			return 0, fmt.Errorf("histogram: bucket %d has an impossible count %d", index, n)
		}
		sum += n
		c.packed = append(c.packed, pair{int(index), n})
	}
	return sum, nil
}
