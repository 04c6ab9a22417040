package analyze

// Use says whether anything needs the event time of a vertex.
type Use int

// UseUnknown is a user function in the way, which may set timers.
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
			case op.Kind == KindUnknown:
				use = UseUnknown
			}
		}
		if len(u.Chain) == 0 {
			use = UseUnknown
		}
	}
	return use
}
