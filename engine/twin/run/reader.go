package run

import (
	"tidemark/engine"
	"tidemark/engine/twin/job"
)

// chunk is the number of records that a reader reads from one split before it turns to the next
// one with records (max.poll.records of the Kafka consumer).
const chunk = 500

// reader is a source subtask that reads one record after the other, as fast as the operators
// chained behind it and the downstream queues allow.
type reader struct {
	op, subtask int
	node        *engine.Node
	aligned     bool
	bounded     bool
	arrival     bool // the timestamp of its records is their arrival
	splits      []*splitReader
	cost        float64 // of the operators chained behind it, ms per record
	slow        []*task // operators with a queue that its records reach

	free      float64 // wall clock at which it can read again
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
	skip   int64 // records that an earlier run has read
	read   int64
	live   bool
	lost   bool  // read to its end
	last   int64 // its watermark at that time
}

func (rd *reader) take(split *job.Split, fromMs int64) {
	s := &splitReader{Split: split, id: split.ID(), cursor: split.Records.Cursor()}
	for s.advance(); s.more && s.next.ArrivalMs < fromMs; s.advance() {
		s.skip++
	}
	rd.splits = append(rd.splits, s)
}

func (s *splitReader) advance() { s.next, s.more = s.cursor.Next() }

// assign adds the splits that the reader has been assigned by now.
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

// chain finds out what a record costs the reader and in which queues it waits.
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
