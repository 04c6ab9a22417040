// Package flinktest replaces Flink clusters in tests: recordings replayed over HTTP, synthetic
// clusters of any size, and faults in front of either.
package flinktest

import (
	"context"
	"sync"
	"time"
)

// Clock is a wall clock that moves only when Sleep is called, so that the waits of the two-sample
// protocol take no time. Give its Now and Sleep to the client and its Now to the server.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts at epoch ms.
func NewClock(ms int64) *Clock { return &Clock{now: time.UnixMilli(ms)} }

// Now is the time on the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep moves the clock by d, or returns the context's error.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
	return nil
}
