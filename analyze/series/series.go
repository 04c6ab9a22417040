// Package series holds the timeline of a job: for each place its watermarks over time, its state and since when, and the
// events of the job. It is filled from samples of REST, from a range of Prometheus, or by a simulated run.
package series

import (
	"slices"
	"strconv"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Timeline is one job between two moments. Times are the wall clock of the cluster, epoch ms; in a simulated run the
// simulated clock.
//
// To fill one, set EveryMs and Keep, then call Read for each place and moment in the order of time, and Note for events.
// A moment at which a place was asked but gave no number is a reading with an absent or failed watermark; it is drawn as
// a gap. A moment at which nothing could be asked needs no reading: more than Lost between two readings is a gap.
type Timeline struct {
	FromMs  int64    `json:"from_ms"`  // the first reading
	UntilMs int64    `json:"until_ms"` // the last reading
	EveryMs int64    `json:"every_ms"` // usual time between two readings of a place; 0 = unknown
	Tracks  []*Track `json:"tracks"`   // in the order in which places were first read: upstream first
	Events  []Event  `json:"events"`   // oldest first

	// Keep is how many readings a track keeps at most, 0 = all. Those closest to others are dropped, so that the rest
	// covers the whole time. Since and Changes of a track stay exact.
	Keep int `json:"-"`

	byPlace map[string]*Track
}

// States of a place at a reading, in addition to those of the catalogue: Advancing, Standing (a known watermark that did
// not rise), Never (no watermark yet), End (end of input), NotExpected (nothing came, or event time is not used there)
// and Unreadable.
const (
	Behind catalog.State = "behind" // it advances, but its lag exceeds the place's HoldMs by more than BehindMs
	Idle   catalog.State = "idle"   // declared idle: no operator waits for it
)

// BehindMs is the lag beyond HoldMs from which a place that advances counts as behind, ms.
const BehindMs = 60_000

// Reading is one place at one moment.
type Reading struct {
	AtMs      int64              `json:"at_ms"` // when the value was fetched from the task, epoch ms
	Watermark flinkapi.Watermark `json:"watermark"`
	LagMs     *int64             `json:"lag_ms"`           // clock minus watermark; null = unknown. Read derives it from AtMs
	Offset    *int64             `json:"offset,omitempty"` // of a Kafka split: the last record emitted, -1 = none yet. It shows movement where splits have no watermark metric (before 2.1)

	// Gap says that nothing was read for too long before this reading; Read sets it.
	Gap bool `json:"gap,omitempty"`

	// State is the state since the reading before, "" for a first reading. The caller of Read sets it where it knows more
	// than two numbers show (idle, not expected, a judged lag); otherwise Read derives it.
	State catalog.State `json:"state,omitempty"`
}

// readable reports a reading with a watermark or an offset.
func (r Reading) readable() bool { return r.Watermark.Readable() || r.Offset != nil }

// Interval is when something happened: after the reading at AfterMs, at the latest at UntilMs. AfterMs 0 = possibly before
// the first reading; equal values = an exact time.
type Interval struct {
	AfterMs int64 `json:"after_ms"`
	UntilMs int64 `json:"until_ms"`
}

// Exactly is an exact time, epoch ms.
func Exactly(ms int64) Interval { return Interval{ms, ms} }

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	Restart     EventKind = "restart"     // the job is running again
	Attempt     EventKind = "attempt"     // subtasks restarted
	Deployment  EventKind = "deployment"  // another job id, parallelism or plan
	TaskManager EventKind = "taskmanager" // a TaskManager was lost or added
	Checkpoint  EventKind = "checkpoint"  // a checkpoint failed
	Verdict     EventKind = "verdict"     // the verdict of the job changed
	Finding     EventKind = "finding"     // a finding appeared or is gone
	Silence     EventKind = "silence"     // the cluster did not answer
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

// Note adds an event and keeps the events in the order of time.
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

// Read adds a reading of a place and returns its track. Readings of a place must come in the order of time; one that is not
// newer than the last is left out, since it is from the same metric fetch.
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

// Track is the track of a place; it makes one for a new place.
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

// Clone is a copy that does not change when the timeline does.
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

// Lost is the time between two readings, ms, above which they have a gap between them; 0 = never.
func (t *Timeline) Lost() int64 { return t.EveryMs * 5 / 2 }

// Gone reports a place that is no longer read although others are: a split that was moved or finished.
func (t *Timeline) Gone(track *Track) bool {
	last, ok := track.Last()
	return !ok || t.EveryMs > 0 && t.UntilMs-last.AtMs > t.Lost()
}

// placeKey leaves out the subtask of a split: a split that moved to another subtask is still the same split.
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
