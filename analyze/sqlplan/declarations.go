package sqlplan

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// declarations gives the sources, those of the script in its order and then what else plans read, and
// judges their watermarks.
func (r *reader) declarations() {
	used := map[*scan]bool{}
	for i := range r.tables {
		d := &r.tables[i]
		t := r.withHints(r.resolved(d.table, 0))
		s := r.sourceOf(t, r.set)
		if of := r.likeCatalog(d); s.Connector == "" && (r.kinds[of] == "iceberg" || r.kinds[d.catalog] == "iceberg") {
			s.Connector = "iceberg" // FlinkCatalog gives its tables that connector
		}
		whole := t
		for _, c := range r.byPath {
			if r.declaredFor(c.path) == r.declaredAs(d.name) {
				used[c] = true
				t, s = r.planned(c, t)
			}
		}
		s.OnlyWritten = r.gw == nil && r.mentioned.onlyWritten(d.name, s.Connector)
		r.fromCatalog(d, whole, s.Read)
		r.epochUnit(&s, whole)
		r.answer.Sources = append(r.answer.Sources, s)
		r.judgeSource(s, t)
		r.alignment(s, whole)
	}
	r.alone()
	var paths []string
	for path, c := range r.byPath {
		if !used[c] {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		c := r.byPath[path]
		t, s := r.planned(c, table{name: path, options: map[string]option{}})
		r.answer.Sources = append(r.answer.Sources, s)
		r.judgeSource(s, t)
	}
}

// resolved adds what CREATE TABLE … LIKE takes from a table of the script.
func (r *reader) resolved(t table, hops int) table {
	if t.like != "" && hops < 10 {
		base := r.base(t.like)
		if base == nil {
			if r.gw == nil && hops == 0 {
				r.incomplete("table %s is LIKE %s, which the script does not declare", name(t.name), name(t.like))
			}
			return t
		}
		from := r.resolved(base.table, hops+1)
		if r.kinds[base.catalog] == "iceberg" {
			from.columns = icebergTypes(from.columns)
		}
		columns := slices.DeleteFunc(slices.Clone(from.columns), func(c column) bool { return c.computed != nil && !t.inherits("GENERATED") })
		t.columns = append(columns, t.columns...)
		if t.watermark == nil && t.inherits("WATERMARKS") {
			t.watermark = from.watermark
		}
		options := map[string]option{}
		if t.inherits("OPTIONS") {
			maps.Copy(options, from.options)
		}
		for k, v := range t.options {
			options[k] = v
		}
		t.options, t.like = options, from.like
		t.infer()
	}
	return t
}

// planned puts what the gateway's catalog and plan say in place of what the script says; places stay
// the script's.
func (r *reader) planned(c *scan, t table) (table, Source) {
	from := c.table
	if from.options == nil {
		from = t
	}
	from.name, from.at = t.name, t.at
	if from.watermark != nil && t.watermark != nil {
		w := *from.watermark
		w.at, w.col = t.watermark.at, t.watermark.col
		from.watermark = &w
	} else if from.watermark != nil {
		w := *from.watermark
		w.at, w.col = t.at, t.at
		from.watermark = &w
	}
	s := r.sourceOf(from, c.set)
	s.Read, s.EventTime = true, c.eventTime
	if t.at.line == 0 {
		s.Location = Location{}
	}
	if s.RowtimeType != "" {
		s.RowtimeType = strings.TrimSpace(strings.Replace(s.RowtimeType, "*ROWTIME*", "", 1))
	}
	if !c.watermark {
		return from, s
	}
	s.FromPlan = true
	d := c.declared
	if s.SourceWatermark = d.Source; !d.Source {
		s.Delay = Span{State: SpanUnknown}
		if d.DelayKnown {
			s.Delay = known(d.DelayMs)
		}
	}
	if c.assigner { // scan.watermark.* is not read there
		s.IdleTimeout = Span{State: SpanUnset}
		if v, ok := c.set[idleSetting]; ok {
			s.IdleTimeout = spanOf(v)
		}
		s.AlignGroup, s.AlignDrift, s.AlignInterval, s.Emit = "", Span{State: SpanUnset}, Span{State: SpanUnset}, EmitUnknown
	} else {
		s.IdleTimeout, s.Emit = Span{State: SpanUnset}, EmitPeriodic
		if d.IdleMs > 0 {
			s.IdleTimeout = known(d.IdleMs)
		}
		if d.OnEvent {
			s.Emit = EmitOnEvent
		}
		if s.AlignGroup = d.Group; d.Group != "" {
			s.AlignDrift, s.AlignInterval = known(d.DriftMs), known(d.UpdateMs)
		}
	}
	if s.IdleTimeout == known(0) {
		s.IdleTimeout = Span{State: SpanUnset}
	}
	return from, s
}
