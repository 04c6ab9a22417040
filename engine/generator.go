package engine

// mode selects the code path of a generator; fastMax needs no function call per record.
type mode uint8

const (
	released mode = iota
	fastMax
	sqlLast
	eachEvent
	silent
	punctuate
	custom
)

// hot is the part of a split's generator that each record touches. It is separate and small, so
// that a record of the common strategies costs one compare and two stores.
type hot struct {
	max    int64 // largest event time minus before
	before int64 // subtracted from each event time: the SQL delay
	active bool  // a record came since the last probe
	fast   bool  // an event needs nothing else
}

// generator is one split's (or the main output's) watermark generator together
// with its idleness. It corresponds to BoundedOutOfOrdernessWatermarks, AscendingTimestampsWatermarks,
// NoWatermarksGenerator and GeneratedWatermarkGeneratorSupplier.DefaultWatermarkGenerator,
// each possibly inside WatermarksWithIdleness.
type generator struct {
	after int64 // subtracted at emission: the DataStream bound plus one
	mode  mode
	rises bool // emit on event only when the value rises
	idle  idleTimer
	user  Generator
	fn    func(int64) (int64, bool)
}

func newGenerator(s Strategy, b Behaviour) (generator, hot) {
	g, h := generator{idle: newIdleTimer(s.IdleMs)}, hot{max: None}
	switch s.Kind {
	case NoWatermarks:
		g.mode = silent
	case Punctuated:
		g.mode, g.fn = punctuate, s.Punctuate
	case Custom:
		g.mode, g.user = custom, s.New()
	default:
		g.mode = fastMax
		if s.SQL {
			h.before = s.BoundMs
		} else {
			g.after = s.BoundMs + 1
			h.max = None + g.after
		}
		if s.EmitOnEvent {
			g.mode = eachEvent
			g.rises = s.SQL && b.SQLKeepsMax
		} else if s.SQL && !b.SQLKeepsMax {
			g.mode = sqlLast
		}
		if s.SQL && s.EmitOnEvent && !b.SQLKeepsMax {
			g.fn = func(ts int64) (int64, bool) { return ts - s.BoundMs, true }
			g.mode = punctuate
		}
	}
	h.fast = g.mode == fastMax
	return g, h
}

// onEvent handles every mode; Source.Record has its own copy of the fast one.
func (g *generator) onEvent(h *hot, ts int64, out GeneratorOutput) {
	h.active = true
	switch g.mode {
	case fastMax:
		h.max = max(h.max, ts-h.before)
	case sqlLast:
		h.max = ts - h.before
	case eachEvent:
		if v := ts - h.before; v > h.max {
			h.max = v
		} else if g.rises {
			return
		}
		out.EmitWatermark(h.max - g.after)
	case punctuate:
		if w, ok := g.fn(ts); ok {
			out.EmitWatermark(w)
		}
	case custom:
		g.user.OnEvent(ts, out)
	}
}

// onPeriodic is one periodic probe; now is the reading of the activity clock (ms).
func (g *generator) onPeriodic(h *hot, now int64, out GeneratorOutput) {
	if g.idle.enabled {
		quiet := !h.active
		h.active = false
		if idle, first := g.idle.probe(quiet, now); idle {
			if first {
				out.MarkIdle()
			}
			return
		}
	}
	switch g.mode {
	case fastMax, sqlLast:
		out.EmitWatermark(h.max - g.after)
	case custom:
		g.user.OnPeriodic(out)
	}
}
