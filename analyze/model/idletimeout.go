package model

// Timeouts that a person would declare, s of wall clock.
var idleTimeouts = []int64{10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600}

// IdleTimeoutFor is the idle timeout for a source whose splits are ordinarily silent for at most so long, ms:
// at least twice that, and ten seconds, which a pause of the TaskManager or of the broker may last.
func IdleTimeoutFor(silenceMs int64) int64 {
	for _, s := range idleTimeouts {
		if s*1000 >= 2*silenceMs {
			return s * 1000
		}
	}
	const hour = 3_600_000
	return (2*silenceMs + hour - 1) / hour * hour
}

// ordinaryFactor is how many mean distances of two records an ordinary silence lasts. Twice that is ten: of
// gaps between records that come at random, fewer than one in ten thousand is longer.
const ordinaryFactor = 5

// IdleTimeoutFrom is the idle timeout for a mean distance of two records, ms.
func IdleTimeoutFrom(distanceMs int64) int64 { return IdleTimeoutFor(ordinaryFactor * distanceMs) }

// IdleTimeout is the idle timeout that the silences of a source call for, ms.
func (v *Vertex) IdleTimeout() int64 { return IdleTimeoutFrom(v.UsualGapMs()) }
