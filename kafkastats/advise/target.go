package advise

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"tidemark/internal/units"
)

// Target is the share of records that may be late, as an exact fraction: 0.1 % of 4000 records
// must be 4, not 3.9999.
type Target struct {
	Num, Den uint64
	Text     string
}

// ParseTarget reads a share of the records, "0.1%", or the percentile of disorder to cover,
// "p99.9". The error continues a sentence that begins with the input, as those of package units
// do.
func ParseTarget(text string) (Target, error) {
	in := strings.TrimSpace(text)
	number, percentile := strings.CutPrefix(strings.ToLower(in), "p")
	if percentile {
		number = strings.TrimSuffix(number, "%") + "%"
	}
	r, err := units.ParseShare(number)
	switch {
	case err != nil && percentile:
		return Target{}, errors.New("write a percentile such as p99.9")
	case err != nil:
		return Target{}, fmt.Errorf("%w; or a percentile of disorder such as p99.9", err)
	case percentile:
		r.Sub(big.NewRat(1, 1), r)
	}
	if r.Cmp(big.NewRat(1, 1)) >= 0 {
		return Target{}, errors.New("it must be below 100%")
	}
	return Target{r.Num().Uint64(), r.Denom().Uint64(), in}, nil
}

// Allowed is the number of n records that may be late: the fraction of n, rounded down.
func (t Target) Allowed(n uint64) uint64 {
	x := new(big.Int).SetUint64(n)
	x.Mul(x, new(big.Int).SetUint64(t.Num))
	return x.Div(x, new(big.Int).SetUint64(t.Den)).Uint64()
}

// Fraction is the target as a float, for display and comparison with intervals.
func (t Target) Fraction() float64 { return float64(t.Num) / float64(t.Den) }
