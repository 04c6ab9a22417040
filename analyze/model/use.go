package model

// UsesEventTime says whether any vertex uses event time.
func (j *Job) UsesEventTime() Use {
	if len(j.Now.Plan.Nodes) == 0 {
		return UseUnknown
	}
	use := UseNo
	for _, v := range j.Vertices {
		use = max(use, v.EventTimeUse())
	}
	return use
}

// Use says whether event time is used.
type Use int

// UseUnknown is a user function on a keyed stream, which may set timers, or a committer, which may wait for watermarks
// (Paimon's tags, the partition commit of a file system table).
const (
	UseNo Use = iota
	UseUnknown
	UseYes
)

// String is the word in a report.
func (u Use) String() string { return [...]string{"no", "unknown", "yes"}[u] }

// EventTimeUse says whether v or a vertex downstream uses event time.
func (v *Vertex) EventTimeUse() Use {
	if v.use != nil {
		return *v.use
	}
	use := v.OwnUse()
	for _, u := range v.Descendants() {
		use = max(use, u.OwnUse())
	}
	return use
}

// OwnUse says whether an operator of v's own chain uses event time.
func (v *Vertex) OwnUse() Use {
	use := UseNo
	for _, op := range v.Chain {
		switch {
		case op.Kind.UsesEventTime():
			return UseYes
		case op.Kind == KindUnknown && op == v.Head() && v.keyed(), op.Kind == KindCommitter:
			use = UseUnknown
		}
	}
	if len(v.Chain) == 0 {
		use = UseUnknown
	}
	return use
}

// keyed reports a vertex whose head can set event-time timers: those need a keyed stream.
func (v *Vertex) keyed() bool {
	for _, e := range v.In {
		if e.Ship == "HASH" || e.Ship == "CUSTOM" || e.Ship == "" {
			return true
		}
	}
	return false
}
