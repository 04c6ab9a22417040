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
	FromNothing  Origin = "assumed: nothing tells"
	FromNoRecord Origin = "assumed: no record to tell it"
	FromChange   Origin = "--set"
)

// force is what is in force at one source.
type force struct {
	vertex   *model.Vertex
	name     string
	strategy engine.Strategy
	behind   *model.Operator // the assigner that emits in place of the source, nil = the source itself
	moved    bool            // the generator was moved behind the source, where no assigner was
	align    *engine.AlignmentConfig
	cross    *crosscheck.CrossSource
	origin   map[string]Origin // by setting
	idleMost int64             // of an idle timeout of which only an upper bound is seen
}

// read gives the event time of a record as the job reads its field.
func (f *force) read(event int64) int64 {
	in := f.cross.InForce
	return in.Unit.Apply(event) + in.ShiftMs
}

// design is a job as it is taken to run: what a change changes.
type design struct {
	version    engine.Version
	intervalMs int64
	sources    []*force
	width      map[*model.Vertex]int
	lateness   map[*model.Operator]int64
	offset     map[*model.Operator]int64
	assigners  map[*model.Operator]engine.Strategy // behind an exchange
	shortMs    int64                               // how much warm-up its windows lacked
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

// parallelism is a vertex's, or what it is changed to.
func (d *design) parallelism(v *model.Vertex) int {
	if n, ok := d.width[v]; ok {
		return n
	}
	return v.Parallelism
}
