package engine

import "math"

// idleTimer decides at each periodic probe whether a generator is idle; it corresponds to
// WatermarksWithIdleness and its IdlenessTimer. The countdown does not start at the last record,
// but at the first probe that finds no new record. Detection therefore takes up to the timeout
// plus about three emission intervals (FLINK-40503).
type idleTimer struct {
	enabled bool
	marked  bool
	timeout int64
	since   int64 // clock reading at the first quiet probe; 0 is "not started", as in Flink
}

// longestTimeout is the longest timeout (ms) for which Java's Duration.toNanos does not overflow;
// a longer one never expires.
const longestTimeout = math.MaxInt64 / 1_000_000

func newIdleTimer(timeoutMs int64) idleTimer {
	if timeoutMs > longestTimeout {
		timeoutMs = math.MaxInt64
	}
	return idleTimer{enabled: timeoutMs > 0, timeout: timeoutMs}
}

// probe checks for idleness at clock reading now (ms). idle: the generator emits nothing; first:
// this probe made it idle.
func (t *idleTimer) probe(quiet bool, now int64) (idle, first bool) {
	if !quiet {
		t.marked = false
		t.since = 0
		return false, false
	}
	if t.since == 0 {
		t.since = now
		return false, false
	}
	if now-t.since <= t.timeout {
		return false, false
	}
	first = !t.marked
	t.marked = true
	return true, first
}
