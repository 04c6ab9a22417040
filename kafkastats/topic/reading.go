package topic

import (
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
)

// reading is the state of one Read.
type reading struct {
	o        Options
	yield    func(*record.Raw) error
	left     map[int32]*position
	ended    map[int32]int64
	progress Progress
	control  int64
	removed  []Removed
	limit    *limiter
	raw      record.Raw
}

type position struct {
	Range
	position int64
	spoke    bool
	paused   bool
}

func newReading(o Options, yield func(*record.Raw) error) *reading {
	r := &reading{o: o, yield: yield, left: map[int32]*position{}, ended: map[int32]int64{}, limit: newLimiter(o.BytesPerSec)}
	for _, g := range o.Ranges {
		start := min(g.PreRoll, g.From)
		if start >= g.To && !o.Follow {
			r.ended[g.Partition] = start
			if o.Done != nil {
				o.Done(g.Partition)
			}
			continue
		}
		r.left[g.Partition] = &position{Range: g, position: start}
		r.progress.OffsetsTotal += g.To - start
	}
	return r
}

// take yields the records of a poll and reports whether any position advanced.
func (r *reading) take(cl *kgo.Client, fetches kgo.Fetches) (moved bool, err error) {
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		s := r.left[p.Partition]
		if s == nil || err != nil || len(p.Records) == 0 {
			return
		}
		moved = true
		for _, rec := range p.Records {
			if rec.Offset >= s.To && !r.o.Follow {
				s.position = rec.Offset
				break
			}
			if err = r.one(s, rec); err != nil {
				return
			}
			rec.Recycle()
		}
		r.finishIfDone(cl, p.Partition, s)
	})
	return moved, err
}

func (r *reading) one(s *position, rec *kgo.Record) error {
	r.progress.Offsets += rec.Offset + 1 - s.position
	s.position = rec.Offset + 1
	if rec.Attrs.IsControl() {
		r.control++
		return nil
	}
	r.progress.Records++
	size := int64(len(rec.Key) + len(rec.Value))
	r.progress.Bytes += size
	r.limit.use(size)
	// Field by field: file and line stay empty, and a whole struct would be written twice.
	raw := &r.raw
	raw.Topic, raw.Partition, raw.Offset = rec.Topic, rec.Partition, rec.Offset
	raw.Timestamp, raw.Type = rec.Timestamp.UnixMilli(), record.TimestampType(rec.Attrs.TimestampType())
	raw.Key, raw.Value, raw.Headers = rec.Key, rec.Value, raw.Headers[:0]
	raw.PreRoll, raw.First = rec.Offset < s.From, !s.spoke && rec.Offset >= s.From
	if r.o.Live != nil {
		raw.Timestamp, raw.Type = r.o.Live(), record.AppendTime
	}
	if !raw.PreRoll {
		s.spoke = true
	}
	for _, h := range rec.Headers {
		raw.Headers = append(raw.Headers, record.Header{Key: h.Key, Value: h.Value})
	}
	return r.yield(raw)
}

func (r *reading) finishIfDone(cl *kgo.Client, partition int32, s *position) {
	if s.position < s.To || r.o.Follow {
		return
	}
	cl.PauseFetchPartitions(map[string][]int32{r.o.Topic: {partition}})
	r.ended[partition] = s.To
	delete(r.left, partition)
	if r.o.Done != nil {
		r.o.Done(partition)
	}
}

// balance pauses partitions that are ahead of the slowest, so that comparing them needs little
// memory.
func (r *reading) balance(cl *kgo.Client, moved bool) {
	if r.o.Lagging == nil {
		return
	}
	most := MaxLagging(len(r.o.Ranges))
	if r.o.Follow && r.o.Release != nil && !moved {
		// The paused ones wait for partitions in which nothing arrives.
		for _, s := range r.left {
			if s.paused {
				r.o.Release(most / 4)
				break
			}
		}
	}
	for partition, s := range r.left {
		switch waiting := r.o.Lagging(partition); {
		case !s.paused && waiting > most:
			cl.PauseFetchPartitions(map[string][]int32{r.o.Topic: {partition}})
			s.paused = true
		case s.paused && waiting < most/2:
			cl.ResumeFetchPartitions(map[string][]int32{r.o.Topic: {partition}})
			s.paused = false
		}
	}
}

func (r *reading) result(incomplete string) Result {
	out := Result{Positions: maps.Clone(r.ended), Control: r.control, Removed: r.removed, Incomplete: incomplete, Unfinished: slices.Sorted(maps.Keys(r.left))}
	for partition, s := range r.left {
		out.Positions[partition] = s.position
	}
	return out
}
