package engine

// Partial is one split's or input's share of a combined watermark; it corresponds to
// CombinedWatermarkStatus.PartialWatermark.
type Partial struct {
	watermark int64
	idle      bool
	id        int
	listener  partialListener
}

// partialListener is called when a split's watermark or idleness changes; it corresponds to
// WatermarkOutputMultiplexer.WatermarkUpdateListener.
type partialListener interface {
	partialWatermark(id int, ts int64)
	partialIdle(id int, idle bool)
}

// Watermark is the highest value received, None before the first.
func (p *Partial) Watermark() int64 { return p.watermark }

// Idle reports whether the part is left out of the minimum.
func (p *Partial) Idle() bool { return p.idle }

// Set stores a watermark and clears idleness, whether or not the value is new. It reports whether
// the watermark advanced.
func (p *Partial) Set(ts int64) bool {
	p.SetIdle(false)
	if ts <= p.watermark {
		return false
	}
	if p.listener != nil {
		p.listener.partialWatermark(p.id, ts)
	}
	p.watermark = ts
	return true
}

// SetIdle takes the part out of the minimum or puts it back.
func (p *Partial) SetIdle(idle bool) {
	p.idle = idle
	if p.listener != nil {
		p.listener.partialIdle(p.id, idle)
	}
}

// Combined is the minimum over active parts; it never decreases. It corresponds to
// CombinedWatermarkStatus. With flushAllIdle (2.2 and later, FLINK-38454) it is the maximum over
// all parts once all are idle.
type Combined struct {
	parts        []*Partial
	watermark    int64
	idle         bool
	flushAllIdle bool
}

// NewCombined returns a combination without parts, active at None.
func NewCombined(b Behaviour) *Combined {
	return &Combined{watermark: None, flushAllIdle: b.FlushAllIdle}
}

// Add registers a new part, active at None.
func (c *Combined) Add() *Partial {
	p := &Partial{watermark: None}
	c.parts = append(c.parts, p)
	return p
}

// Remove removes a part; its last value no longer counts.
func (c *Combined) Remove(p *Partial) bool {
	for i, q := range c.parts {
		if q == p {
			c.parts = append(c.parts[:i], c.parts[i+1:]...)
			return true
		}
	}
	return false
}

// Watermark is the combined value computed by the last Update.
func (c *Combined) Watermark() int64 { return c.watermark }

// Idle reports whether all parts were idle at the last Update. Without parts it keeps its last
// value (FLINK-39586).
func (c *Combined) Idle() bool { return c.idle }

// Update recomputes the watermark and reports whether it advanced.
func (c *Combined) Update() bool {
	if len(c.parts) == 0 {
		return false
	}
	highest, lowest, allIdle := None, End, true
	for _, p := range c.parts {
		highest = max(highest, p.watermark)
		if !p.idle {
			lowest = min(lowest, p.watermark)
			allIdle = false
		}
	}
	c.idle = allIdle
	candidate := lowest
	if allIdle {
		if !c.flushAllIdle {
			return false
		}
		candidate = highest
	}
	if candidate <= c.watermark {
		return false
	}
	c.watermark = candidate
	return true
}

// Holder is the index of the active part with the lowest watermark, -1 if none.
func (c *Combined) Holder() int {
	holder := -1
	for i, p := range c.parts {
		if !p.idle && (holder < 0 || p.watermark < c.parts[holder].watermark) {
			holder = i
		}
	}
	return holder
}
