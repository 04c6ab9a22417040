package model

// idleTimeouts are round values, s of wall clock.
var idleTimeouts = []int64{10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600}

// IdleTimeoutFor is the idle timeout, ms, for a source whose splits are usually silent for at most silenceMs: at least
// twice as long, and at least 10 s, which a pause of the TaskManager or of the broker may last.
func IdleTimeoutFor(silenceMs int64) int64 {
	for _, s := range idleTimeouts {
		if s*1000 >= 2*silenceMs {
			return s * 1000
		}
	}
	const hour = 3_600_000
	return (2*silenceMs + hour - 1) / hour * hour
}

// ordinaryFactor is how many times the mean distance between two records an ordinary silence lasts. The timeout is twice
// that, ten times the mean: of records that come at random, fewer than one gap in 10,000 is longer.
const ordinaryFactor = 5

// IdleTimeoutFrom is the idle timeout for a mean distance between two records of a split, both ms.
func IdleTimeoutFrom(distanceMs int64) int64 { return IdleTimeoutFor(ordinaryFactor * distanceMs) }

// IdleTimeout is the idle timeout for the record rate of a source, ms.
func (v *Vertex) IdleTimeout() int64 { return IdleTimeoutFrom(v.UsualGapMs()) }
