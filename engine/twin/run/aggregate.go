package run

import "tidemark/engine"

// row is a row of a LocalWindowAggregate: a key, and a slice given by its end.
type row struct{ key, end int64 }

// localAgg corresponds to LocalSlicingWindowAggOperator: it aggregates records per key and slice, and
// emits a row for each once the watermark has passed the slice. It drops nothing; the global
// aggregation does.
type localAgg struct {
	engine.Context
	size int64
	rows map[row]int64
	next int64 // end of the earliest slice held, 0 = none
}

// slice is the length of the slices of a window (SliceAssigners).
func slice(w engine.WindowSpec) int64 {
	if w.Shape == engine.Tumbling {
		return w.SizeMs
	}
	a, b := w.SizeMs, w.SlideMs
	for b > 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

func (l *localAgg) EmitStatus(idle bool) { l.Out.EmitStatus(idle) }

func (l *localAgg) Record(_ int, key, ts int64) error {
	rest := ts % l.size
	if rest < 0 {
		rest += l.size
	}
	end := ts - rest + l.size
	l.rows[row{key, end}]++
	if l.next == 0 || end < l.next {
		l.next = end
	}
	return nil
}

func (l *localAgg) EmitWatermark(ts int64) {
	if l.next != 0 && ts >= l.next-1 {
		l.next = 0
		for r := range l.rows {
			if ts >= r.end-1 {
				l.Emit(r.key, r.end-1)
				delete(l.rows, r)
			} else if l.next == 0 || r.end < l.next {
				l.next = r.end
			}
		}
	}
	l.Out.EmitWatermark(ts)
}

// procWindow counts records per key and window of processing time; it forwards watermarks
// unchanged.
type procWindow struct {
	engine.Context
	size, end int64
	keys      map[int64]bool
}

func newProcWindow(c engine.Context, size int64) *procWindow {
	return &procWindow{Context: c, size: size, end: c.StartMs - c.StartMs%size + size, keys: map[int64]bool{}}
}

func (p *procWindow) EmitStatus(idle bool)   { p.Out.EmitStatus(idle) }
func (p *procWindow) EmitWatermark(ts int64) { p.Out.EmitWatermark(ts) }
func (p *procWindow) Record(_ int, key, _ int64) error {
	p.keys[key] = true
	return nil
}

// NextTimer is the end of the open window.
func (p *procWindow) NextTimer() int64 { return p.end }

// AdvanceTo closes every window that has ended.
func (p *procWindow) AdvanceTo(now int64) error {
	for p.end <= now {
		for k := range p.keys {
			p.Emit(k, p.end-1)
		}
		clear(p.keys)
		p.end += p.size
	}
	return nil
}
