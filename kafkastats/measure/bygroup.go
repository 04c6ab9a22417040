package measure

import (
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// maxGroups is the number of values of a field that are counted separately; the records of
// further ones are counted together.
const maxGroups = 1000

// ByGroup is disorder by the value of a field, such as a producer: each record is compared with
// the maximum of its partition, as everywhere.
type ByGroup struct {
	Groups map[string]*Group
	Others Group // of values beyond the first 1000
	tops   maxima
}

// Group are the records with one value.
type Group struct {
	Records uint64
	Own     hist.Histogram // disorder, over records that have a running maximum
	Steps   Steps          // of Own
}

// Above is the number of records with disorder > d: exact if d has at most two significant
// digits, else at most one bucket too large.
func (g *Group) Above(d int64) uint64 {
	if n, ok := g.Steps.Above(d); ok {
		return n
	}
	return g.Own.Above(d)
}

// Merge adds the counts of o.
func (g *Group) Merge(o *Group) {
	g.Records += o.Records
	g.Own.Merge(&o.Own)
	if g.Steps == nil {
		g.Steps = Steps{}
	}
	g.Steps.Merge(o.Steps)
}

// Add counts one point; partitions may interleave, each in order of offset.
func (b *ByGroup) Add(p record.Point, value string, futureMs int64) {
	if p.State != record.Usable || sentinel(p) || ahead(p, futureMs) {
		return
	}
	disorder, seen := b.tops.meet(p)
	if p.PreRoll {
		return
	}
	g := b.Groups[value]
	switch {
	case g != nil:
	case b.Groups == nil:
		g = &Group{}
		b.Groups = map[string]*Group{value: g}
	case len(b.Groups) == maxGroups:
		g = &b.Others
	default:
		g = &Group{}
		b.Groups[value] = g
	}
	g.Records++
	if seen {
		g.Own.Add(disorder)
		if g.Steps == nil {
			g.Steps = Steps{}
		}
		g.Steps.add(disorder)
	}
}

// Cut resets the running maxima: another segment follows.
func (b *ByGroup) Cut() { clear(b.tops) }
