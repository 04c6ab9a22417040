package engine

// mode selects the code path of a generator; fastMax needs no call per record.
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

// generator is one split's (or the main output's) watermark generator together
// with its idleness, flattened so that a record costs a compare and a store.
// It stands for BoundedOutOfOrdernessWatermarks, AscendingTimestampsWatermarks,
// NoWatermarksGenerator and GeneratedWatermarkGeneratorSupplier.DefaultWatermarkGenerator,
// each possibly inside WatermarksWithIdleness.
type generator struct {
	max    int64 // largest event time minus before
	before int64 // subtracted at each event: the SQL delay
	after  int64 // subtracted at emission: the DataStream bound plus one
	mode   mode
	rises  bool // emit on event only when the value rises
	active bool // a record came since the last probe
	idle   idleTimer
	user   Generator
	fn     func(int64) (int64, bool)
}

func newGenerator(s Strategy, b Behaviour) generator {
	g := generator{max: None, idle: newIdleTimer(s.IdleMs)}
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
			g.before = s.BoundMs
		} else {
			g.after = s.BoundMs + 1
			g.max = None + g.after
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
	return g
}

// onEvent handles every mode but the fast one, which Source.Record inlines.
func (g *generator) onEvent(ts int64, out GeneratorOutput) {
	g.active = true
	switch g.mode {
	case fastMax:
		g.max = max(g.max, ts-g.before)
	case sqlLast:
		g.max = ts - g.before
	case eachEvent:
		if v := ts - g.before; v > g.max {
			g.max = v
		} else if g.rises {
			return
		}
		out.EmitWatermark(g.max - g.after)
	case punctuate:
		if w, ok := g.fn(ts); ok {
			out.EmitWatermark(w)
		}
	case custom:
		g.user.OnEvent(ts, out)
	}
}

// onPeriodic is one probe at the activity clock's reading now (ms).
func (g *generator) onPeriodic(now int64, out GeneratorOutput) {
	if g.idle.enabled {
		quiet := !g.active
		g.active = false
		if idle, first := g.idle.probe(quiet, now); idle {
			if first {
				out.MarkIdle()
			}
			return
		}
	}
	switch g.mode {
	case fastMax, sqlLast:
		out.EmitWatermark(g.max - g.after)
	case custom:
		g.user.OnPeriodic(out)
	}
}
