package model

// UsesEventTime is the strongest use over all vertices.
func (j *Job) UsesEventTime() Use {
	if len(j.Now.Plan.Nodes) == 0 {
		return UseUnknown // without a plan no operator is known
	}
	use := UseNo
	for _, v := range j.Vertices {
		use = max(use, v.EventTimeUse())
	}
	return use
}

// Use says whether anything needs the event time of a vertex.
type Use int

// UseUnknown is a user function on a keyed stream, which may set timers, or a committer, which may go by
// watermarks (Paimon's tags, the partition commit of a file system table).
const (
	UseNo Use = iota
	UseUnknown
	UseYes
)

// String is the word of a report.
func (u Use) String() string { return [...]string{"no", "unknown", "yes"}[u] }

// EventTimeUse looks at v's own chain and at everything downstream.
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

// OwnUse looks at v's own chain alone.
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
