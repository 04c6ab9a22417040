package run

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// due is the time of the reader's next step, End if there is none; held reports that alignment
// keeps it from reading records that have arrived.
func (rd *reader) due(now int64) (at int64, held bool) {
	at = engine.End
	if rd.finished > 0 {
		return at, false
	}
	open := false
	for _, s := range rd.splits {
		switch {
		case s.lost:
			continue
		case !s.live:
			at, open = min(at, s.FromMs), true
			continue
		case s.ToMs > 0:
			at = min(at, s.ToMs)
		}
		if !s.more {
			continue
		}
		open = true
		if rd.aligned && rd.node.Blocked(s.id) {
			held = held || s.next.ArrivalMs <= now
			continue
		}
		at = min(at, max(s.next.ArrivalMs, int64(rd.free)))
	}
	if !open && rd.bounded {
		return max(now, int64(rd.free)), false
	}
	return at, held
}

// step does the next step.
func (rd *reader) step(now int64) error {
	if err := rd.assign(now, false); err != nil {
		return err
	}
	s := rd.choose(now)
	if s == nil {
		return rd.perhapsFinish(now)
	}
	if until := rd.room(now); until > float64(now) {
		rd.pressedMs += until - float64(now)
		rd.free = until + 1
		return rd.press(true)
	}
	if err := rd.press(false); err != nil {
		return err
	}
	rec := s.next
	s.read++
	s.advance()
	rd.left--
	rd.read++
	rd.lastRead, rd.lastEvent = now, rec.EventMs
	if rd.arrival {
		rd.lastEvent = rec.ArrivalMs
	}
	rd.busyMs += rd.cost
	rd.free = max(rd.free, float64(now)) + rd.cost
	return rd.node.Record(s.id, rec.Key, rec.EventMs)
}

// choose returns the split to read from, nil if none has a record.
func (rd *reader) choose(now int64) *splitReader {
	if float64(now) < rd.free-1 {
		return nil
	}
	ready := func(s *splitReader) bool {
		return s.live && s.more && s.next.ArrivalMs <= now && !(rd.aligned && rd.node.Blocked(s.id))
	}
	if n := len(rd.splits); n > 0 {
		if rd.left > 0 && ready(rd.splits[rd.current]) {
			return rd.splits[rd.current]
		}
		for k := 1; k <= n; k++ {
			if i := (rd.current + k) % n; ready(rd.splits[i]) {
				rd.current, rd.left = i, chunk
				return rd.splits[i]
			}
		}
	}
	return nil
}

// room is the time at which every downstream queue can take another record.
func (rd *reader) room(now int64) float64 {
	until := float64(now)
	for _, t := range rd.slow {
		until = max(until, t.room())
	}
	return until
}

func (rd *reader) press(on bool) error {
	if rd.pressed == on {
		return nil
	}
	rd.pressed = on
	return rd.node.SetBackpressured(rd.subtask, on)
}

func (rd *reader) perhapsFinish(now int64) error {
	if !rd.bounded {
		return nil
	}
	for _, s := range rd.splits {
		if !s.lost && (!s.live || s.more) {
			return nil
		}
	}
	rd.finished = now
	return rd.node.FinishSubtask(rd.subtask)
}

// backlog is the number of records that have arrived and are not read yet.
func (rd *reader) backlog(now int64) int64 {
	n := int64(0)
	for _, s := range rd.splits {
		if !s.live || !s.more || s.next.ArrivalMs > now {
			continue
		}
		n += job.Arrived(s.Records, now) - s.skip - s.read
	}
	return n
}
