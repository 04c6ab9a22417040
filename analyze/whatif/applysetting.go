package whatif

import (
	"errors"
	"slices"
	"strings"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/internal/units"
)

func (s Setting) origin() Origin {
	if s.flag == "known" {
		return FromSaid
	}
	return FromChange
}

func (s Setting) duration() (int64, error) {
	if s.Value == "none" {
		return 0, nil
	}
	d, err := units.ParseDuration(s.Value)
	if err != nil {
		return 0, s.mistake("%w", err)
	}
	if d < 0 || d.Milliseconds() > 30*24*3_600_000 {
		return 0, s.mistake("it takes a duration from 0 to 30 days")
	}
	return d.Milliseconds(), nil
}

var errNoEmission = errors.New("pipeline.auto-watermark-interval is 0, and idleness is checked only at each periodic emission; set interval before this")

func (d *design) ofSource(s Setting, f *force) error {
	f.origin[s.Name] = s.origin()
	switch s.Name {
	case "delay":
		ms, err := s.duration()
		if err != nil {
			return err
		}
		f.strategy.Kind, f.strategy.BoundMs = engine.BoundedOutOfOrderness, ms
	case "idle-timeout":
		ms, err := s.duration()
		switch {
		case err != nil:
			return err
		case ms > 0 && f.strategy.IntervalMs == 0:
			return s.mistake("%w", errNoEmission)
		case ms > 0 && f.strategy.EmitOnEvent && f.strategy.SQL:
			return s.mistake("with watermark.emit.strategy on-event idleness is checked only when a record arrives (FLIP-296), so a silent split is never declared idle; set emit=on-periodic before this")
		}
		f.strategy.IdleMs = ms
	case "emit":
		if s.Value != "on-event" && s.Value != "on-periodic" {
			return s.mistake("it takes on-periodic or on-event")
		}
		f.strategy.EmitOnEvent = s.Value == "on-event"
	case "place":
		return d.place(s, f)
	case "alignment":
		return s.align(f)
	}
	return nil
}

// place moves the strategy into the source, or to an assigner downstream.
func (d *design) place(s Setting, f *force) error {
	switch {
	case s.Value == "source":
		f.behind, f.moved = nil, false
	case s.Value != "downstream":
		return s.mistake("it takes source or downstream")
	case f.align != nil:
		return s.mistake("alignment needs the strategy in the source")
	case f.behind == nil:
		f.moved = true
	}
	return nil
}

// align parses none, or GROUP,DRIFT[,UPDATE-INTERVAL].
func (s Setting) align(f *force) error {
	if s.Value == "none" {
		f.align = nil
		return nil
	}
	parts := strings.Split(s.Value, ",")
	if len(parts) < 2 || len(parts) > 3 || parts[0] == "" {
		return s.mistake("it takes none, or GROUP,DRIFT[,UPDATE-INTERVAL], as in shop,30s,1s")
	}
	if f.behind != nil || f.moved {
		return s.mistake("alignment needs the strategy in the source, and that of %s is downstream; set %s.place=source before this", f.name, f.name)
	}
	a := &engine.AlignmentConfig{Group: parts[0], UpdateMs: 1000, Samples: -1}
	for i, into := range []*int64{&a.MaxDriftMs, &a.UpdateMs}[:len(parts)-1] {
		d, err := units.ParseDuration(strings.TrimSpace(parts[i+1]))
		if err != nil || d < 0 || i == 1 && d.Milliseconds() == 0 {
			return s.mistake("%q is not a valid duration here", cut(parts[i+1]))
		}
		*into = d.Milliseconds()
	}
	f.align = a
	return nil
}

// ofOperator applies a setting of a window, or of an assigner after an exchange.
func (d *design) ofOperator(s Setting, op *model.Operator) error {
	ms, err := s.duration()
	switch {
	case err != nil:
		return err
	case s.Name == "delay" || s.Name == "idle-timeout":
		if op.Kind != model.KindAssigner {
			return s.mistake("%q assigns no watermarks; name a source or an assigner", cut(op.Name))
		}
		one := d.assigners[op]
		if one.IntervalMs = d.intervalMs; s.Name == "delay" {
			one.BoundMs = ms
		} else {
			one.IdleMs = ms
		}
		d.assigners[op] = one
		return nil
	case op.Kind != model.KindWindow:
		return s.mistake("%q is no event-time window", cut(op.Name))
	}
	w, why := windowOf(op.Text)
	switch {
	case why != "":
		return s.mistake("the window of %q is not modelled: %s", cut(op.Name), why)
	case s.Name == "lateness":
		if w.Dialect == engine.SQL {
			return s.mistake("a SQL window table function has no allowed lateness")
		}
		w.LatenessMs, d.lateness[op] = ms, ms
	case s.Name == "offset":
		w.OffsetMs, d.offset[op] = w.OffsetMs+ms, ms
	}
	if err := w.Validate(); err != nil {
		return s.mistake("%w", err)
	}
	return nil
}

// widen changes the parallelism of a vertex, and of all vertices that are connected to it by FORWARD.
func (d *design) widen(s Setting, vx *model.Vertex, n int) error {
	if n == d.parallelism(vx) {
		return s.mistake("%s has that parallelism already", model.QuoteName(vx.Name))
	}
	var tie func(*model.Vertex)
	tie = func(v *model.Vertex) {
		if have, ok := d.width[v]; ok && have == n {
			return
		}
		d.width[v] = n
		for _, e := range slices.Concat(v.In, v.Out) {
			if shipOf(e) == engine.Forward {
				tie(e.From)
				tie(e.To)
			}
		}
	}
	tie(vx)
	return nil
}
