package sqlplan

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/internal/units"
)

const (
	alignGroup    = "scan.watermark.alignment.group"
	alignDrift    = "scan.watermark.alignment.max-drift"
	alignInterval = "scan.watermark.alignment.update-interval"
)

// alignment judges the alignment that a table declares.
func (r *reader) alignment(s Source, t table) {
	group, grouped := t.options[alignGroup]
	drift, drifts := t.options[alignDrift]
	subject := ofTable(s.Table)
	if t.watermark == nil || !grouped && !drifts || s.OnlyWritten {
		return
	}
	if !grouped || !drifts {
		has, lacks, at := alignGroup, alignDrift, group.at
		if !grouped {
			has, lacks, at = alignDrift, alignGroup, drift.at
		}
		f := r.finding("TM619", subject, r.at(at))
		f.Severity = catalog.Critical
		f.Summary = fmt.Sprintf("Table %s sets %s and no %s: Flink refuses to read the table", name(s.Table), has, lacks)
		prove(&f, s.Table, has, t.options[has].value)
		r.add(f)
		return
	}
	for _, key := range []string{alignDrift, alignInterval} {
		if v, ok := t.options[key]; ok && spanOf(v.value) == known(0) {
			f := r.finding("TM619", subject, r.at(v.at))
			f.Summary = fmt.Sprintf("Table %s names alignment group %s with %s of 0: Flink leaves the alignment off", name(s.Table), name(group.value), key)
			prove(&f, s.Table, key, v.value)
			r.add(f)
			return
		}
	}
	if far := spanOf(drift.value); far.State == SpanKnown && s.IdleTimeout.State == SpanKnown && far.Ms < s.IdleTimeout.Ms {
		f := r.finding("TM502", subject, r.at(drift.at))
		f.Summary = fmt.Sprintf("Table %s is aligned in group %s with a drift of %s and an idle timeout of %s: a silent member stops the others for %s", name(s.Table), name(group.value), far, s.IdleTimeout, units.Duration(s.IdleTimeout.Ms-far.Ms))
		prove(&f, s.Table, alignDrift, drift.value)
		prove(&f, s.Table, "idle timeout", s.IdleTimeout.String())
		r.add(f)
	}
}

// misaligned reports a table of the script whose alignment Flink refuses, which alignment says.
func (r *reader) misaligned() bool {
	for _, d := range r.tables {
		t := r.withHints(r.resolved(d.table, 0))
		_, grouped := t.options[alignGroup]
		if _, drifts := t.options[alignDrift]; t.watermark != nil && grouped != drifts {
			return true
		}
	}
	return false
}

// alone reports groups that only one table of the script names, where others could be waited for.
func (r *reader) alone() {
	members := map[string][]Source{}
	sources := 0
	for _, s := range r.answer.Sources {
		if s.OnlyWritten {
			continue
		}
		if s.HasWatermark() {
			sources++
		}
		if s.AlignGroup != "" {
			members[s.AlignGroup] = append(members[s.AlignGroup], s)
		}
	}
	for group, in := range members {
		if len(in) > 1 || sources < 2 || in[0].AlignDrift.State == SpanUnknown { // without a drift it is refused
			continue
		}
		f := r.finding("TM619", ofTable(in[0].Table), in[0].Location)
		f.Severity, f.Confidence = catalog.Info, catalog.Possible
		f.Summary = fmt.Sprintf("Table %s is alone in alignment group %s: its own splits wait for each other, no other table does", name(in[0].Table), name(group))
		prove(&f, in[0].Table, alignGroup, group)
		r.add(f)
	}
}
