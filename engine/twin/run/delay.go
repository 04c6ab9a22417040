package run

import "tidemark/engine"

// delay forwards records at once and keeps watermarks and statuses for some ms of wall clock. It
// models buffers, and a timer of unknown phase.
type delay struct {
	engine.Context
	ms    int64
	queue []held
}

type held struct {
	at     int64
	ts     int64
	status bool
	idle   bool
}

func (d *delay) EmitStatus(idle bool)   { d.take(held{status: true, idle: idle}) }
func (d *delay) EmitWatermark(ts int64) { d.take(held{ts: ts}) }

func (d *delay) take(h held) {
	if d.ms == 0 {
		d.give(h)
		return
	}
	h.at = d.Now() + d.ms
	d.queue = append(d.queue, h)
}

func (d *delay) give(h held) {
	if h.status {
		d.Out.EmitStatus(h.idle)
		return
	}
	d.Out.EmitWatermark(h.ts)
}

func (d *delay) Record(_ int, key, ts int64) error {
	d.Emit(key, ts)
	return nil
}

// NextTimer is when the oldest kept element is forwarded.
func (d *delay) NextTimer() int64 {
	if len(d.queue) == 0 {
		return engine.End
	}
	return d.queue[0].at
}

// AdvanceTo forwards the elements that have waited long enough.
func (d *delay) AdvanceTo(now int64) error {
	for len(d.queue) > 0 && d.queue[0].at <= now {
		h := d.queue[0]
		d.queue = d.queue[1:]
		d.give(h)
	}
	return nil
}
