package engine

import "fmt"

// Valve combines the channels of one task input. It corresponds to StatusWatermarkValve (the same
// rules in 1.17 to 2.3.0; none of them fixes FLINK-40475). Channels start active, aligned and at
// None, so there is no output before every active channel has sent a watermark.
type Valve struct {
	channels []channel
	out      Output
	last     int64
	idle     bool
}

type channel struct {
	watermark int64
	idle      bool
	aligned   bool
}

// NewValve combines at least one channel.
func NewValve(channels int, out Output) (*Valve, error) {
	if channels < 1 {
		return nil, fmt.Errorf("valve with %d channels: want at least one", channels)
	}
	v := &Valve{channels: make([]channel, channels), out: out, last: None}
	for i := range v.channels {
		v.channels[i] = channel{watermark: None, aligned: true}
	}
	return v, nil
}

// Watermark handles a watermark of a channel. It is ignored while the channel or the whole valve
// is idle, or when it does not advance.
func (v *Valve) Watermark(ch int, ts int64) error {
	if ch < 0 || ch >= len(v.channels) {
		return fmt.Errorf("channel %d of %d", ch, len(v.channels))
	}
	c := &v.channels[ch]
	if v.idle || c.idle || ts <= c.watermark {
		return nil
	}
	c.watermark = ts
	if !c.aligned && ts >= v.last {
		c.aligned = true
	}
	v.emitMinimum()
	return nil
}

// Status handles IDLE (true) or ACTIVE of a channel. A channel that becomes active joins the
// minimum only once its watermark has caught up with the output; becoming active alone never
// recomputes the minimum (FLINK-40475).
func (v *Valve) Status(ch int, idle bool) error {
	if ch < 0 || ch >= len(v.channels) {
		return fmt.Errorf("channel %d of %d", ch, len(v.channels))
	}
	c := &v.channels[ch]
	if c.idle == idle {
		return nil
	}
	c.idle = idle
	if !idle {
		c.aligned = c.watermark >= v.last
		if v.idle {
			v.idle = false
			v.out.EmitStatus(false)
		}
		return nil
	}
	c.aligned = false
	held := c.watermark == v.last
	switch {
	case !v.anyActive():
		if held {
			v.emitMaximum()
		}
		v.idle = true
		v.out.EmitStatus(true)
	case held:
		v.emitMinimum()
	}
	return nil
}

// Last is the output watermark, None before the first.
func (v *Valve) Last() int64 { return v.last }

// Idle reports whether all channels are idle.
func (v *Valve) Idle() bool { return v.idle }

// Holder is the aligned channel with the lowest watermark, -1 if none.
func (v *Valve) Holder() int {
	holder := -1
	for i := range v.channels {
		if v.channels[i].aligned && (holder < 0 || v.channels[i].watermark < v.channels[holder].watermark) {
			holder = i
		}
	}
	return holder
}

func (v *Valve) anyActive() bool {
	for i := range v.channels {
		if !v.channels[i].idle {
			return true
		}
	}
	return false
}

func (v *Valve) emitMinimum() {
	if holder := v.Holder(); holder >= 0 && v.channels[holder].watermark > v.last {
		v.last = v.channels[holder].watermark
		v.out.EmitWatermark(v.last)
	}
}

func (v *Valve) emitMaximum() {
	highest := None
	for i := range v.channels {
		highest = max(highest, v.channels[i].watermark)
	}
	if highest > v.last {
		v.last = highest
		v.out.EmitWatermark(highest)
	}
}
