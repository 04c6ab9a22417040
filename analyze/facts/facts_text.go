package facts

import "tidemark/internal/units"

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
