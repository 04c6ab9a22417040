package analyze

// Use says whether anything needs the event time of a vertex.
type Use int

// UseUnknown is a user function on a keyed stream, which may set timers.
const (
	UseNo Use = iota
	UseUnknown
	UseYes
)

// eventTimeUse looks at v's own chain and at everything downstream.
func (v *Vertex) eventTimeUse() Use {
	use := UseNo
	for _, u := range append([]*Vertex{v}, v.descendants()...) {
		for _, op := range u.Chain {
			switch {
			case op.Kind.UsesEventTime():
				return UseYes
			case op.Kind == KindUnknown && op == u.Head() && u.keyed():
				use = UseUnknown
			}
		}
		if len(u.Chain) == 0 {
			use = UseUnknown
		}
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
