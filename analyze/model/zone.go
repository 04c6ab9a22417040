package model

import (
	"math"
)

const (
	QuarterMs   = 15 * 60_000
	ZoneSlackMs = 2 * 60_000
	ZoneMost    = 56 // quarters of an hour: 14 h
)

// ZoneOf is the number of quarter hours that lag is near to, 0 where it is near none.
func ZoneOf(lagMs float64) int {
	k := int(math.Round(lagMs / QuarterMs))
	if k == 0 || k < -ZoneMost || k > ZoneMost || math.Abs(lagMs-float64(k)*QuarterMs) > ZoneSlackMs {
		return 0
	}
	return k
}
