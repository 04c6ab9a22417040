package model

// UnitOf names the wrong unit that a watermark has by its size, "" where it is plausible in ms. now is epoch ms.
func UnitOf(ms, now int64) string {
	switch {
	case ms >= 900_000_000 && ms <= 4_300_000_000: // seconds from 1998 to 2106
		return "seconds read as milliseconds"
	case ms > now/2*1000 && ms/2000 < now:
		return "milliseconds multiplied by 1000, or microseconds read as milliseconds"
	case ms/2_000_000 < now && ms/500_000 > now:
		return "nanoseconds read as milliseconds"
	}
	return ""
}

// NearEpochZero reports a watermark within ten days of 1970-01-01: 0 minus a bound, or the 0 that a SQL assigner starts at.
func NearEpochZero(ms int64) bool { return ms > -864_000_000 && ms < 864_000_000 }
