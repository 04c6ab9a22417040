package model

import "strings"

// markLeftovers finds splits that are gone: the JobManager keeps the last value of a finished or reassigned split for
// ever (MetricStore). A split is gone if its accumulated times do not grow; if, from 2.1 on, it has no watermark while
// other splits have one (HybridSource leaves those of its first phase); or if another subtask reads it now.
func (j *Job) markLeftovers() {
	for _, v := range j.Vertices {
		byID := map[string][]*Split{}
		for _, s := range v.Subtasks {
			for _, sp := range s.Splits {
				byID[sp.ID] = append(byID[sp.ID], sp)
			}
		}
		for _, same := range byID {
			for _, sp := range same {
				sp.Leftover = sp.ended(v.GapMs) || v.readWhole() && SplitsTellWatermarks(v) && !sp.Watermark.Now.Readable()
			}
			for _, a := range same {
				for _, b := range same {
					if a != b && !a.alive() && b.alive() {
						a.Leftover = true
					}
				}
			}
		}
		v.markEndedTopics()
	}
}

// readWhole reports that no metric answer of the vertex failed, so that an absent metric does not exist.
func (v *Vertex) readWhole() bool { return v.Sample != nil && len(v.Sample.Missing) == 0 }

// markEndedTopics finds, before 2.1, the topics of a phase that is over (HybridSource): no partition of the topic is read
// any more, and the watermark of a subtask that shows one advances all the same, which a silent partition would prevent.
func (v *Vertex) markEndedTopics() {
	if SplitsTellWatermarks(v) {
		return
	}
	byTopic := map[string][]*Split{}
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			topic, _, _ := cutLast(sp.ID, "-")
			byTopic[topic] = append(byTopic[topic], sp)
		}
	}
	if len(byTopic) < 2 {
		return
	}
	for _, splits := range byTopic {
		still, passed := true, false
		for _, sp := range splits {
			rise, ok := sp.Offset.Rise()
			still = still && ok && rise == 0 && sp.Offset.Now >= 0
			passed = passed || MovedCertainly(sp.Subtask.SourceOut())
		}
		for _, sp := range splits {
			sp.Leftover = sp.Leftover || still && passed
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// ended reports a split whose accumulated times did not grow for more than 8 s: a live split updates them every 5 s
// (InternalSourceSplitMetricGroup, since 2.1).
func (s *Split) ended(gapMs int64) bool {
	sum, known := 0.0, false
	for _, g := range []Gauge{s.ActiveMs, s.IdleMs, s.PausedMs} {
		if rise, ok := g.Rise(); ok {
			sum, known = sum+rise, true
		}
	}
	_, active := s.ActiveMs.Rise()
	return known && active && sum == 0 && gapMs > 8000
}

// alive reports a split whose watermark or offset certainly advanced between the fetches.
func (s *Split) alive() bool {
	if moved, known := s.Watermark.Moved(); known && moved {
		return true
	}
	rise, ok := s.Offset.Rise()
	return ok && rise > 0
}
