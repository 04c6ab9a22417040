package topic

import (
	"context"
	"time"
)

// limiter is a token bucket of one second.
type limiter struct {
	rate   int64
	tokens float64
	last   time.Time
}

func newLimiter(bytesPerSec int64) *limiter {
	return &limiter{rate: bytesPerSec, tokens: float64(bytesPerSec), last: time.Now()}
}

func (l *limiter) use(bytes int64) {
	if l.rate > 0 {
		l.tokens -= float64(bytes)
	}
}

// wait blocks while the bucket is overdrawn.
func (l *limiter) wait(ctx context.Context) error {
	if l.rate <= 0 {
		return nil
	}
	now := time.Now()
	l.tokens = min(float64(l.rate), l.tokens+now.Sub(l.last).Seconds()*float64(l.rate))
	l.last = now
	if l.tokens >= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(-l.tokens / float64(l.rate) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
