package lag

import (
	"math"

	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// rhythmFactor is how many mean distances of records a silence may last and still be the split's own rhythm.
const rhythmFactor = 10

// Behind is the place of a source that is behind its siblings although all are quiet now.
type Behind struct {
	Subtask *model.Subtask
	Split   *model.Split // nil where splits show no watermark
	Never   bool         // it has not given a record
	Ms      int64        // event time to the newest that was emitted, 0 where it has none at all
}

// Rests reports that event time of v only waits for the next record: no source above it that has sent records has a
// place without a watermark, and none is further behind the newest than its bound (a minute at least) or its own
// rhythm explains.
func Rests(j *model.Job, v *model.Vertex) bool {
	return len(BehindOthers(j, v.SourcesOf())) == 0
}

// BehindOthers lists the places of the sources that hold event time below what the others of the same
// part have sent, those that have finished included. Once all are quiet such a place keeps windows open that a timeout
// would have closed.
func BehindOthers(j *model.Job, sources []*model.Vertex) []Behind {
	newest, spoke := int64(math.MinInt64), false
	for _, v := range sources {
		if ms, ok := v.NewestOrdinary(j).Millis(); ok {
			newest = max(newest, ms)
		}
		if ms, ok := v.NewestSplit().Millis(); ok && newest == math.MinInt64 {
			newest = ms
		}
		if n, ok := v.Records().Value(); ok && n > 0 {
			spoke = true
		}
	}
	var out []Behind
	for _, v := range sources {
		slack := int64(LimitMs)
		if b, ok := BoundOf(j, v); ok && b.Declared {
			slack = max(slack, b.Ms)
		}
		for _, s := range v.Subtasks {
			if o := s.Out(); v.Status == "FINISHED" || !o.Now.Readable() || !j.Holds(s, o) || allDeclaredIdle(s) {
				continue
			}
			if b, ok := behind(s, newest, slack, spoke); ok {
				out = append(out, b)
			}
		}
	}
	return out
}

func behind(s *model.Subtask, newest, slack int64, spoke bool) (Behind, bool) {
	split := s.MinSplit()
	w := s.Out().Now
	if split != nil && w.IsKnown() && split.Watermark.Now.IsKnown() && outruns(split.Watermark.Now, w) {
		split = nil // what holds the subtask is not shown
	} else if split != nil {
		w = split.Watermark.Now
	} else if silent := neverRead(s); silent != nil && w.State() == flinkapi.None {
		split = silent
	}
	if w.State() == flinkapi.None {
		return Behind{Subtask: s, Split: split, Never: true}, spoke
	}
	ms, ok := w.Millis()
	if !ok || newest == math.MinInt64 || newest-ms <= slack {
		return Behind{}, false
	}
	if n, told := s.Records.Value(); told && n >= 2 && s.RunMs > 0 {
		distance := float64(s.RunMs) * float64(max(len(s.ActiveSplits()), 1)) / n
		if float64(newest-ms) <= rhythmFactor*distance {
			return Behind{}, false
		}
	}
	return Behind{Subtask: s, Split: split, Ms: newest - ms}, true
}

// outruns reports a split that is further ahead of its subtask than the emission and reading of the two may be apart.
func outruns(split, out flinkapi.Watermark) bool {
	a, _ := split.Millis()
	b, _ := out.Millis()
	return a-b > LimitMs
}

// neverRead is a split that has not given a record, known by its offset where it shows no watermark.
func neverRead(s *model.Subtask) *model.Split {
	for _, sp := range s.ActiveSplits() {
		if off, ok := sp.Offset.Value(); ok && off < 0 {
			return sp
		}
	}
	return nil
}

// allDeclaredIdle reports a subtask whose splits have all been marked idle (2.1+): its timeout is in force.
func allDeclaredIdle(s *model.Subtask) bool {
	splits := s.ActiveSplits()
	for _, sp := range splits {
		if idle, known := sp.Idle(); !known || !idle {
			return false
		}
	}
	return len(splits) > 0
}

// MayHide reports sources at rest whose watermark is older than their silence, bound and the age of their
// records explain, while subtasks read several splits and show no watermark of each, or show no split at all: one of
// those may have fallen silent long before the others.
func MayHide(j *model.Job, sources []*model.Vertex) bool {
	for _, v := range sources {
		for _, s := range v.Subtasks {
			splits := s.ActiveSplits()
			if len(splits) == 1 || len(splits) > 1 && splits[0].Watermark.Now.Readable() || len(splits) == 0 && !agesTold(s) {
				continue
			}
			late, known := j.Lag(v, s.Out())
			idle, told := s.SourceIdle.Value()
			if !known || late > OrdinaryMs {
				continue
			}
			if !told { // silent between the samples at least
				idle = float64(v.GapMs)
			}
			rest := late - int64(idle)
			if age, ok := s.EmitLag.Value(); ok && !v.IsSQLScan() && age > 0 {
				rest -= int64(age)
			}
			if d, ok := j.Declared(v); ok && d.DelayKnown {
				rest -= d.DelayMs
			}
			if rest > LimitMs {
				return true
			}
		}
	}
	return false
}

// agesTold reports a subtask whose splits are not shown, and that shows when its last record came and how old it was.
func agesTold(s *model.Subtask) bool {
	_, idle := s.SourceIdle.Value()
	_, age := s.EmitLag.Value()
	return idle && age && !s.Vertex.NamesSplits() && !s.Vertex.IsSQLScan()
}

// OrdinaryMs is ten years: a lag beyond it, or a time as far ahead of the clock, is not plausible.
const OrdinaryMs = 10 * 365 * 86_400_000
