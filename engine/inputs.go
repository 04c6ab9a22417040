package engine

import "fmt"

// Inputs combines the watermarks of an operator's inputs, one valve each; it
// stands for AbstractStreamOperator (two inputs), AbstractStreamOperatorV2 (any
// number) and IndexedCombinedWatermarkStatus. An idle input is left out of the
// minimum; a single None on an active input blocks everything.
type Inputs struct {
	combined *Combined
	out      Output
}

// NewInputs serves a number of inputs, at least one. Watermarks go to out, which
// is the operator itself.
func NewInputs(inputs int, b Behaviour, out Output) (*Inputs, error) {
	if inputs < 1 {
		return nil, fmt.Errorf("operator with %d inputs: want at least one", inputs)
	}
	in := &Inputs{combined: NewCombined(b), out: out}
	for range inputs {
		in.combined.Add()
	}
	return in, nil
}

// Watermark takes an input's watermark. It makes an idle input count again, and
// if that ends the operator's idleness nothing is announced for it.
func (in *Inputs) Watermark(input int, ts int64) error {
	if err := in.check(input); err != nil {
		return err
	}
	in.combined.parts[input].Set(ts)
	in.update()
	return nil
}

// Status takes an input's IDLE (true) or ACTIVE; when the operator as a whole
// changes, the same status is passed on, after any watermark this released.
func (in *Inputs) Status(input int, idle bool) error {
	if err := in.check(input); err != nil {
		return err
	}
	before := in.combined.Idle()
	in.combined.parts[input].SetIdle(idle)
	in.update()
	if before != in.combined.Idle() {
		in.out.EmitStatus(idle)
	}
	return nil
}

// Holder is the input with the lowest watermark, -1 while all are idle.
func (in *Inputs) Holder() int { return in.combined.Holder() }

// Last is the combined watermark, None before the first.
func (in *Inputs) Last() int64 { return in.combined.Watermark() }

func (in *Inputs) update() {
	if in.combined.Update() {
		in.out.EmitWatermark(in.combined.Watermark())
	}
}

func (in *Inputs) check(input int) error {
	if input < 0 || input >= len(in.combined.parts) {
		return fmt.Errorf("input %d of %d", input, len(in.combined.parts))
	}
	return nil
}

// Channel is what leaves a task or passes to the next operator of a chain: while
// its announced status is idle, watermarks are swallowed. It stands for
// RecordWriterOutput and ChainingOutput.
type Channel struct {
	out  Output
	idle bool
	last int64
}

// NewChannel starts active at None.
func NewChannel(out Output) *Channel { return &Channel{out: out, last: None} }

// EmitWatermark passes a watermark on unless idleness was announced.
func (c *Channel) EmitWatermark(ts int64) {
	if c.idle {
		return
	}
	c.last = ts
	c.out.EmitWatermark(ts)
}

// EmitStatus passes a change of status on.
func (c *Channel) EmitStatus(idle bool) {
	if c.idle == idle {
		return
	}
	c.idle = idle
	c.out.EmitStatus(idle)
}

// Last is what the operator's currentOutputWatermark shows.
func (c *Channel) Last() int64 { return c.last }
