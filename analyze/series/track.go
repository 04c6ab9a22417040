package series

import (
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Track is one place over time: a vertex (the smallest watermark of its subtasks), a subtask, a group of
// subtasks, or a split.
type Track struct {
	At       model.Point   `json:"at"`
	Subtasks []int         `json:"subtasks,omitempty"` // for a group: the subtasks whose minimum it is
	HoldMs   int64         `json:"hold_ms,omitempty"`  // lag that is wanted here: a declared bound, an operator's own hold
	State    catalog.State `json:"state,omitempty"`    // state at the last readable reading
	Since    Interval      `json:"since"`              // when that state began; after_ms 0 = possibly before the first reading
	Changes  []Change      `json:"changes"`            // changes of state, oldest first, the newest 50
	Readings []Reading     `json:"readings"`           // oldest first, at most Timeline.Keep

	last    *Reading // the last readable one
	rose    Interval // when it last rose; zero = it has not
	longest int64    // of the standstills that ended, ms
}

// Change is the begin of a state.
type Change struct {
	State catalog.State `json:"state"`
	Since Interval      `json:"since"`
}

// mostChanges bounds the changes kept of a track.
const mostChanges = 50

// add takes a reading and reports whether it is newer than the last; lost is Timeline.Lost, ms.
func (t *Track) add(r Reading, lost int64) bool {
	if n := len(t.Readings); n > 0 && r.AtMs <= t.Readings[n-1].AtMs {
		return false
	}
	if ms, ok := r.Watermark.Millis(); ok && r.LagMs == nil && model.UnitOf(ms, r.AtMs) == "" {
		lag := r.AtMs - ms
		r.LagMs = &lag
	}
	if !r.readable() {
		r.State = catalog.Unreadable
	} else if r.State == "" {
		r.State = t.movement(r)
	}
	if n := len(t.Readings); n > 0 && lost > 0 {
		r.Gap = r.AtMs-t.Readings[n-1].AtMs > lost
	}
	t.Readings = append(t.Readings, r)
	if r.State == catalog.Unreadable || !r.readable() {
		return true
	}
	t.enter(r)
	if t.last == nil || risen(*t.last, r) {
		t.rose = Interval{}
		if t.last != nil {
			t.rose = Interval{t.last.AtMs, r.AtMs}
		}
	}
	t.last = &r
	return true
}

// movement is the state that r shows, compared with the last readable reading.
func (t *Track) movement(r Reading) catalog.State {
	switch r.Watermark.State() {
	case flinkapi.None:
		return catalog.Never
	case flinkapi.End:
		return catalog.End
	case flinkapi.Absent, flinkapi.Failed:
		if *r.Offset < 0 {
			return catalog.Never
		}
	}
	switch {
	case t.last == nil:
		return ""
	case !risen(*t.last, r):
		return catalog.Standing
	case r.LagMs != nil && *r.LagMs-t.HoldMs > BehindMs:
		return Behind
	}
	return catalog.Advancing
}

// risen reports that the watermark, or where it is not readable the offset, changed. A fall, as after a restart, is
// movement as well.
func risen(before, now Reading) bool {
	if before.Watermark.Readable() && now.Watermark.Readable() {
		return before.Watermark != now.Watermark
	}
	return before.Offset != nil && now.Offset != nil && *before.Offset != *now.Offset
}

// enter records a change of state and when it happened.
func (t *Track) enter(r Reading) {
	if r.State == t.State || r.State == "" {
		return
	}
	since := Interval{0, r.AtMs}
	if t.last != nil {
		since.AfterMs = t.last.AtMs
		if t.State == "" && (r.State == catalog.Advancing || r.State == Behind || r.State == catalog.Standing) {
			since = Interval{0, t.last.AtMs} // a first reading shows no movement: the state may have begun long before
		}
	}
	if r.State == catalog.Standing && t.rose.UntilMs > 0 {
		since = t.rose // the same watermark as after the last rise, whatever was not read in between
	}
	if t.State == catalog.Standing {
		t.longest = max(t.longest, r.AtMs-t.Since.UntilMs)
	}
	t.State, t.Since = r.State, since
	t.Changes = append(t.Changes, Change{r.State, since})
	if n := len(t.Changes); n > mostChanges {
		t.Changes = append(t.Changes[:0], t.Changes[n-mostChanges:]...)
	}
}

// Last is the newest reading.
func (t *Track) Last() (Reading, bool) {
	if len(t.Readings) == 0 {
		return Reading{}, false
	}
	return t.Readings[len(t.Readings)-1], true
}

// thin drops the reading whose neighbours are closest to each other, never the first or the last, so that the rest covers
// the whole time. The state of the next reading is adjusted to the new one before it.
func (t *Track) thin() {
	at, least := 0, int64(0)
	for i := 1; i < len(t.Readings)-1; i++ {
		if apart := t.Readings[i+1].AtMs - t.Readings[i-1].AtMs; at == 0 || apart < least {
			at, least = i, apart
		}
	}
	if at == 0 {
		return
	}
	before, gone, next := t.Readings[at-1], t.Readings[at], &t.Readings[at+1]
	if gone.AtMs-before.AtMs > next.AtMs-gone.AtMs {
		next.Gap = gone.Gap
	}
	if next.State == catalog.Standing && before.readable() && risen(before, *next) {
		next.State = catalog.Advancing
	}
	t.Readings = append(t.Readings[:at], t.Readings[at+1:]...)
}
