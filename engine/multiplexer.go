package engine

// multiplexer combines the watermarks of a source's splits into one input of the idle gate; it
// corresponds to WatermarkOutputMultiplexer.
type multiplexer struct {
	combined *Combined
	out      *gateSide
}

func (m *multiplexer) update() {
	if m.combined.Update() {
		m.out.EmitWatermark(m.combined.Watermark())
	}
	if m.combined.Idle() {
		m.out.MarkIdle()
	}
}

// immediateOutput is what generators write to on each event: a value that advances is combined at
// once.
type immediateOutput struct {
	mux  *multiplexer
	part *Partial
}

func (o *immediateOutput) EmitWatermark(ts int64) {
	if o.part.Set(ts) && ts > o.mux.combined.Watermark() {
		o.mux.update()
	}
}

func (o *immediateOutput) MarkIdle() {
	o.part.SetIdle(true)
	o.mux.update()
}

func (o *immediateOutput) MarkActive() {
	o.part.SetIdle(false)
	o.mux.update()
}

// deferredOutput is what generators write to on a periodic probe: the source combines once after
// all splits were probed.
type deferredOutput struct{ part *Partial }

func (o *deferredOutput) EmitWatermark(ts int64) { o.part.Set(ts) }
func (o *deferredOutput) MarkIdle()              { o.part.SetIdle(true) }
func (o *deferredOutput) MarkActive()            { o.part.SetIdle(false) }
