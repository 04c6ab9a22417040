package run

import "tidemark/engine"

// pollMs is about how long after the last record a reader notices that there are no more.
const pollMs = 1

func (r *run) readSource(sub *Subtask, rd *reader) {
	now := r.eng.Now()
	s := &Source{Pending: rd.backlog(now)}
	sub.Source, sub.FinishedMs = s, rd.finished
	next, held := rd.due(now)
	if held && next > now {
		// Paused partitions are not fetched, so the consumer's lag keeps its last value.
		s.Pending = rd.backlog(rd.lastRead)
	}
	if s.Pending == 0 || held {
		s.IdleMs = now - r.startMs
		if rd.read > 0 {
			s.IdleMs = max(now-rd.lastRead-pollMs, 0)
		}
	}
	emitted := now - s.IdleMs
	if rd.read > 0 {
		lag := rd.lastRead - rd.lastEvent
		s.EmitLagMs = &lag
	}
	if sub.Out != engine.None && sub.Out != engine.End {
		lag := emitted - sub.Out
		s.LagMs = &lag
	}
	if allowed, ok := rd.node.Allowed(rd.subtask); ok && allowed != engine.End {
		last := sub.Out
		if last == engine.None {
			last = 0
		}
		drift := last - allowed
		s.DriftMs = &drift
	}
	for _, split := range rd.splits {
		if split.live || split.lost {
			s.Splits = append(s.Splits, r.readSplit(rd, split, now))
		}
	}
}

func (r *run) readSplit(rd *reader, s *splitReader, now int64) Split {
	out := Split{ID: s.id, Topic: s.Topic, Partition: s.Partition, Offset: s.skip + s.read - 1, Watermark: engine.None, Lost: s.lost}
	if s.read == 0 {
		out.Offset = -1
	}
	if v, ok := rd.node.Split(s.id); ok {
		out.Watermark = v.Watermark
	} else if s.lost {
		out.Watermark = s.last
	}
	from, end := max(s.FromMs, r.startMs), now
	if s.ToMs > 0 {
		end = min(end, s.ToMs)
	}
	log := r.splits[splitKey{r.desc.Operators[rd.op].Name, s.id}]
	out.IdleMs, out.PausedMs = stretches(log, from, end)
	out.ActiveMs = end - from - out.IdleMs - out.PausedMs
	idle, paused := stretches(log, max(from, end-rateMs), end)
	span := float64(max(end-max(from, end-rateMs), 1)) / 1000
	out.IdleRate, out.PausedRate = float64(idle)/span, float64(paused)/span
	return out
}

// stretches returns how long a split was idle and how long paused between two times. A split that
// is both counts as paused, as in InternalSourceSplitMetricGroup.
func stretches(log []engine.SplitEvent, from, to int64) (idleMs, pausedMs int64) {
	for i, e := range log {
		end := to
		if i+1 < len(log) {
			end = min(end, log[i+1].At)
		}
		span := max(end-max(e.At, from), 0)
		switch {
		case e.Paused:
			pausedMs += span
		case e.Idle:
			idleMs += span
		}
	}
	return idleMs, pausedMs
}
