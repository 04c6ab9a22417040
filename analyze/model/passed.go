package model

import "tidemark/flinkapi"

// passed says whether everything that reads from a subtask has gone beyond what it last sent.
type passed int8

const (
	passedUnknown passed = iota // not asked yet
	passedAsking                // on the way: a loop of the graph comes back here
	passedNo
	passedYes
)

// Passed reports a subtask that is idle in effect: no consumer waits for what it last sent. Idleness has
// no gauge (WatermarkStatus travels between tasks only), but a consumer that is ahead of a channel has
// taken it out of the minimum; and one that stands where the channel stands, with its own consumers ahead,
// has passed the idle status on (StatusWatermarkValve).
func (s *Subtask) Passed() bool {
	if s.passed == passedUnknown {
		s.passed = passedAsking
		s.passed = passedNo
		if s.findPassed() {
			s.passed = passedYes
		}
	}
	return s.passed == passedYes
}

func (s *Subtask) findPassed() bool {
	if len(s.Vertex.Out) == 0 {
		quiet, known := s.Quiet()
		return known && quiet && (s.Vertex.IsSource() || s.Vertex.chained()) // what is chained to a silent subtask has nothing to wait for
	}
	out := s.Out()
	for _, e := range s.Vertex.Out {
		if e.waits(s, out) {
			return false
		}
	}
	return true
}

// chained reports a vertex each of whose subtasks reads from one subtask, or few: over FORWARD and RESCALE alone.
func (v *Vertex) chained() bool {
	for _, e := range v.In {
		if !e.partial() {
			return false
		}
	}
	return len(v.In) > 0
}

// partial reports an exchange over which a subtask reaches some subtasks only.
func (e *Edge) partial() bool { return e.Ship == "FORWARD" || e.Ship == "RESCALE" }

// waits reports a consumer over the edge whose event time is no newer than out, sent by the subtask, and who is
// waited for itself.
func (e *Edge) waits(from *Subtask, out Reading) bool {
	to := e.To
	out.Now = e.reached(from, out)
	if e.Ship == "FORWARD" && from.Index < len(to.Subtasks) {
		s := to.Subtasks[from.Index]
		return behindOrAt(s.EventTime(), out) && !s.Passed()
	}
	if !e.partial() {
		return behindOrAt(to.EventTime(), out)
	}
	for _, s := range to.Subtasks {
		if behindOrAt(s.EventTime(), out) && !s.Passed() {
			return true
		}
	}
	return len(to.Subtasks) == 0
}

// scrapeMs is how long a scrape may take: one gauge of a TaskManager is read after the other.
const scrapeMs = 1000

// reached is how far an output may have come until its consumers were read. REST reads all at once; of Prometheus,
// which scrapes one TaskManager after the other, a consumer may have been read later and seem to be ahead.
func (e *Edge) reached(from *Subtask, out Reading) flinkapi.Watermark {
	ms, known := out.Now.Millis()
	if !known || from.ScrapedMs == 0 {
		return out.Now
	}
	newest := int64(0)
	for _, s := range e.To.Subtasks {
		newest = max(newest, s.ScrapedMs)
	}
	later := newest - from.ScrapedMs + scrapeMs
	if later <= 0 {
		return out.Now
	}
	gain := later // at the speed of the clock, where it cannot be told
	if advance, told := out.Advance(); told && from.Vertex.GapMs > 0 {
		gain = max(0, advance) * later / from.Vertex.GapMs
	}
	return flinkapi.KnownWatermark(ms + 2*gain) // its pace is no steady one
}

// behindOrAt reports an event time that out, an input of it, may be the minimum of.
func behindOrAt(et, out Reading) bool {
	switch {
	case !et.Now.Readable():
		return false // it cannot be told: nobody is blamed for it, and the account says what was not read
	case out.Now.State() == flinkapi.None:
		return et.IsNone()
	case out.Now.IsKnown():
		return et.IsNone() || !out.Now.Before(et.Now)
	}
	return false
}

// EventTime is the event time that a subtask acts on; see Vertex.EventTime.
func (s *Subtask) EventTime() Reading {
	head := s.Vertex.Head()
	if len(s.Vertex.In) < 2 || head == nil || head.Kind.Holds() || len(s.Ops) == 0 {
		return s.In
	}
	return actsOn(s.In, s.Ops[0].Out)
}

// living lists the subtasks that anybody waits for: all where nobody does, since then nothing is held.
func (v *Vertex) living() []*Subtask {
	var out []*Subtask
	for _, s := range v.Subtasks {
		if !s.Passed() {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return v.Subtasks
	}
	return out
}
