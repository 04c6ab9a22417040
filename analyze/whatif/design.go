package whatif

import (
	"maps"
	"slices"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/engine"
)

// Origin says where the value of a setting comes from.
type Origin string

// The origins.
const (
	FromPlan     Origin = "plan"
	FromConfig   Origin = "cluster configuration"
	FromRecords  Origin = "inferred from records and watermarks"
	FromSilence  Origin = "inferred from how a silence ended"
	FromSaid     Origin = "--known"
	FromDefault  Origin = "Flink's default"
	FromNothing  Origin = "assumed: nothing shows it"
	FromNoRecord Origin = "assumed: no record shows it"
	FromChange   Origin = "--set"
)

// force is the strategy and alignment in force at one source.
type force struct {
	vertex   *model.Vertex
	name     string
	strategy engine.Strategy
	behind   *model.Operator // the assigner that emits in place of the source, nil = the source itself
	moved    bool            // the strategy was moved from the source to an assigner that the job does not have
	align    *engine.AlignmentConfig
	cross    *crosscheck.CrossSource
	origin   map[string]Origin // by setting
	idleMost int64             // upper limit of the idle timeout where no more is known, ms; 0 = the timeout is known
}

// read is the event time of a record as the job reads its field, epoch ms.
func (f *force) read(event int64) int64 {
	in := f.cross.InForce
	return in.Unit.Apply(event) + in.ShiftMs
}

// design is the configuration that a twin runs with; a change is applied to a copy.
type design struct {
	version    engine.Version
	intervalMs int64
	sources    []*force
	width      map[*model.Vertex]int
	lateness   map[*model.Operator]int64
	offset     map[*model.Operator]int64
	assigners  map[*model.Operator]engine.Strategy // after an exchange
	shortMs    int64                               // how much warm-up its windows lack, ms
}

func (d *design) clone() *design {
	c := *d
	c.sources = nil
	for _, f := range d.sources {
		one := *f
		one.origin = maps.Clone(f.origin)
		c.sources = append(c.sources, &one)
	}
	c.width, c.lateness, c.offset, c.assigners = maps.Clone(d.width), maps.Clone(d.lateness), maps.Clone(d.offset), maps.Clone(d.assigners)
	return &c
}

func (d *design) source(v *model.Vertex) *force {
	i := slices.IndexFunc(d.sources, func(f *force) bool { return f.vertex == v })
	if i < 0 {
		return nil
	}
	return d.sources[i]
}

// parallelism is the parallelism of a vertex in this design.
func (d *design) parallelism(v *model.Vertex) int {
	if n, ok := d.width[v]; ok {
		return n
	}
	return v.Parallelism
}
