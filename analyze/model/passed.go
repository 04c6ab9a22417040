package model

import "tidemark/flinkapi"

// passed says whether the watermarks of all consumers of a subtask are beyond its own.
type passed int8

const (
	passedUnknown passed = iota // not computed yet
	passedAsking                // being computed: a loop of the graph comes back here
	passedNo
	passedYes
)

// Passed reports a subtask that is in effect idle: no consumer waits for its watermark. There is no gauge of idleness
// (WatermarkStatus is sent between tasks only), but a consumer that is ahead of a channel has left it out of the
// minimum; and one that stands at the channel's watermark while its own consumers are ahead has passed the idle status
// on (StatusWatermarkValve).
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
		return known && quiet && (s.Vertex.IsSource() || s.Vertex.chained()) // operators chained to a silent subtask have nothing to wait for
	}
	out := s.Out()
	for _, e := range s.Vertex.Out {
		if e.waits(s, out) {
			return false
		}
	}
	return true
}

// chained reports a vertex that reads over FORWARD and RESCALE only: each subtask reads from one or a few subtasks.
func (v *Vertex) chained() bool {
	for _, e := range v.In {
		if !e.partial() {
			return false
		}
	}
	return len(v.In) > 0
}

// partial reports an exchange over which a subtask sends to some subtasks only.
func (e *Edge) partial() bool { return e.Ship == "FORWARD" || e.Ship == "RESCALE" }

// waits reports that a consumer over the edge, itself not passed, has a watermark no newer than out, the output of the
// subtask.
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

// scrapeMs is how long a scrape of a TaskManager may take, which reads its gauges one after the other.
const scrapeMs = 1000

// reached is how far an output may have advanced until its consumers were read. REST reads all at once; Prometheus scrapes
// one TaskManager after the other, so a consumer may have been read later and seem to be ahead.
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
	gain := later // at the speed of the clock, where its own is unknown
	if advance, told := out.Advance(); told && from.Vertex.GapMs > 0 {
		gain = max(0, advance) * later / from.Vertex.GapMs
	}
	return flinkapi.KnownWatermark(ms + 2*gain) // twice, since a watermark does not advance steadily
}

// behindOrAt reports a watermark that out, one of its inputs, may determine as the minimum.
func behindOrAt(et, out Reading) bool {
	switch {
	case !et.Now.Readable():
		return false // unknown: nothing is blamed, and the account says what was not read
	case out.Now.State() == flinkapi.None:
		return et.IsNone()
	case out.Now.IsKnown():
		return et.IsNone() || !out.Now.Before(et.Now)
	}
	return false
}

// EventTime is the watermark that a subtask acts on; see Vertex.EventTime.
func (s *Subtask) EventTime() Reading {
	head := s.Vertex.Head()
	if len(s.Vertex.In) < 2 || head == nil || head.Kind.Holds() || len(s.Ops) == 0 {
		return s.In
	}
	return actsOn(s.In, s.Ops[0].Out)
}

// living lists the subtasks that are not passed, or all subtasks where every one is.
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
