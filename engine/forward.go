package engine

// forward forwards a watermark only when it advances, and keeps the announced status; it stands
// for WatermarkToDataOutput. A watermark that does not advance returns early, so a source that
// was idle and resumes with older data never announces ACTIVE (FLINK-40504, all releases up to
// 2.3.0).
type forward struct {
	out      Output
	max      int64
	idle     bool
	listener effectiveListener
}

// effectiveListener is called with what a whole source emits; it corresponds to
// TimestampsAndWatermarks.WatermarkUpdateListener.
type effectiveListener interface {
	effectiveWatermark(ts int64)
	effectiveIdle(idle bool)
}

func (f *forward) EmitWatermark(ts int64) {
	if ts <= f.max {
		return
	}
	f.max = ts
	if f.listener != nil {
		f.listener.effectiveWatermark(ts)
	}
	f.MarkActive()
	f.out.EmitWatermark(ts)
}

func (f *forward) MarkIdle() {
	if f.idle {
		return
	}
	f.out.EmitStatus(true)
	if f.listener != nil {
		f.listener.effectiveIdle(true)
	}
	f.idle = true
}

func (f *forward) MarkActive() {
	if !f.idle {
		return
	}
	f.out.EmitStatus(false)
	if f.listener != nil {
		f.listener.effectiveIdle(false)
	}
	f.idle = false
}

// idleGate announces idleness only when the main output and the split outputs
// are both idle; both start idle. It corresponds to
// ProgressiveTimestampsAndWatermarks.IdlenessManager (FLINK-28975).
type idleGate struct {
	forward *forward
	splits  gateSide
	main    gateSide
}

type gateSide struct {
	gate *idleGate
	idle bool
}

func newIdleGate(f *forward) *idleGate {
	g := &idleGate{forward: f}
	g.splits = gateSide{g, true}
	g.main = gateSide{g, true}
	return g
}

func (s *gateSide) EmitWatermark(ts int64) {
	s.gate.forward.EmitWatermark(ts)
	s.idle = false
}

func (s *gateSide) MarkIdle() {
	s.idle = true
	if s.gate.splits.idle && s.gate.main.idle {
		s.gate.forward.MarkIdle()
	}
}

func (s *gateSide) MarkActive() {
	s.idle = false
	s.gate.forward.MarkActive()
}
