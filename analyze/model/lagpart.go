package model

// PartKind says what a summand of a lag is.
type PartKind string

// The summands. PartRest is the difference between the lag and the sum of its parts: positive where
// something is unexplained, negative where parts overlap.
const (
	PartAge     PartKind = "age-of-records"
	PartBound   PartKind = "bound"
	PartNone    PartKind = "no-record"
	PartSkew    PartKind = "behind-siblings"
	PartSilence PartKind = "silence"
	PartQueue   PartKind = "queue"
	PartHold    PartKind = "hold"
	PartRhythm  PartKind = "rhythm"
	PartRest    PartKind = "rest"
)

// PartClass says what a summand means: wanted (a declared bound, an operator's own rule), owed (age,
// backlog, queue, skew, silence), constant (a bound or old data: REST does not tell them apart) or unknown.
type PartClass string

// The classes.
const (
	PartWanted   PartClass = "wanted"
	PartOwed     PartClass = "owed"
	PartConstant PartClass = "constant"
	PartUnknown  PartClass = "unknown"
)

// LagPart is a summand of a vertex's event-time lag, ms. Certain parts are read, the others inferred.
type LagPart struct {
	Part    string    `json:"part"`
	Kind    PartKind  `json:"kind"`
	Class   PartClass `json:"class"`
	Ms      int64     `json:"ms"`
	Certain bool      `json:"certain"`
}
