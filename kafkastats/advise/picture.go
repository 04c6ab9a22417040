package advise

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
)

// Bin is a range of disorder. Beyond counts the records above it: those late with a delay of ToMs
// - 1. Counts at its edges are exact.
type Bin struct {
	FromMs  *int64 `json:"from_ms"` // null: below zero, the record was ahead of all records before it
	ToMs    int64  `json:"to_ms"`   // exclusive
	Records uint64 `json:"records"`
	Beyond  uint64 `json:"beyond"`
	// CI95 is the interval of the share beyond, of all usable records.
	CI95 [2]float64 `json:"beyond_ci95"`
}

// Joint is transport delay against disorder, if the arrival is known.
type Joint struct {
	Records uint64      `json:"records"`
	Cells   []JointCell `json:"cells"`
}

// JointCell is one bin with records; null as From: below zero, null as To: no upper end.
type JointCell struct {
	TransportFrom *int64 `json:"transport_from_ms"`
	TransportTo   *int64 `json:"transport_to_ms"`
	DisorderFrom  *int64 `json:"disorder_from_ms"`
	DisorderTo    *int64 `json:"disorder_to_ms"`
	Records       uint64 `json:"records"`
}

// WeekHour is one hour of the week over all measured weeks, UTC. Hours without records are left
// out, because nothing is known about them.
type WeekHour struct {
	Day     int     `json:"day"` // 1 is Monday, 7 Sunday, as in ISO 8601
	Hour    int     `json:"hour"`
	Records uint64  `json:"records"`
	NeedMs  int64   `json:"datastream_ms"`
	P999    int64   `json:"p99.9"`
	Late    float64 `json:"late_at_recommended"`
	Thin    bool    `json:"thin"` // too few records for the target: the need is the largest disorder seen
}

// distribution cuts disorder at quarters of each doubling, which are edges of the histogram.
func (s *summary) distribution() []Bin {
	h := s.total.Own
	out := []Bin{}
	if h.Count() == 0 {
		return out
	}
	left := h.Above(-1)
	interval := func(to int64, beyond uint64) [2]float64 {
		return s.evidence(to-1, beyond).interval95()
	}
	out = append(out, Bin{ToMs: 0, Records: h.Count() - left, Beyond: left, CI95: interval(0, left)})
	for from := int64(0); left > 0 && from < 1<<60; {
		lo, to := from, nextEdge(from)
		beyond := h.Above(to - 1)
		out = append(out, Bin{FromMs: &lo, ToMs: to, Records: left - beyond, Beyond: beyond, CI95: interval(to, beyond)})
		from, left = to, beyond
	}
	return out
}

// nextEdge is the next of 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 …
func nextEdge(v int64) int64 {
	step := int64(1)
	for v >= 8*step {
		step *= 2
	}
	return v + step
}

func (s *summary) joint() *Joint {
	if !s.arrivalKnown || s.m.Joint.Count() == 0 {
		return nil
	}
	j := &Joint{Records: s.m.Joint.Count()}
	for _, c := range s.m.Joint.Cells() {
		j.Cells = append(j.Cells, JointCell(c))
	}
	return j
}

// fold is the sum of several measured hours.
type fold struct {
	own     *hist.Histogram
	records uint64
}

// folded adds up the hours with the same key. Without any arrival time there are no hours.
func (s *summary) folded(key func(hour int64) int) map[int]*fold {
	out := map[int]*fold{}
	if s.m.Span.LastArrival == 0 {
		return out
	}
	for _, id := range s.m.IDs() {
		for hour, c := range s.m.Partitions[id].Cells {
			if c.Records == 0 {
				continue
			}
			f := out[key(hour)]
			if f == nil {
				f = &fold{own: &hist.Histogram{}}
				out[key(hour)] = f
			}
			f.own.Merge(c.Own)
			f.records += c.Records
		}
	}
	return out
}

func (s *summary) week(a Advice) []WeekHour {
	hours := s.folded(func(hour int64) int { return int(((hour+3*24)%168 + 168) % 168) }) // 1 January 1970 was a Thursday
	out := []WeekHour{}
	for _, i := range slices.Sorted(maps.Keys(hours)) {
		f := hours[i]
		ds, _ := need(f.own, false, s.o.Target.Allowed(f.records))
		out = append(out, WeekHour{Day: i/24 + 1, Hour: i % 24, Records: f.records, NeedMs: ds, P999: max(0, f.own.Quantile(999, 1000)),
			Late: float64(f.own.Above(a.RoundedMs)) / float64(f.records), Thin: s.thin(f.records)})
	}
	return out
}

// thin reports whether n records are so few that the target allows none to be late.
func (s *summary) thin(n uint64) bool { return s.o.Target.Num > 0 && s.o.Target.Allowed(n) == 0 }

// latency splits the 99th percentile of result latency into its parts.
func (s *summary) latency(a Advice) *Latency {
	if _, known := s.spent(); !known {
		return nil
	}
	return &Latency{DelayMs: a.RoundedMs, FrontierP99Ms: s.topic.Passage.Quantile(99, 100), EmitMs: s.o.EmitMs, ProcessingMs: s.o.ProcessingMs}
}

// lateByDelay counts each partition's late records for the delays of the curve.
func (s *summary) lateByDelay(r *Recommendation) {
	for i := range r.Partitions {
		p := s.m.Partitions[r.Partitions[i].ID].Total()
		for _, at := range r.Curve {
			r.Partitions[i].LateByDelay = append(r.Partitions[i].LateByDelay, p.Own.Above(at.DelayMs))
		}
	}
}

// transportRule is the delay that a rule on transport delay instead of disorder would declare:
// the same share of records may be older than it on arrival.
func (s *summary) transportRule() *int64 {
	if !s.arrivalKnown {
		return nil
	}
	x, ok := s.total.Transport.SmallestWithAbove(s.o.Target.Allowed(s.total.Transport.Count()))
	if !ok {
		return nil
	}
	x = measure.RoundUp(x)
	return &x
}
