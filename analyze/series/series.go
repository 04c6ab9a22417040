// Package series holds how event time went: for each place of a job its readings over time, what they
// say of its movement, since when, and what else happened. Whoever has readings of a job fills one
// Timeline: samples of REST, a range of Prometheus, a simulated run.
package series

import (
	"slices"
	"strconv"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Timeline is one job between two moments. Times are wall clock of the cluster, epoch ms; in a
// simulated run that clock is the simulated one.
//
// To fill one: set EveryMs and Keep, then call Read for each place and moment, in the order of time,
// and Note for what else happened. A moment at which a place was asked and gave no number is a reading
// too, with an absent or failed watermark: it is drawn as a gap. A moment at which nothing could be
// asked at all needs no reading: one that comes more than Lost after the one before it has a gap before it.
type Timeline struct {
	FromMs  int64    `json:"from_ms"`  // the first reading
	UntilMs int64    `json:"until_ms"` // the last one
	EveryMs int64    `json:"every_ms"` // usual time between two readings of a place; 0 = not known
	Tracks  []*Track `json:"tracks"`   // in the order in which places were first read: upstream first
	Events  []Event  `json:"events"`   // oldest first

	// Keep is how many readings a track keeps at most, 0 = all. What goes is what stands closest to others:
	// the whole time stays visible, more coarsely. Since and Changes of a track stay exact.
	Keep int `json:"-"`

	byPlace map[string]*Track
}

// The states of a place at a reading beside those of the catalogue: Advancing, Standing (a known
// watermark that did not rise), Never (no watermark yet), End (end of input), NotExpected (nothing came,
// or no event time is used there) and Unreadable.
const (
	Behind catalog.State = "behind" // it advances, and is later than BehindMs beyond what the place itself holds back
	Idle   catalog.State = "idle"   // declared idle: nobody waits for it
)

// BehindMs is the lag from which a place that advances counts as behind.
const BehindMs = 60_000

// Reading is one place at one moment.
type Reading struct {
	AtMs      int64              `json:"at_ms"` // when the value was fetched from the task, epoch ms
	Watermark flinkapi.Watermark `json:"watermark"`
	LagMs     *int64             `json:"lag_ms"`           // clock minus watermark; null = no number. Read fills it from AtMs
	Offset    *int64             `json:"offset,omitempty"` // of a Kafka split: the last record emitted, -1 = none yet. It tells movement where a split has no watermark (before 2.1)

	// Gap says that nothing was read for too long before this reading; Read finds it.
	Gap bool `json:"gap,omitempty"`

	// State is the movement since the reading before, "" for a first reading. Who fills a timeline gives it
	// where he knows more than two numbers tell (idle, not expected, a judged lag); otherwise Read finds it.
	State catalog.State `json:"state,omitempty"`
}

// readable reports a reading that tells where the place stands.
func (r Reading) readable() bool { return r.Watermark.Readable() || r.Offset != nil }

// Interval is between two readings: later than AfterMs, at the latest at UntilMs. AfterMs 0 is before the
// first reading; both equal is an exact time.
type Interval struct {
	AfterMs int64 `json:"after_ms"`
	UntilMs int64 `json:"until_ms"`
}

// Exactly is a moment that is known to the millisecond.
func Exactly(ms int64) Interval { return Interval{ms, ms} }

// EventKind is what kind of thing happened.
type EventKind string

// The kinds of events.
const (
	Restart     EventKind = "restart"     // the job began to run again
	Attempt     EventKind = "attempt"     // a subtask did
	Deployment  EventKind = "deployment"  // another job id, parallelism or plan
	TaskManager EventKind = "taskmanager" // one was lost, or came
	Checkpoint  EventKind = "checkpoint"  // one failed
	Verdict     EventKind = "verdict"     // the judgement of the job changed
	Finding     EventKind = "finding"     // a finding appeared or went
	Silence     EventKind = "silence"     // the cluster gave no answer
)

// Event is something that happened to the job, or at a place of it.
type Event struct {
	At   Interval     `json:"at"`
	Kind EventKind    `json:"kind"`
	Of   *model.Point `json:"of,omitempty"` // nil = the job
	Text string       `json:"text"`         // what happened, without time and place: "healthy -> critical"
}

// mostEvents bounds the events of a timeline that keeps a limited number of readings.
const mostEvents = 200

// Note adds an event. Most come in the order of time; one that is told of later goes to its place.
func (t *Timeline) Note(e Event) {
	at := len(t.Events)
	for at > 0 && t.Events[at-1].At.UntilMs > e.At.UntilMs {
		at--
	}
	t.Events = slices.Insert(t.Events, at, e)
	if n := len(t.Events); t.Keep > 0 && n > mostEvents {
		t.Events = append(t.Events[:0], t.Events[n-mostEvents:]...)
	}
}

// Read adds a reading of a place and returns its track. Readings of a place come in the order of time; one
// that is not newer than the last is left out, as two answers from one metric fetch are one reading.
func (t *Timeline) Read(at model.Point, r Reading) *Track {
	track := t.Track(at)
	if !track.add(r, t.Lost()) {
		return track
	}
	if t.FromMs == 0 || r.AtMs < t.FromMs {
		t.FromMs = r.AtMs
	}
	t.UntilMs = max(t.UntilMs, r.AtMs)
	if t.Keep > 0 && len(track.Readings) > t.Keep {
		track.thin()
	}
	return track
}

// Track is the track of a place; a place that is new gets one.
func (t *Timeline) Track(at model.Point) *Track {
	track := t.Of(at)
	if track == nil {
		track = &Track{At: at, Readings: []Reading{}}
		t.byPlace[placeKey(at)] = track
		t.Tracks = append(t.Tracks, track)
	}
	return track
}

// Of is the track of a place, nil where it was never read.
func (t *Timeline) Of(at model.Point) *Track {
	if t.byPlace == nil {
		t.byPlace = map[string]*Track{}
		for _, track := range t.Tracks {
			t.byPlace[placeKey(track.At)] = track
		}
	}
	return t.byPlace[placeKey(at)]
}

// Clone is a copy that stays as it is while the timeline goes on.
func (t *Timeline) Clone() *Timeline {
	out := *t
	out.byPlace, out.Tracks, out.Events = nil, slices.Clone(t.Tracks), slices.Clone(t.Events)
	for i, track := range t.Tracks {
		one := *track
		one.Changes, one.Readings = slices.Clone(track.Changes), slices.Clone(track.Readings)
		out.Tracks[i] = &one
	}
	return &out
}

// Lost is the time between two readings from which nothing is known of what lies between, ms; 0 = never.
func (t *Timeline) Lost() int64 { return t.EveryMs * 5 / 2 }

// Gone reports a place that is no longer read although others are: a split that was moved or finished.
func (t *Timeline) Gone(track *Track) bool {
	last, ok := track.Last()
	return !ok || t.EveryMs > 0 && t.UntilMs-last.AtMs > t.Lost()
}

// placeKey holds no subtask for a split: a split that another subtask reads now is the same split.
func placeKey(p model.Point) string {
	vertex := ""
	if p.Vertex != nil {
		vertex = p.Vertex.ID
	}
	switch {
	case p.Split != "":
		return vertex + "\x00split\x00" + p.Split
	case p.Subtask != nil:
		return vertex + "\x00subtask\x00" + strconv.Itoa(*p.Subtask)
	}
	return vertex
}
