package model

import "math"

// Offsets of time zones are multiples of a quarter of an hour, up to 14 h.
const (
	QuarterMs   = 15 * 60_000
	ZoneSlackMs = 2 * 60_000 // how far a lag may be from such a multiple
	ZoneMost    = 56         // quarters of an hour
)

// ZoneOf is the multiple of a quarter of an hour that the lag is within 2 min of, 0 where there is none.
func ZoneOf(lagMs float64) int {
	k := int(math.Round(lagMs / QuarterMs))
	if k == 0 || k < -ZoneMost || k > ZoneMost || math.Abs(lagMs-float64(k)*QuarterMs) > ZoneSlackMs {
		return 0
	}
	return k
}
