package advise

import (
	"fmt"
	"math/big"
	"strings"
)

// Target is the share of records that may be late, as an exact fraction: 0.1 % of 4000 records
// must be 4 and not 3.9999.
type Target struct {
	Num, Den uint64
	Text     string
}

// ParseTarget reads "0.1%", "0.001" or the percentile of disorder to cover, "p99.9".
func ParseTarget(text string) (Target, error) {
	fail := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("target %q %s: write a share such as 0.1%% or a percentile such as p99.9", text, why)
	}
	in := strings.TrimSpace(text)
	number, percentile := strings.CutPrefix(strings.ToLower(in), "p")
	number, percent := strings.CutSuffix(number, "%")
	number = strings.TrimSpace(number)
	if number == "" || strings.ContainsAny(number, "/eExX_pP") {
		return fail("is not a number")
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return fail("is not a number")
	}
	if percent || percentile {
		r.Quo(r, big.NewRat(100, 1))
	}
	if percentile {
		r.Sub(big.NewRat(1, 1), r)
	}
	if r.Sign() < 0 || r.Cmp(big.NewRat(1, 1)) >= 0 {
		return fail("is outside 0 % to 100 %")
	}
	if !r.Denom().IsUint64() {
		return fail("has too many digits")
	}
	if !percent && !percentile {
		// 0.1 is easily meant as 0.1 %: what was understood is shown in the unit of the answer.
		in = percentText(r)
	}
	return Target{r.Num().Uint64(), r.Denom().Uint64(), in}, nil
}

func percentText(share *big.Rat) string {
	text := new(big.Rat).Mul(share, big.NewRat(100, 1)).FloatString(12)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "%"
}

// Allowed is how many of n records may be late: the fraction of n, rounded down.
func (t Target) Allowed(n uint64) uint64 {
	x := new(big.Int).SetUint64(n)
	x.Mul(x, new(big.Int).SetUint64(t.Num))
	return x.Div(x, new(big.Int).SetUint64(t.Den)).Uint64()
}

// Fraction is the target as a float, for display and comparison with intervals.
func (t Target) Fraction() float64 { return float64(t.Num) / float64(t.Den) }
