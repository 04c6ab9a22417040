package model

// PartKind says what a part of a lag is.
type PartKind string

// The kinds. PartRest is the lag minus the sum of its other parts: positive where something is unexplained, negative
// where parts overlap.
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

// PartClass says what a part means: wanted (a declared bound, an operator's own rule), owed (age, backlog, queue, skew,
// silence), constant (a bound or old data, which REST does not tell apart) or unknown.
type PartClass string

// The classes.
const (
	PartWanted   PartClass = "wanted"
	PartOwed     PartClass = "owed"
	PartConstant PartClass = "constant"
	PartUnknown  PartClass = "unknown"
)

// LagPart is a part of a vertex's watermark lag, ms. Certain parts are read, the others inferred.
type LagPart struct {
	Part    string    `json:"part"`
	Kind    PartKind  `json:"kind"`
	Class   PartClass `json:"class"`
	Ms      int64     `json:"ms"`
	Certain bool      `json:"certain"`
}
