package run

import (
	"tidemark/engine"
	"tidemark/internal/worlds/job"
)

// chunk is how many records a reader takes from one split before it turns to the next that has some
// (max.poll.records of the Kafka consumer).
const chunk = 500

// reader is a source subtask as it reads: one record after the other, as fast as what is chained
// behind it and the queues downstream allow.
type reader struct {
	op, subtask int
	node        *engine.Node
	aligned     bool
	bounded     bool
	arrival     bool // its records carry their arrival as timestamp
	splits      []*splitReader
	cost        float64 // of the operators chained behind it, ms a record
	slow        []*task // operators with a queue that its records reach

	free      float64 // wall clock from which it can read again
	current   int
	left      int
	pressed   bool
	finished  int64 // wall clock, 0 = running
	read      int64
	lastRead  int64 // wall clock, 0 = never
	lastEvent int64 // timestamp of the last record
	busyMs    float64
	pressedMs float64
}

type splitReader struct {
	*job.Split
	id     string
	cursor job.Cursor
	next   job.Record
	more   bool
	skip   int64 // records that an earlier run read
	read   int64
	live   bool
	lost   bool  // read to its end
	last   int64 // its watermark then
}

func (rd *reader) take(split *job.Split, fromMs int64) {
	s := &splitReader{Split: split, id: split.ID(), cursor: split.Records.Cursor()}
	for s.advance(); s.more && s.next.ArrivalMs < fromMs; s.advance() {
		s.skip++
	}
	rd.splits = append(rd.splits, s)
}

func (s *splitReader) advance() { s.next, s.more = s.cursor.Next() }

// assign hands the reader the splits that it has by now.
func (rd *reader) assign(now int64, restored bool) error {
	for _, s := range rd.splits {
		switch {
		case !s.live && !s.lost && s.FromMs <= now:
			s.live = true
			add := rd.node.AddSplit
			if restored {
				add = rd.node.RestoreSplit
			}
			if err := add(s.id, rd.subtask); err != nil {
				return err
			}
		case s.live && s.ToMs > 0 && s.ToMs <= now:
			s.live, s.lost = false, true
			v, _ := rd.node.Split(s.id)
			s.last = v.Watermark
			if err := rd.node.ReleaseSplit(s.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// chain finds what the reader's records cost and where they queue.
func (rd *reader) chain(r *run) {
	reached := map[int]bool{rd.op: true}
	same := map[int]bool{rd.op: true}
	for i := range r.desc.Operators {
		op := &r.desc.Operators[i]
		for _, in := range op.Inputs {
			for _, from := range in.From {
				if !reached[from] {
					continue
				}
				reached[i] = true
				if op.Chained && same[from] {
					same[i] = true
				}
			}
		}
		switch {
		case !reached[i] || op.CostMs == 0:
		case same[i]:
			rd.cost += op.CostMs
		default:
			rd.slow = append(rd.slow, r.tasks[i]...)
		}
	}
}

// due is when the reader has its next thing to do, End if never; held says that alignment keeps it
// from records that are there.
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

// step does what is due.
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

// choose is the split to read from at a time, nil if none has a record.
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

// room is when every queue downstream takes another record.
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

// backlog counts the records that have arrived and were not read.
func (rd *reader) backlog(now int64) int64 {
	n := int64(0)
	for _, s := range rd.splits {
		if !s.live || !s.more || s.next.ArrivalMs > now {
			continue
		}
		arrived := int64(0)
		for c := s.Records.Cursor(); ; arrived++ {
			if r, ok := c.Next(); !ok || r.ArrivalMs > now {
				break
			}
		}
		n += arrived - s.skip - s.read
	}
	return n
}
