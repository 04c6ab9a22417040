package whatif

import (
	"fmt"
	"slices"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
	"tidemark/internal/units"
)

// Answer plays a job that was read: unchanged, and with the settings of each column.
func Answer(x *crosscheck.Crosscheck, logs map[string]*Log, lastMs int64, set, known []Setting) (*Result, error) {
	j := x.Job()
	out := &Result{Job: model.Ref{ID: j.ID, Name: j.Name}, ShortID: j.ShortID, Version: x.Version.String(), InForce: []InForce{}, NotModelled: []NotModelled{}, Columns: []Column{}, Expected: []Expectation{}, Notes: []string{}}
	groups := columnsOf(resolve(j, set))
	p, changed, why, err := prepare(x, logs, lastMs, known, groups)
	if err != nil {
		return nil, err
	}
	out.NotReady = why
	if p == nil {
		return out, nil
	}
	p.describe(out)
	if out.Fit = p.fit; !out.Reproduces() {
		return out, nil
	}
	out.Columns = append(out.Columns, p.column(asIs, nil, p.design, p.playbacks))
	for i, d := range changed {
		playbacks, _, err := p.playWhole(d, append(p.steps(), p.moments(d)...))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", groups[i].name, err)
		}
		out.Columns = append(out.Columns, p.column(groups[i].name, groups[i].settings, d, playbacks))
	}
	return out, nil
}

// group is the settings of one column.
type group struct {
	name     string
	settings []Setting
}

// asIs is the name of the unchanged column.
const asIs = "as it is"

func names(groups []group) []string {
	all := []string{asIs}
	for _, g := range groups {
		all = append(all, g.name)
	}
	return all
}

// columnsOf groups settings by column. A setting without a column is in every column; if no setting has one, all are in
// one.
func columnsOf(set []Setting) []group {
	var out []group
	for _, s := range set {
		if s.Column != "" && !slices.ContainsFunc(out, func(g group) bool { return g.name == s.Column }) {
			out = append(out, group{name: s.Column})
		}
	}
	if len(out) == 0 && len(set) > 0 {
		out = []group{{name: "changed"}}
	}
	for i := range out {
		for _, s := range set {
			if s.Column == "" || s.Column == out[i].name {
				out[i].settings = append(out[i].settings, s)
			}
		}
	}
	return out
}

// describe fills in what was played.
func (p *prepared) describe(out *Result) {
	b := p.base
	out.Judged = Judged{PlayedFromMs: b.playMs, FromMs: b.fromMs, ToMs: b.now.lo, SkewMs: b.now.skew, Young: b.playMs == b.startMs}
	for _, l := range b.logs {
		out.Judged.Records += int64(len(l.entries) - l.since(b.playMs-b.backMs))
	}
	for _, f := range p.design.sources {
		one := InForce{Source: *f.vertex.Ref(), Name: f.name, Kind: "bounded", DelayMs: f.strategy.BoundMs, IdleMs: f.strategy.IdleMs, IntervalMs: f.strategy.IntervalMs,
			Emit: "on-periodic", Place: "source", Parallelism: f.vertex.Parallelism, Splits: f.vertex.TotalSplits(), Origin: f.origin}
		one.Field, one.ShiftMs = f.cross.InForce.Unit.String(), f.cross.InForce.ShiftMs
		if f.strategy.Kind != 0 {
			one.Kind = "none"
		}
		if f.strategy.EmitOnEvent {
			one.Emit = "on-event"
		}
		if f.behind != nil {
			one.Place = "downstream"
		}
		if a := f.align; a != nil {
			one.Alignment = fmt.Sprintf("%s, %s, every %s", a.Group, units.Duration(a.MaxDriftMs), units.Duration(a.UpdateMs))
		}
		out.InForce = append(out.InForce, one)
	}
	var left []NotModelled
	if f := p.playbacks[nominal]; f != nil {
		left = f.left
	} else { // nothing was played
		left = b.build(p.design, nominal).left
	}
	out.NotModelled = append(out.NotModelled, left...)
	for _, v := range b.cross.Job().Vertices {
		if because := b.unread[v]; because != nil {
			why := "it gets records of source " + model.SourceLabel(because) + ", whose splits are not Kafka partitions"
			if because == v {
				why = "its splits are not Kafka partitions"
			}
			out.NotModelled = append(out.NotModelled, NotModelled{Vertex: *v.Ref(), Operator: model.HeadName(v), Why: why, Counts: true})
		}
	}
}
