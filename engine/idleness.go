package engine

import "math"

// idleTimer decides at each periodic probe whether a generator is idle; it
// stands for WatermarksWithIdleness and its IdlenessTimer. Nothing is measured
// from the last record: the countdown starts at the first probe that finds no new
// record, so detection takes up to the timeout plus about three intervals
// (FLINK-40503).
type idleTimer struct {
	enabled bool
	marked  bool
	timeout int64
	since   int64 // clock reading at the first quiet probe; 0 is "not started", as in Flink
}

// longestTimeout is where Java's Duration.toNanos overflows into "never".
const longestTimeout = math.MaxInt64 / 1_000_000

func newIdleTimer(timeoutMs int64) idleTimer {
	if timeoutMs > longestTimeout {
		timeoutMs = math.MaxInt64
	}
	return idleTimer{enabled: timeoutMs > 0, timeout: timeoutMs}
}

// probe takes one look at clock reading now (ms). idle: the generator stays
// silent; first: this probe is the one that turns it idle.
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
