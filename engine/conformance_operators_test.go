package engine

import (
	"encoding/json"
	"fmt"
	"sort"
)

func init() {
	replayers["window"] = replayWindow
	replayers["two-input"] = replayInputs
	replayers["minibatch"] = replayMiniBatch
	replayers["assigner"] = replayAssigner
	replayers["interval-join"] = replayIntervalJoin
}

// results collects what one operation put out besides watermarks; the vectors
// list it sorted, because Flink's own order is that of a heap or a hash map.
type results struct {
	j     *journal
	lines []string
}

func (r *results) add(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *results) flush() {
	sort.Strings(r.lines)
	for _, line := range r.lines {
		r.j.add("%s", line)
	}
	r.lines = r.lines[:0]
}

func replayWindow(v vector, _ Version, j *journal) error {
	var cfg struct {
		Shape      string `json:"shape"`
		Dialect    string `json:"dialect"`
		SizeMs     int64  `json:"size_ms"`
		SlideMs    int64  `json:"slide_ms"`
		GapMs      int64  `json:"gap_ms"`
		OffsetMs   int64  `json:"offset_ms"`
		LatenessMs int64  `json:"lateness_ms"`
	}
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	shape, known := map[string]Shape{"tumbling": Tumbling, "hopping": Hopping, "cumulating": Cumulating, "session": Session}[cfg.Shape]
	dialect, spoken := map[string]Dialect{"": DataStream, "datastream": DataStream, "sql": SQL, "sql-group": SQLGroup}[cfg.Dialect]
	if !known || !spoken {
		return fmt.Errorf("unknown shape %q or dialect %q", cfg.Shape, cfg.Dialect)
	}
	out := &results{j: j}
	window, err := NewWindow(WindowSpec{shape, dialect, cfg.SizeMs, cfg.SlideMs, cfg.GapMs, cfg.OffsetMs, cfg.LatenessMs}, WindowSink{
		OnFired: func(f Fired) { out.add(`"fired",%d,%d,%d,%d`, f.Key, f.Start, f.End, f.Records) },
	})
	if err != nil {
		return err
	}
	for i, o := range v.Ops {
		j.op = i
		switch o.verb {
		case "rec":
			before := window.Dropped()
			if _, err := window.Record(o.num(0), o.num(1)); err != nil {
				j.add(`"fails"`)
			}
			out.flush()
			if window.Dropped() > before {
				j.add(`"dropped"`)
			}
		case "wm":
			window.Watermark(o.num(0))
			out.flush()
			j.EmitWatermark(o.num(0))
		default:
			return fmt.Errorf("unknown operation %q", o.verb)
		}
	}
	return nil
}

func replayInputs(v vector, version Version, j *journal) error {
	var cfg struct {
		Inputs int `json:"inputs"`
	}
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	inputs, err := NewInputs(cfg.Inputs, version.Behaviour(), j)
	if err != nil {
		return err
	}
	for i, o := range v.Ops {
		j.op = i
		if err := inputsOp(inputs, o); err != nil {
			return err
		}
	}
	return nil
}

func inputsOp(inputs *Inputs, o op) error {
	switch o.verb {
	case "wm":
		return inputs.Watermark(int(o.num(0)), o.num(1))
	case "idle", "active":
		return inputs.Status(int(o.num(0)), o.verb == "idle")
	default:
		return fmt.Errorf("unknown operation %q", o.verb)
	}
}

func replayMiniBatch(v vector, _ Version, j *journal) error {
	var cfg struct {
		IntervalMs int64 `json:"interval_ms"`
	}
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	batch, err := NewMiniBatch(cfg.IntervalMs, j)
	if err != nil {
		return err
	}
	for i, o := range v.Ops {
		j.op = i
		switch o.verb {
		case "wm":
			batch.EmitWatermark(o.num(0))
		case "idle", "active":
			batch.EmitStatus(o.verb == "idle")
		case "finish":
			batch.Finish()
		default:
			return fmt.Errorf("unknown operation %q", o.verb)
		}
	}
	return nil
}

// anyAssigner is what the two assigners share.
type anyAssigner interface {
	Output
	Record(ts int64)
	AdvanceTo(now int64) error
	Finish()
	Now() int64
}

func replayAssigner(v vector, version Version, j *journal) error {
	var cfg sourceVectorConfig
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	strategy, err := cfg.strategy()
	if err != nil {
		return err
	}
	var a anyAssigner
	if strategy.SQL {
		a, err = NewSQLAssigner(strategy, version, 0, j)
	} else {
		a, err = NewAssigner(strategy, version, 0, j)
	}
	if err != nil {
		return err
	}
	j.clock = a.Now
	for i, o := range v.Ops {
		j.op = i
		switch o.verb {
		case "rec":
			a.Record(o.num(0))
		case "at":
			err = a.AdvanceTo(o.num(0))
		case "wm":
			a.EmitWatermark(o.num(0))
		case "idle", "active":
			a.EmitStatus(o.verb == "idle")
		case "finish":
			a.Finish()
		default:
			err = fmt.Errorf("unknown operation %q", o.verb)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sorted puts an operator's results of one operation in front of its watermark,
// as the harness writes them down.
type sorted struct {
	out *results
}

func (s sorted) EmitWatermark(ts int64) { s.out.flush(); s.out.j.EmitWatermark(ts) }
func (s sorted) EmitStatus(idle bool)   { s.out.flush(); s.out.j.EmitStatus(idle) }

func replayIntervalJoin(v vector, version Version, j *journal) error {
	var cfg struct {
		SQL       bool  `json:"sql"`
		LowerMs   int64 `json:"lower_ms"`
		UpperMs   int64 `json:"upper_ms"`
		CleanupMs int64 `json:"cleanup_ms"`
	}
	if err := json.Unmarshal(v.Config, &cfg); err != nil {
		return err
	}
	out := &results{j: j}
	join, err := NewIntervalJoin(IntervalJoinSpec{cfg.LowerMs, cfg.UpperMs, cfg.SQL, cfg.CleanupMs}, sorted{out},
		func(p Pair) { out.add(`"pair",%d,%d,%d`, p.Key, p.Left, p.Right) })
	if err != nil {
		return err
	}
	inputs, err := NewInputs(2, version.Behaviour(), join)
	if err != nil {
		return err
	}
	for i, o := range v.Ops {
		j.op = i
		if o.verb == "rec" {
			err = join.Record(int(o.num(0)), o.num(1), o.num(2))
		} else {
			err = inputsOp(inputs, o)
		}
		if err != nil {
			return err
		}
		out.flush()
	}
	return nil
}
