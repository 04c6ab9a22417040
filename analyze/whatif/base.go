package whatif

import (
	"math"

	"tidemark/analyze/crosscheck"
	"tidemark/analyze/model"
)

// base is a job read from a cluster, with the records of its sources. Times are epoch ms by the clock of the records.
type base struct {
	cross   *crosscheck.Crosscheck
	logs    map[string]*Log  // by split
	first   map[string]int64 // first offset that was read, by split; none = before the records held
	before  moment
	now     moment
	startMs int64 // when the job last started
	lastMs  int64 // the longest time to judge, ms
	fromMs  int64 // start of the time that is judged
	playMs  int64 // start of the twin
	backMs  int64 // records up to so long before playMs are read at playMs, ms
	heldMs  int64 // from then on every record is held
	// unread maps vertices to the source without readable records that they depend on: nothing is predicted for them.
	unread map[*model.Vertex]*model.Vertex
}

// findUnread finds the vertices that depend on a source whose records cannot be read.
func (b *base) findUnread() {
	b.unread = map[*model.Vertex]*model.Vertex{}
	read := map[*model.Vertex]bool{}
	for _, s := range b.cross.Sources {
		read[s.Vertex] = true
	}
	for _, v := range b.cross.Job().Sources() {
		if read[v] || v.TotalSplits() == 0 && v.NeverSpoke() {
			continue
		}
		for _, u := range append(v.Descendants(), v) {
			if b.unread[u] == nil {
				b.unread[u] = v
			}
		}
	}
}

// moment is when the gauges of a sample were read, by the clock of the records. Each vertex has its own metric fetch,
// dated by the JobManager's clock; adding skew gives the clock of the records.
type moment struct {
	lo, hi int64            // range over the sources, epoch ms
	skew   [2]int64         // from the time of a fetch to the reading, at least and at most, ms
	at     map[string]int64 // time of the fetch by vertex, epoch ms of the JobManager's clock
}

// of is the range in which a vertex was read, epoch ms.
func (m moment) of(v *model.Vertex) (lo, hi int64) {
	at := m.at[v.ID]
	return at + m.skew[0], at + m.skew[1]
}

// readMs is the longest time from the start of a metric fetch to the reading of the values.
const readMs = 500

// slackMs is the longest time between the reading of two gauges of one metric dump, and from a record's timestamp to its
// reader.
const slackMs = 100

// findMoments finds when both samples were read, and when the job started.
func (b *base) findMoments() {
	j := b.cross.Job()
	b.before, b.now = b.momentOf(true), b.momentOf(false)
	started := int64(0)
	for _, v := range j.Vertices {
		for _, t := range v.Subtasks {
			at := t.StartMs
			if v.Sample != nil && v.Sample.Times != nil {
				for _, one := range v.Sample.Times.Subtasks {
					if one.Index == t.Index && one.Timestamps["RUNNING"] > 0 {
						at = one.Timestamps["RUNNING"]
					}
				}
			}
			if at > 0 && (started == 0 || at < started) {
				started = at
			}
		}
	}
	b.startMs = started + (b.now.skew[0]+b.now.skew[1])/2
}

// momentOf narrows the time of a sample down by the offsets of its splits: the record at the offset had arrived, the next
// one had not.
func (b *base) momentOf(before bool) moment {
	j := b.cross.Job()
	m := moment{at: map[string]int64{}, skew: [2]int64{0, readMs}}
	sample := j.Now
	if before {
		sample = j.Before
	}
	lo, hi, narrowed := int64(math.MinInt64/4), int64(math.MaxInt64/4), false
	for _, v := range j.Vertices {
		at, ok := sample.Vertices[v.ID].FetchedAt()
		if !ok {
			continue
		}
		m.at[v.ID] = at
		if !v.IsSource() {
			continue
		}
		for _, t := range v.Subtasks {
			for _, sp := range t.ActiveSplits() {
				o := sp.Offset.Now
				if before {
					o = sp.Offset.Before
				}
				l := b.logs[sp.ID]
				if l == nil || o != o || model.PausedByAlignment(t) {
					continue
				}
				i := l.at(int64(o))
				if i >= 0 {
					lo, narrowed = max(lo, l.entries[i].arrival-at), true
				}
				if i+1 < len(l.entries) {
					hi = min(hi, l.entries[i+1].arrival+slackMs-at)
				}
			}
		}
	}
	if narrowed && hi < m.skew[0]-2000 && b.waits() {
		return b.sourcesAt(m) // the readers have a backlog: offsets do not show the time
	}
	if narrowed && (lo > m.skew[0] || hi < m.skew[1]) {
		switch {
		case lo > m.skew[1]: // the clock of the records is ahead
			m.skew = [2]int64{lo, min(hi, lo+readMs)}
		case hi < m.skew[0]: // it is behind, or the readers are
			m.skew = [2]int64{max(lo, hi-readMs), hi}
		default:
			m.skew = [2]int64{max(lo, m.skew[0]), min(hi, m.skew[1])}
		}
		if m.skew[0] > m.skew[1] {
			m.skew[0], m.skew[1] = m.skew[1], m.skew[0]
		}
	}
	return b.sourcesAt(m)
}

// waits reports a reader with a backlog.
func (b *base) waits() bool {
	for _, v := range b.cross.Job().Sources() {
		for _, t := range v.Subtasks {
			if b.cross.Job().ReadsBacklog(t) {
				return true
			}
		}
	}
	return false
}

// sourcesAt adds the range over the sources to a moment.
func (b *base) sourcesAt(m moment) moment {
	first := true
	for _, v := range b.cross.Job().Sources() {
		if _, ok := m.at[v.ID]; !ok {
			continue
		}
		a, z := m.of(v)
		if first || a < m.lo {
			m.lo = a
		}
		if first || z > m.hi {
			m.hi = z
		}
		first = false
	}
	return m
}

// findFirst finds the first offset that was read of each split, from the number of records that each subtask has read.
// It matters only if the job started within the time that is played.
func (b *base) findFirst() {
	b.first = map[string]int64{}
	for _, s := range b.cross.Sources {
		for _, t := range s.Vertex.Subtasks {
			b.firstOf(s, t)
		}
	}
}

func (b *base) firstOf(s *crosscheck.CrossSource, t *model.Subtask) {
	read, ok := t.Records.Value()
	splits := t.ActiveSplits()
	if !ok || len(splits) == 0 {
		return
	}
	all, since := int64(0), int64(0)
	for _, sp := range splits {
		o, shown := sp.Offset.Value()
		l := b.logs[sp.ID]
		if !shown || l == nil {
			continue
		}
		i := l.at(int64(o))
		all += int64(i + 1)
		since += int64(max(i+1-l.since(b.startMs), 0))
	}
	near := func(n int64) bool { return math.Abs(read-float64(n)) <= 5+read/50 }
	switch {
	case near(all):
	case len(splits) == 1:
		o, _ := splits[0].Offset.Value()
		b.first[splits[0].ID] = int64(o) + 1 - int64(read)
	case near(since):
		for _, sp := range splits {
			if l := b.logs[sp.ID]; l != nil {
				if i := l.since(b.startMs); i < len(l.entries) {
					b.first[sp.ID] = l.entries[i].offset
				} else {
					b.first[sp.ID] = math.MaxInt64
				}
			}
		}
	}
}
