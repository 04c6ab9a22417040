package catalog

import "slices"

// Claim is what the account of event time states of every vertex and split: that its watermark
// moves, how late it is, what it loses, and whether its times make sense.
type Claim string

// The claims.
const (
	Movement Claim = "movement"
	Lag      Claim = "lag"
	Loss     Claim = "loss"
	Sense    Claim = "sense"
)

// State is what was seen of a claim.
type State string

// The states of a movement. End is end of input where a source above still reads; NotExpected is a
// path without any sign of event time, or on which nothing came between the samples.
const (
	Advancing   State = "advancing"
	Standing    State = "standing"
	Never       State = "never-emitted"
	End         State = "end-of-input"
	NotExpected State = "not-expected"
)

// The states of a lag, after its worst part. Wanted is a declared bound or an operator's own hold;
// Owed is the age of records, a backlog, a queue, skew or a pause; Constant is a bound or old data,
// which REST does not tell apart where no bound is declared.
const (
	Wanted   State = "wanted"
	Owed     State = "owed"
	Constant State = "constant"
	Unknown  State = "unknown"
)

// The states of a loss: an operator without a counter has None.
const (
	Rising    State = "rising"
	NotRising State = "not-rising"
)

// The states of sense: times in another unit or from 1970, and times ahead of the clock.
const (
	Reasonable State = "reasonable"
	Foreign    State = "foreign"
	Future     State = "future"
)

// Unreadable is the state of any claim whose readings are missing.
const Unreadable State = "unreadable"

// Explains is a claim that a finding of a check accounts for: at its own place, and further as Reach says.
type Explains struct {
	Claim  Claim
	States []State
	Reach  Reach
}

// Reach says which other vertices a finding explains, in addition to its own place.
type Reach int

// Inherited reaches every vertex that waits for the finding's place; Upstream also those whose records
// wait before it.
const (
	Own Reach = iota
	Inherited
	Upstream
)

// Explained reports whether a finding of the check accounts for a claim in a state, for a vertex at this
// reach from its place.
func (c Check) Explained(claim Claim, state State, reach Reach) bool {
	return slices.ContainsFunc(c.Explains, func(e Explains) bool {
		return e.Claim == claim && slices.Contains(e.States, state) && e.Reach >= reach
	})
}

// Stalls is the trait of causes that hold event time: whoever waits for their place stands.
func Stalls(states ...State) Explains { return Explains{Movement, states, Inherited} }

// Delays is the trait of causes that make event time late, for all that is downstream.
func Delays(states ...State) Explains { return Explains{Lag, states, Inherited} }

// Loses is the trait of causes of dropped records at the finding's own operator.
func Loses() Explains { return Explains{Loss, []State{Rising}, Own} }

// Misreads is the trait of causes of times that make no sense, for all that is downstream.
func Misreads(states ...State) Explains { return Explains{Sense, states, Inherited} }

// Chokes is the trait of a task that is too slow: everything downstream of it waits, and everything upstream too.
func Chokes(claim Claim, states ...State) Explains { return Explains{claim, states, Upstream} }
