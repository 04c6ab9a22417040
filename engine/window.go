package engine

import "fmt"

// Fired is one firing of a window.
type Fired struct {
	Key        int64
	Start, End int64 // event time, [Start, End)
	Records    int64 // all records of the window so far
	Late       int64 // of those, how many had an event time at or below the watermark on arrival
	Watermark  int64 // the watermark that fired it
	At         int64 // clock of the firing, as given to SetClock
	Newest     int64 // clock of the window's last record
	Again      bool  // fired before: this is for a late record within the allowed lateness
}

// Dropped is a record that no window took.
type Dropped struct {
	Key, EventTime int64
	Start, End     int64 // the last window it would have belonged to, zero if none
	Watermark      int64
	Counted        bool // in numLateRecordsDropped
}

// Late is what became of a record whose event time was at or below the watermark on arrival: how
// many of its windows had not fired yet, fired again for it, or were gone. If all are zero, it
// fell between windows.
type Late struct {
	Key, EventTime        int64
	Watermark             int64
	At                    int64 // clock of the arrival, as given to SetClock
	InTime, Fired, Missed int   // windows
}

// Taken reports a record that is in the result of at least one window.
func (l Late) Taken() bool { return l.InTime+l.Fired > 0 }

// WindowSink receives results; nil functions are skipped. A late record that no window took is
// passed to both OnDropped and OnLate.
type WindowSink struct {
	OnFired   func(Fired)
	OnDropped func(Dropped)
	OnLate    func(Late)
}

// Window is an event-time window operator that counts records per key and window. It does not
// change watermarks; the caller forwards them. It corresponds to WindowOperator with EventTimeTrigger
// (DataStream), WindowAggOperator (SQL window table functions) and the table runtime's
// WindowOperator (SQL group windows). Its memory is that of the open windows.
type Window struct {
	spec      WindowSpec
	sink      WindowSink
	watermark int64
	panes     map[paneKey]*pane
	sessions  map[int64][]*pane
	timers    paneHeap
	last      *pane // the pane of the last record, for runs in one window
	spans     []span
	late      Late // of the current record
	free      []*pane
	dead      int // panes that were merged into another session and still wait for their timer
	dropped   int64
	took      int64
	clock     int64
}

type paneKey struct {
	key int64
	span
}

type pane struct {
	paneKey
	records, late int64
	newest        int64
	due           int64 // the next timer: firing, then cleanup
	order         int64
	fired, dead   bool
}

// NewWindow builds the operator at watermark None. A SQL window restored from state starts at the
// watermark stored there: call Watermark with that value.
func NewWindow(spec WindowSpec, sink WindowSink) (*Window, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	return &Window{
		spec: spec, sink: sink, watermark: None,
		panes: map[paneKey]*pane{}, sessions: map[int64][]*pane{},
	}, nil
}

// Dropped is the operator's numLateRecordsDropped.
func (w *Window) Dropped() int64 { return w.dropped }

// Open is the number of windows held in state.
func (w *Window) Open() int { return len(w.timers.panes) - w.dead }

// SetClock sets the clock (ms), which is only copied into firings.
func (w *Window) SetClock(now int64) { w.clock = now }

// Record adds one record and reports whether any window took it. A record with event time None is
// an error, as in Flink's assigners.
func (w *Window) Record(key, ts int64) (taken bool, err error) {
	if ts == None {
		return false, fmt.Errorf("record without a timestamp (Long.MIN_VALUE) reaches a window")
	}
	if p := w.last; p != nil && p.key == key && ts >= p.start && ts < p.end && ts > w.watermark {
		p.records++
		p.newest = w.clock
		return true, nil
	}
	w.late = Late{Key: key, EventTime: ts, Watermark: w.watermark, At: w.clock}
	if w.spec.Shape == Session {
		if taken, err = w.session(key, ts); err != nil {
			return taken, err
		}
	} else {
		w.spans = w.spec.assign(w.spans[:0], ts)
		for _, s := range w.spans {
			if w.cleanup(s) <= w.watermark {
				w.late.Missed++
				continue
			}
			taken = true
			p := w.pane(paneKey{key, s})
			w.add(p, ts)
		}
		if !taken {
			w.drop(key, ts)
		}
	}
	if ts <= w.watermark && w.sink.OnLate != nil {
		w.sink.OnLate(w.late)
	}
	return taken, nil
}

// cleanup is the watermark at which a window's state is removed; later records are late for it.
func (w *Window) cleanup(s span) int64 {
	max := s.maxTimestamp()
	if t := max + w.spec.LatenessMs; t >= max {
		return t
	}
	return End
}

func (w *Window) pane(k paneKey) *pane {
	if p, open := w.panes[k]; open {
		return p
	}
	p := w.newPane(k)
	w.panes[k] = p
	return p
}

func (w *Window) newPane(k paneKey) *pane {
	var p *pane
	if n := len(w.free); n > 0 {
		p, w.free = w.free[n-1], w.free[:n-1]
	} else {
		p = &pane{}
	}
	w.took++
	*p = pane{paneKey: k, order: w.took}
	w.arm(p)
	w.timers.push(p)
	return p
}

// arm sets the next timer of a pane: the firing while it lies ahead, else the cleanup.
func (w *Window) arm(p *pane) {
	p.due = w.cleanup(p.span)
	if p.maxTimestamp() > w.watermark {
		p.due = p.maxTimestamp()
	}
}

func (w *Window) add(p *pane, ts int64) {
	p.records++
	p.newest = w.clock
	if ts <= w.watermark {
		p.late++
	}
	if p.maxTimestamp() <= w.watermark {
		w.late.Fired++
		w.fire(p)
		return
	}
	w.late.InTime++
	if w.spec.Shape == Tumbling {
		w.last = p
	}
}

func (w *Window) fire(p *pane) {
	if w.sink.OnFired != nil {
		w.sink.OnFired(Fired{p.key, p.start, p.end, p.records, p.late, w.watermark, w.clock, p.newest, p.fired})
	}
	p.fired = true
}

func (w *Window) drop(key, ts int64) {
	counted := w.spec.Dialect != DataStream || ts+w.spec.LatenessMs <= w.watermark
	if counted {
		w.dropped++
	}
	if w.sink.OnDropped == nil {
		return
	}
	d := Dropped{Key: key, EventTime: ts, Watermark: w.watermark, Counted: counted}
	for _, s := range w.spans {
		if s.end > d.End || d.Start == d.End {
			d.Start, d.End = s.start, s.end
		}
	}
	w.sink.OnDropped(d)
}
