package engine

import "errors"

// ActivityClock is the clock of the idleness timer: it stops while paused, and pauses nest. It
// corresponds to PausableRelativeClock (FLIP-471). With wall set it is the plain clock of earlier
// releases and ignores pauses.
type ActivityClock struct {
	wall    bool
	pauses  int
	since   int64
	blocked int64
}

// At is the clock's reading when the real clock shows now (ms).
func (c *ActivityClock) At(now int64) int64 {
	if c.wall {
		return now
	}
	blocked := c.blocked
	if c.pauses > 0 {
		blocked += now - c.since
	}
	return now - blocked
}

// Pause stops the clock at now.
func (c *ActivityClock) Pause(now int64) {
	if c.pauses == 0 {
		c.since = now
	}
	c.pauses++
}

// Resume undoes one Pause; without a Pause it is an error, as in Flink.
func (c *ActivityClock) Resume(now int64) error {
	if c.pauses == 0 {
		return errors.New("resume of a clock that is not paused")
	}
	c.pauses--
	if c.pauses == 0 {
		c.blocked += now - c.since
	}
	return nil
}

// Paused reports whether the clock is stopped.
func (c *ActivityClock) Paused() bool { return c.pauses > 0 && !c.wall }
