// Package records makes the records of a split that nobody has to read: written down, or by rule.
package records

import (
	"math/rand/v2"

	"tidemark/engine/twin/job"
)

// Log is records written down.
type Log []job.Record

// Cursor starts at the first record.
func (l Log) Cursor() job.Cursor { return &logCursor{l} }

type logCursor struct{ rest Log }

func (c *logCursor) Next() (job.Record, bool) {
	if len(c.rest) == 0 {
		return job.Record{}, false
	}
	r := c.rest[0]
	c.rest = c.rest[1:]
	return r, true
}

// Schedule is records by rule: phases one after the other.
type Schedule struct {
	Seed   uint64
	Keys   int64   // keys 0 to Keys-1, 0 = one
	Hot    float64 // share of the records that have key 0
	Phases []Phase
}

// Phase is a stretch of a schedule.
type Phase struct {
	FromMs, ToMs int64   // arrivals in [FromMs, ToMs)
	EveryMs      float64 // mean distance of arrivals
	Jitter       float64 // how far an arrival strays from its place, as a share of EveryMs, below 1
	Count        int     // at most so many records, 0 = no limit
	ShiftMs      int64   // event time minus arrival
	LateMs       int64   // a record is behind by up to this, evenly
	LateEvery    int     // but only one in so many; 0 = each
	Times, Per   int64   // factor of the event time: Times/Per; 0 = 1
	Zero         bool    // event time 0
}

// Cursor starts at the first record of the first phase.
func (s Schedule) Cursor() job.Cursor {
	return &scheduleCursor{s: s, random: rand.New(rand.NewPCG(s.Seed, 7))}
}

type scheduleCursor struct {
	s      Schedule
	random *rand.Rand
	n      int // within the phase
}

func (c *scheduleCursor) Next() (job.Record, bool) {
	for len(c.s.Phases) > 0 {
		p := &c.s.Phases[0]
		at := p.FromMs + int64(float64(c.n)*p.EveryMs)
		if at < p.ToMs && (p.Count == 0 || c.n < p.Count) {
			c.n++
			return c.record(p, at), true
		}
		c.s.Phases, c.n = c.s.Phases[1:], 0
	}
	return job.Record{}, false
}

func (c *scheduleCursor) record(p *Phase, at int64) job.Record {
	if p.Jitter > 0 {
		at += int64(c.random.Float64() * p.Jitter * p.EveryMs)
	}
	r := job.Record{ArrivalMs: at, EventMs: at + p.ShiftMs}
	if p.LateMs > 0 && (p.LateEvery == 0 || c.random.IntN(p.LateEvery) == 0) {
		r.EventMs -= c.random.Int64N(p.LateMs)
	}
	if p.Times > 0 {
		r.EventMs *= p.Times
	}
	if p.Per > 0 {
		r.EventMs /= p.Per
	}
	if p.Zero {
		r.EventMs = 0
	}
	if c.s.Keys > 1 && (c.s.Hot == 0 || c.random.Float64() >= c.s.Hot) {
		r.Key = c.random.Int64N(c.s.Keys)
	}
	return r
}
