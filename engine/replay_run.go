package engine

import "fmt"

// Add replays the next record; arrivals must not go back. The operator sees the record before its
// generator does, so it is late only against the watermark of the records before it.
func (r *Replayer) Add(rec Record) error {
	if uint32(rec.Split) >= uint32(len(r.owner)) {
		return fmt.Errorf("record %d: unknown split %d of %d", r.result.Records, rec.Split, len(r.owner))
	}
	if rec.Arrival < r.now || !r.started {
		if err := r.start(rec.Arrival); err != nil {
			return fmt.Errorf("record %d: %w", r.result.Records, err)
		}
	}
	if rec.Arrival >= r.probe {
		if err := r.Advance(rec.Arrival); err != nil {
			return err
		}
	}
	r.now = rec.Arrival
	split := &r.result.Splits[rec.Split]
	split.Records++
	r.result.Records++
	if rec.EventTime > split.Newest {
		split.Newest = rec.EventTime
	}
	if rec.EventTime <= r.valve.last {
		split.Late++
		r.result.Late++
	}
	for _, w := range r.windows {
		w.clock = rec.Arrival
		if _, err := w.Record(0, rec.EventTime); err != nil {
			return fmt.Errorf("record %d: %w", r.result.Records-1, err)
		}
	}
	reader := &r.readers[r.owner[rec.Split]]
	if reader.assigner != nil {
		reader.assigner.Record(rec.EventTime)
		return nil
	}
	return reader.source.Record(int(r.handle[rec.Split]), rec.EventTime)
}

// start opens the subtasks at the first record, or refuses an arrival that goes back.
func (r *Replayer) start(arrival int64) error {
	if r.started {
		return fmt.Errorf("arrival %d is before %d: sort records by arrival", arrival, r.now)
	}
	start := arrival
	if r.cfg.StartMs != nil {
		if start = *r.cfg.StartMs; start > arrival {
			return fmt.Errorf("arrival %d is before the start %d", arrival, start)
		}
	}
	r.started, r.now = true, start
	r.result.StartMs, r.result.EndMs = start, start
	r.readers = make([]reader, r.cfg.Parallelism)
	for i := range r.readers {
		if err := r.open(i, start); err != nil {
			return err
		}
	}
	r.schedule()
	return nil
}

func (r *Replayer) open(i int, start int64) (err error) {
	reader := &r.readers[i]
	reader.channel = NewChannel(subtaskPort{r, i})
	if r.cfg.Downstream {
		reader.assigner, err = NewAssigner(r.cfg.Strategy, r.cfg.Version, start, reader.channel)
		return err
	}
	var splits []int
	reader.source, err = NewSource(SourceConfig{
		Strategy: r.cfg.Strategy, Version: r.cfg.Version, StartMs: start,
		OnSplit: func(handle int, watermark int64, idle bool) { r.splitMoved(splits[handle], watermark, idle) },
	}, reader.channel)
	if err != nil {
		return err
	}
	for split, owner := range r.owner {
		if int(owner) == i {
			splits = append(splits, split)
			r.handle[split] = int32(reader.source.AddSplit())
		}
	}
	return nil
}

// Advance moves the clock without a record: emissions, idleness, firings.
func (r *Replayer) Advance(now int64) error {
	if !r.started || now < r.now {
		return fmt.Errorf("clock goes back from %d to %d, or nothing was read yet", r.now, now)
	}
	for r.probe <= now && r.probe != End {
		at := r.probe
		r.now = at
		for i := range r.readers {
			reader := &r.readers[i]
			var err error
			if reader.assigner != nil {
				err = reader.assigner.AdvanceTo(at)
			} else {
				// Passing now lets a silent source skip probes that change nothing.
				err = reader.source.advance(at, now)
			}
			if err != nil {
				return err
			}
		}
		r.schedule()
	}
	r.now = now
	return nil
}

func (r *Replayer) schedule() {
	r.probe = End
	for i := range r.readers {
		if a := r.readers[i].assigner; a != nil {
			r.probe = min(r.probe, a.nextProbe)
		} else {
			r.probe = min(r.probe, r.readers[i].source.nextProbe)
		}
	}
}

// Finish ends the input of every subtask, which fires the open windows.
func (r *Replayer) Finish() error {
	if !r.started {
		return nil
	}
	for i := range r.readers {
		if a := r.readers[i].assigner; a != nil {
			a.Finish()
			a.EmitWatermark(End)
		} else {
			r.readers[i].source.Finish()
		}
	}
	return nil
}
