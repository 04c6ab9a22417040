package engine

import "fmt"

// Inputs combines the watermarks of an operator's inputs, one valve each. It corresponds to
// AbstractStreamOperator (two inputs), AbstractStreamOperatorV2 (any number) and
// IndexedCombinedWatermarkStatus. Idle inputs are left out of the minimum; one active input at
// None blocks the watermark.
type Inputs struct {
	combined *Combined
	out      Output
}

// NewInputs combines at least one input. Watermarks go to out, the operator itself.
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

// Watermark handles a watermark of an input. It makes an idle input active; if this ends the
// operator's idleness, no status is announced for it.
func (in *Inputs) Watermark(input int, ts int64) error {
	if err := in.check(input); err != nil {
		return err
	}
	in.combined.parts[input].Set(ts)
	in.update()
	return nil
}

// Status handles IDLE (true) or ACTIVE of an input. If the status of the whole operator changes,
// it is forwarded, after any watermark that the change released.
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

// Channel is the output of a task, or the link to the next operator of a chain: while the
// announced status is idle, it drops watermarks. It corresponds to RecordWriterOutput and
// ChainingOutput.
type Channel struct {
	out  Output
	idle bool
	last int64
}

// NewChannel returns an active channel at None.
func NewChannel(out Output) *Channel { return &Channel{out: out, last: None} }

// EmitWatermark forwards a watermark unless the channel was announced idle.
func (c *Channel) EmitWatermark(ts int64) {
	if c.idle {
		return
	}
	c.last = ts
	c.out.EmitWatermark(ts)
}

// EmitStatus forwards a change of status.
func (c *Channel) EmitStatus(idle bool) {
	if c.idle == idle {
		return
	}
	c.idle = idle
	c.out.EmitStatus(idle)
}

// Last is the value of the operator's gauge currentOutputWatermark.
func (c *Channel) Last() int64 { return c.last }
