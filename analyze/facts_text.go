package analyze

import (
	"strconv"

	"tidemark/internal/units"
)

// String writes what is known of an idle timeout.
func (f IdleFact) String() string {
	switch {
	case f.State == IdleUnset:
		return "none"
	case f.State == IdleUnknown:
		return "unknown"
	case f.HighMs == 0:
		return "set, of unknown length"
	case f.LowMs == f.HighMs:
		return units.Duration(f.HighMs)
	}
	return units.Duration(f.LowMs) + " to " + units.Duration(f.HighMs)
}

// String says what tells the delay.
func (b Bound) String() string {
	text := units.Duration(b.Ms)
	switch {
	case b.Declared:
		if b.Where != "" {
			return text + " (declared in " + b.Where + ")"
		}
		return text + " (declared in the plan)"
	case b.Upper:
		return "at most " + text + " (the age of the rows is in it)"
	}
	return "about " + text + " (inferred from the gauges)"
}

// Tolerance is how far an inferred delay may be off: the gauges are whole milliseconds, but records
// arrive between a watermark and the reading of it.
func (b Bound) Tolerance() int64 {
	if b.Declared {
		return 0
	}
	return max(1000, b.Ms/5)
}

// SplitText is the number of splits for a sentence.
func (s SourceFacts) SplitText() string {
	if !s.SplitsKnown {
		return "an unknown number of splits"
	}
	return strconv.Itoa(s.Splits) + " splits"
}
