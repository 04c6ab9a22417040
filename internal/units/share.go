package units

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// SharePattern is what ParseShare reads, as a regular expression of a JSON Schema.
const SharePattern = `^(0|[0-9]{1,3}(\.[0-9]{1,12})? *%)$`

var (
	shareForm   = regexp.MustCompile(SharePattern)
	plainNumber = regexp.MustCompile(`^[0-9]{0,3}(\.[0-9]{1,12})?$`)
)

// ParseShare reads a share in percent, exactly: "0.1%", "0.82 %". The percent sign is required,
// because 0.1 could mean 0.1% or 10%; only 0 needs none.
func ParseShare(text string) (*big.Rat, error) {
	s := strings.TrimSpace(text)
	if !shareForm.MatchString(s) {
		return nil, noShare(s)
	}
	share, _ := new(big.Rat).SetString(strings.TrimRight(s, " %")) // the form allows nothing else
	if share.Quo(share, hundred).Cmp(one) > 0 {
		return nil, errors.New("a share is at most 100%")
	}
	return share, nil
}

var one, hundred = big.NewRat(1, 1), big.NewRat(100, 1)

// noShare says what to write instead of text.
func noShare(text string) error {
	number, ok := new(big.Rat).SetString(text)
	switch {
	case !ok || !plainNumber.MatchString(text) || number.Cmp(hundred) > 0:
		return errors.New("write a share such as 0.1%")
	case number.Cmp(one) <= 0:
		return fmt.Errorf("add the percent sign: write %s%% or %s%%", decimal(new(big.Rat).Mul(number, hundred)), decimal(number))
	}
	return fmt.Errorf("add the percent sign: write %s%%", decimal(number))
}

func decimal(r *big.Rat) string {
	s := r.FloatString(12)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Share writes a share of 1 in percent with three significant digits: "0.82 %", "12.3 %". A share
// above 0 is never written as 0 %, and one below 1 never as 100 %.
func Share(f float64) string {
	percent, _ := strconv.ParseFloat(strconv.FormatFloat(100*f, 'g', 3, 64), 64)
	if f > 0.999 && f < 1 {
		percent = math.Min(math.Floor(1e6*f)/1e4, 99.9999)
	}
	return strconv.FormatFloat(percent, 'f', -1, 64) + " %"
}
