package whatif

import (
	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
)

// mostRecords is how many records are held at most over all splits, 32 bytes each.
const mostRecords = 4_000_000

// prepared is the twin of the unchanged job, played and compared with the cluster.
type prepared struct {
	*base
	design    *design
	playbacks playbacks
	fit       *Fit
}

// prepare finds what is in force, plays the unchanged twin and compares it with the cluster; why says why nothing can be
// compared. changed holds the design of each group, to be played later: the warm-up is long enough for them as well.
func prepare(cross *crosscheck.Crosscheck, logs map[string]*Log, lastMs int64, known []Setting, groups []group) (p *prepared, changed []*design, why string, err error) {
	b := &base{cross: cross, logs: logs, lastMs: lastMs}
	if why = unplayable(cross); why != "" {
		return nil, nil, why, nil
	}
	if b.findUnread(); !b.anyUse() {
		return nil, nil, b.whyNothing(), nil
	}
	b.findMoments()
	b.findFirst()
	p = &prepared{base: b, design: b.inForce()}
	if err = p.design.apply(cross.Job(), known); err != nil {
		return nil, nil, "", err
	}
	for _, g := range groups {
		d := p.design.clone()
		if err = d.apply(cross.Job(), g.settings); err != nil {
			return nil, nil, "", err
		}
		changed = append(changed, d)
	}
	if why = b.findSpan(append([]*design{p.design}, changed...)); why != "" {
		return p, changed, why, nil
	}
	if p.playbacks, p.base, err = b.playWhole(p.design, append(b.steps(), b.moments(p.design)...)); err != nil {
		return p, changed, "", err
	}
	p.fit = p.base.fit(p.design, p.playbacks)
	return p, changed, "", nil
}

// unplayable says why a job has no twin.
func unplayable(x *crosscheck.Crosscheck) string {
	j := x.Job()
	switch {
	case j.Now == nil || !j.Running() || j.Batch:
		return "the job is not a running streaming job, so its cached metrics are old"
	case !j.Compared():
		return "there are not two samples from different metric fetches, and the twin must be compared with two"
	case j.RestartedBetween():
		return "the job restarted between the samples"
	case len(x.Sources) == 0:
		return "the job has no source whose splits are Kafka partitions"
	}
	for _, s := range x.Sources {
		if s.Missing != "" {
			return s.Missing
		}
	}
	return ""
}

// anyUse reports a vertex for which something can be predicted.
func (b *base) anyUse() bool {
	for _, v := range b.cross.Job().Vertices {
		if b.unread[v] == nil && !v.IsSource() {
			return true
		}
	}
	return false
}

// whyNothing says why nothing can be predicted.
func (b *base) whyNothing() string {
	for _, v := range b.cross.Job().Sources() {
		if b.unread[v] == v {
			return "the records of source " + model.SourceLabel(v) + " cannot be read, since its splits are not Kafka partitions, and every vertex downstream depends on them"
		}
	}
	return "the job has no vertex downstream of its sources"
}
