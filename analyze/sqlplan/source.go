package sqlplan

import (
	"maps"
	"strings"

	"tidemark/internal/units"
)

// settings are the options in force: the cluster's own, and what SET put over them.
type settings map[string]string

// apply follows SET 'k' = 'v', SET k = v, RESET 'k' and RESET, which bring back the cluster's.
func (s settings) apply(t []token, cluster settings) {
	switch {
	case words(t, "RESET") && len(t) == 1:
		clear(s)
		maps.Copy(s, cluster)
	case words(t, "RESET"):
		k := join(t[1:])
		delete(s, k)
		if v, ok := cluster[k]; ok {
			s[k] = v
		}
	case words(t, "SET"):
		for i := 2; i < len(t)-1; i++ {
			if t[i].isSymbol("=") {
				s[join(t[1:i])] = join(t[i+1:])
				return
			}
		}
	}
}

func join(t []token) string {
	var b strings.Builder
	for _, w := range t {
		b.WriteString(w.value)
	}
	return b.String()
}

const (
	idleOption  = "scan.watermark.idle-timeout"
	idleSetting = "table.exec.source.idle-timeout"
)

// sourceOf gives the facts of a CREATE TABLE under the settings of a query.
func (r *reader) sourceOf(t table, set settings) Source {
	s := Source{Table: t.name, Connector: t.options["connector"].value, Location: r.at(t.at), Emit: EmitPeriodic,
		IdleTimeout: Span{State: SpanUnset}, AlignDrift: Span{State: SpanUnset}, AlignInterval: Span{State: SpanUnset}, Delay: Span{State: SpanUnset}}
	s.Topic = t.options["topic"].value
	if s.Topic == "" {
		s.Topic = t.options["topic-pattern"].value
	}
	if t.watermark == nil {
		return s
	}
	w := t.watermark
	s.Location, s.RowtimeColumn, s.WatermarkExpr = r.at(w.at), w.column, w.text
	if c := t.column(w.column); c != nil {
		s.RowtimeType = c.typ
	}
	s.Delay = Span{State: SpanUnknown}
	if isSourceWatermark(w.text) {
		s.SourceWatermark = true
	} else if ms, ok := delayOf(w.expr); ok {
		s.Delay = known(ms)
	}
	if v, ok := set[idleSetting]; ok {
		s.IdleTimeout = spanOf(v)
	}
	if v, ok := t.options[idleOption]; ok {
		s.IdleTimeout = spanOf(v.value)
	}
	if s.IdleTimeout == known(0) {
		s.IdleTimeout = Span{State: SpanUnset}
	}
	if t.platform && s.IdleTimeout.State == SpanUnset {
		s.IdleTimeout = Span{State: SpanUnknown} // the platform has its own timeout
	}
	s.align(t)
	return s
}

func (s *Source) align(t table) {
	if g, ok := t.options[alignGroup]; ok {
		s.AlignGroup, s.AlignInterval = g.value, known(1000) // Flink's default
		s.AlignDrift = Span{State: SpanUnknown}
		if v, ok := t.options[alignDrift]; ok {
			s.AlignDrift = spanOf(v.value)
		}
		if v, ok := t.options[alignInterval]; ok {
			s.AlignInterval = spanOf(v.value)
		}
		if s.AlignDrift == known(0) || s.AlignInterval == known(0) {
			s.AlignOff, s.AlignGroup = s.AlignGroup, ""
		}
	}
	if v, ok := t.options["scan.watermark.emit.strategy"]; ok {
		switch e := Emit(strings.ToLower(strings.TrimSpace(v.value))); e {
		case EmitPeriodic, EmitOnEvent:
			s.Emit = e
		default:
			s.Emit = EmitUnknown
		}
	}
}

func isSourceWatermark(expr string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(expr), ""), "SOURCE_WATERMARK()")
}

func spanOf(duration string) Span {
	if d, err := units.ParseFlinkDuration(duration); err == nil {
		return known(d.Milliseconds())
	}
	return Span{State: SpanUnknown}
}
