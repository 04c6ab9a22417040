package engine

// Result is the outcome of a replay.
type Result struct {
	Records, Late  int64
	StartMs, EndMs int64 // clock of the first and the last event
	Watermark      int64 // global, None while there is none
	Idle           bool
	Splits         []SplitResult
	Windows        []WindowResult
	Lag            Spread // clock minus global watermark, at each step of the watermark
}

// SplitResult is the outcome of one split.
type SplitResult struct {
	Subtask       int
	Records, Late int64
	Newest        int64 // largest event time, None without records
	Watermark     int64 // the split's own, None while there is none
	Idle          bool
}

// WindowResult sums up one window operator.
type WindowResult struct {
	Spec    WindowSpec
	Fired   int64 // windows, each once
	Again   int64 // firings after the first, for late records
	Taken   int64 // records in fired windows at their first firing
	Late    int64 // of those, late ones that still counted
	Dropped int64 // records that no window took
	Counted int64 // of those, in numLateRecordsDropped
	Open    int   // windows still in state
	// Delay is the clock of a window's first firing minus that of its last record: the latency
	// that the strategy added to the result.
	Delay Spread
	// Latency is the clock of a first firing minus the end of the window.
	Latency Spread
}

// Spread collects durations in milliseconds.
type Spread struct {
	N        int64
	Sum      float64
	Min, Max int64
}

func (s *Spread) add(ms int64) {
	if s.N == 0 || ms < s.Min {
		s.Min = ms
	}
	if s.N == 0 || ms > s.Max {
		s.Max = ms
	}
	s.N++
	s.Sum += float64(ms)
}

// Mean is the average, 0 without values.
func (s Spread) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return s.Sum / float64(s.N)
}

// Result is a copy of the result so far.
func (r *Replayer) Result() Result {
	res := r.result
	res.Watermark, res.Idle = r.valve.Last(), r.valve.Idle()
	res.EndMs = r.now
	res.Splits = append([]SplitResult(nil), r.result.Splits...)
	res.Windows = append([]WindowResult(nil), r.result.Windows...)
	for i, w := range r.windows {
		res.Windows[i].Open = w.Open()
		res.Windows[i].Counted = w.Dropped()
	}
	return res
}

func (r *Replayer) point(scope Scope, index int, watermark int64, idle bool) {
	if r.cfg.OnPoint != nil {
		r.cfg.OnPoint(Point{r.now, scope, index, watermark, idle})
	}
}

func (r *Replayer) splitMoved(split int, watermark int64, idle bool) {
	s := &r.result.Splits[split]
	if s.Watermark == watermark && s.Idle == idle {
		return
	}
	s.Watermark, s.Idle = watermark, idle
	r.point(OfSplit, split, watermark, idle)
}

func (r *Replayer) fired(window int, f Fired) {
	w := &r.result.Windows[window]
	if f.Again {
		w.Again++
	} else {
		w.Fired++
		w.Taken += f.Records
		w.Late += f.Late
		w.Delay.add(f.At - f.Newest)
		if f.Watermark != End {
			w.Latency.add(f.At - f.End)
		}
	}
	if r.cfg.OnFired != nil {
		r.cfg.OnFired(window, f)
	}
}

func (r *Replayer) dropped(window int, d Dropped) {
	r.result.Windows[window].Dropped++
	if r.cfg.OnDropped != nil {
		r.cfg.OnDropped(window, d)
	}
}

// subtaskPort is the output of one source subtask.
type subtaskPort struct {
	r     *Replayer
	index int
}

func (p subtaskPort) EmitWatermark(ts int64) {
	p.r.point(OfSubtask, p.index, ts, false)
	_ = p.r.valve.Watermark(p.index, ts) // the channel exists: NewReplayer built one a subtask
}

func (p subtaskPort) EmitStatus(idle bool) {
	p.r.point(OfSubtask, p.index, p.r.readers[p.index].channel.last, idle)
	_ = p.r.valve.Status(p.index, idle) // as above
}

// global is what the operator behind the exchange receives.
type global struct{ r *Replayer }

func (g global) EmitWatermark(ts int64) {
	r := g.r
	if ts != End {
		r.result.Lag.add(r.now - ts)
	}
	for _, w := range r.windows {
		w.clock = r.now
		w.Watermark(ts)
	}
	r.point(Global, 0, ts, false)
}

func (g global) EmitStatus(idle bool) { g.r.point(Global, 0, g.r.valve.last, idle) }
