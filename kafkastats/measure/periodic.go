package measure

import "fmt"

// lags is the number of equal parts of an emission interval that are examined.
const lags = 8

// Periodic is what a generator that emits only every EmitMs would have found late, with the
// partitions merged. When a record arrives, the watermark is that of the last tick, and the phase
// of the ticks is random: the count is the mean over every age that the watermark can have, from
// none to a whole interval. It is below that of a watermark after every record, and the
// difference vanishes in a replay. It explains a job's counter and is no reason for a smaller
// delay.
type Periodic struct {
	EmitMs  int64   `json:"emit_ms"`
	Records uint64  `json:"records"` // records with a known arrival time
	Aged    []Steps `json:"aged"`    // disorder against the frontier k/8 of an interval before the record
}

func newPeriodic(emitMs int64) *Periodic {
	p := &Periodic{EmitMs: emitMs}
	for range lags + 1 {
		p.Aged = append(p.Aged, Steps{})
	}
	return p
}

// Late is the expected number of late records at a DataStream delay, and the bounds: the numbers
// with a watermark an interval old and with a fresh one. ok is false for a delay that is not a
// step.
func (p *Periodic) Late(d int64) (expected, least, most float64, ok bool) {
	counts := [lags + 1]float64{}
	for k, s := range p.Aged {
		n, exact := s.Above(d)
		if !exact {
			return 0, 0, 0, false
		}
		counts[k] = float64(n)
	}
	sum := (counts[0] + counts[lags]) / 2
	for _, n := range counts[1:lags] {
		sum += n
	}
	return sum / lags, counts[lags], counts[0], true
}

func (p *Periodic) merge(o *Periodic) {
	p.Records += o.Records
	for k := range p.Aged {
		p.Aged[k].Merge(o.Aged[k])
	}
}

func (p *Periodic) check() error {
	if p.EmitMs <= 0 || len(p.Aged) != lags+1 {
		return fmt.Errorf("periodic emission: every %d ms, %d ages", p.EmitMs, len(p.Aged))
	}
	return nil
}

// emission follows how the merged frontier rose over the last interval.
type emission struct {
	p       *Periodic
	ms      int64
	quantum int64         // resolution of times, ms
	past    []rise        // oldest first
	at      [lags + 1]int // newest entry of past that is at least this old; -1: none
	tallies [lags + 1]tally
	last    int64 // latest arrival
	begun   bool
}

// rise is a frontier and the first time at which a tick sees it: after the records that caused
// it.
type rise struct{ from, frontier int64 }

func newEmission(p *Periodic) *emission {
	e := &emission{p: p, ms: p.EmitMs, quantum: max(1, p.EmitMs/256)}
	for k := range e.at {
		e.at[k] = -1
	}
	return e
}

// see adds the next record in order of arrival. frontier is that of all records before it, or
// none if have is false; a record that is not counted only advances the time.
func (e *emission) see(arrival, event, frontier int64, have, counted bool) {
	if arrival > e.last || !e.begun {
		if e.begun && have {
			e.rise(e.last, frontier)
		}
		e.last, e.begun = arrival, true
		for k := range e.at {
			moment := arrival - int64(k)*e.ms/lags
			for e.at[k]+1 < len(e.past) && e.past[e.at[k]+1].from <= moment {
				e.at[k]++
			}
		}
	}
	if !counted {
		return
	}
	e.p.Records++
	for k, i := range e.at {
		if i < 0 {
			continue
		}
		if d := sub(e.past[i].frontier, event); d > 0 && !e.tallies[k].add(d) {
			e.p.Aged[k].add(d)
		}
	}
}

// rise notes the frontier after the records up to a time. Rounding the time up keeps few entries
// and never makes the frontier older than it was.
func (e *emission) rise(moment, frontier int64) {
	from := -floorDiv(-(moment+1), e.quantum) * e.quantum
	n := len(e.past)
	switch {
	case n > 0 && e.past[n-1].frontier == frontier:
		return
	case n > 0 && e.past[n-1].from == from:
		e.past[n-1].frontier = frontier
		return
	}
	if oldest := e.at[lags]; oldest > 512 {
		e.past = append(e.past[:0], e.past[oldest:]...)
		for k := range e.at {
			e.at[k] -= oldest
		}
	}
	e.past = append(e.past, rise{from, frontier})
}

// settle moves the counts to the measurement.
func (e *emission) settle() {
	for k := range e.tallies {
		e.tallies[k].into(e.p.Aged[k])
	}
}
