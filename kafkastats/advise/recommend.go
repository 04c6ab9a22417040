package advise

import (
	"fmt"
	"math"

	"tidemark/internal/units"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// Options of a recommendation. Durations are ms; 0 means not given unless stated otherwise.
type Options struct {
	Topic, Source   string
	Target          Target
	ByDrops         bool // the target is about dropped records, not late ones
	SLAMs           int64
	WindowMs        int64
	AllowedLateness int64
	EmitMs          int64 // watermark interval; 0: on every event
	ProcessingMs    int64
	CycleMs         int64 // slowest known cycle of the load
	EventTime       EventTime
	UnitClasses     map[string]uint64 // records by the unit that their magnitude suggests, if there are several
	Facts           TopicFacts
	Column          string // SQL rowtime column; default ts
	Incomplete      string // why the reading stopped early; empty: it did not
	NotSeen         []string
	LeftOut         *record.LeftOut // of a file; nil: nothing
	Sampling        *Sampling
	Candidates      []Candidate      // fields that may be the event time, if none was named
	By              string           // the field of Groups
	Groups          *measure.ByGroup // nil: not asked for
	Duplicates      measure.Duplicates
}

// TopicFacts are what the broker reports about a topic. The zero value means unknown.
type TopicFacts struct {
	Known         bool
	Partitions    int
	CleanupPolicy string
	TimestampType string
	RetentionMs   int64 // -1: unlimited
	Transactions  bool  // control or aborted records explain the missing offsets
	ReadCommitted bool
	Empty         []int32
}

// Recommend makes the decision. It is pure: the same measurement and options give the same
// answer.
func Recommend(m *measure.Measurement, o Options) Recommendation {
	if o.Column == "" {
		o.Column = "ts"
	}
	s := summarize(m, o)
	r := Recommendation{
		Schema: Schema, Topic: o.Topic, Source: o.Source, Records: s.n, Counters: s.total.Counters,
		EventTime: o.EventTime, TargetLate: o.Target.Fraction(), TargetText: o.Target.Text,
		Disorder: quantiles(s.total.Own), Complete: o.Incomplete == "", Findings: Findings{},
	}
	if m.Span.N > 0 && m.Span.LastArrival != 0 {
		r.Window = Window{units.Time(m.Span.FirstArrival), units.Time(m.Span.LastArrival), m.Span.LastArrival - m.Span.FirstArrival}
	}
	if s.arrivalKnown {
		t, l := quantiles(s.total.Transport), quantiles(s.total.Lag)
		r.Transport, r.Lag = &t, &l
	}
	r.Partitions = s.partitions()
	s.stability = s.stable()
	r.Candidates = s.candidates()
	r.Findings = s.guards()
	r.Advice = s.decide(r.Findings, r.Partitions)
	r.Curve = s.curve(r.Advice)
	r.Stability = s.stability
	if !m.CountsOnly {
		r.Hours, r.Week = s.hours(r.Advice), s.week(r.Advice)
	}
	r.Distrib, r.Joint, r.Latency = s.distribution(), s.joint(), s.latency(r.Advice)
	s.lateByDelay(&r)
	r.By = s.by(r.Advice)
	r.Confluent = s.confluent()
	r.Code = Code{
		DataStream: fmt.Sprintf("WatermarkStrategy.<T>forBoundedOutOfOrderness(%s)", units.Java(r.Advice.RoundedMs)),
		SQL:        units.Watermark(o.Column, r.Advice.RoundedSQLMs),
	}
	if m.IdleMs > 0 { // only the given timeout, because it makes records late
		r.Code.DataStream += fmt.Sprintf("\n    .withIdleness(%s)", units.Java(m.IdleMs))
		r.Code.SQL += fmt.Sprintf("\n-- WITH ('scan.watermark.idle-timeout' = '%d ms')", m.IdleMs)
	}
	if s.n == 0 {
		// A delay of 0 ms would look like an answer.
		r.Code = Code{DataStream: "// no delay can be named: no record was measured", SQL: "-- no delay can be named: no record was measured"}
		r.Confluent = nil
	}
	r.Sampling, r.LeftOut = o.Sampling, o.LeftOut
	r.NotSeen = s.notSeen(r)
	r.NotMeasured = s.notMeasured()
	r.Assumptions = s.assumptions()
	r.Review = s.review(r)
	return r
}

// summary holds the totals that each step of the decision uses.
type summary struct {
	m     *measure.Measurement
	o     Options
	total *measure.Cell
	topic *measure.TopicCell
	steps measure.Steps
	n     uint64 // usable records: the denominator of every share
	// arrivalKnown is false if the Kafka timestamp is the event time itself or absent.
	arrivalKnown bool
	// stepsWhole is false if disorder came without its steps, as from a remote job.
	stepsWhole bool
	stability  *Stability
	parts      []Partition // once they are judged
}

func summarize(m *measure.Measurement, o Options) *summary {
	s := &summary{m: m, o: o, total: m.Total(), topic: m.TopicTotal(), steps: m.StepTotal()}
	s.n = s.total.Records
	s.stepsWhole = s.steps.Count() == s.total.Own.Positive()
	s.arrivalKnown = s.total.Transport.Count() > 0 && s.total.SameAsKafka*100 <= s.total.Transport.Count()*99
	return s
}

// disorder is what makes a record late: its distance behind its own partition or, with an idle
// timeout, also behind the active ones.
func (s *summary) disorder() *hist.Histogram {
	if s.m.IdleMs > 0 && s.topic.Woken != nil && s.topic.Woken.Count() > 0 {
		return s.topic.Woken
	}
	return s.total.Own
}

// late is the number of records beyond a DataStream delay, as disorder counts them.
func (s *summary) late(d int64) uint64 {
	if h := s.disorder(); h != s.total.Own {
		if n, ok := s.topic.WokenSteps.Above(d); ok {
			return n
		}
		return h.Above(d)
	}
	return s.lateOwn(d)
}

// lateOwn is the number of records further than a DataStream delay behind their own partition. It
// is exact at bucket tops, at steps that a person would write and with exact counting; elsewhere
// it is at most one bucket too large.
func (s *summary) lateOwn(d int64) uint64 {
	if s.stepsWhole && !s.total.Own.Exact() {
		if n, ok := s.steps.Above(d); ok {
			return n
		}
	}
	return s.total.Own.Above(d)
}

// dropped is the number of records whose window of size WindowMs has fired and been cleaned up:
// running maximum - window end >= delay + allowed lateness. Without the histogram of that window
// it is estimated from disorder, assuming that records are spread evenly over the window.
func (s *summary) dropped(d int64) float64 {
	edge := d + s.o.AllowedLateness
	if h := s.total.Windows[s.o.WindowMs]; h != nil && h.Count() > 0 {
		return float64(h.Above(edge - 1))
	}
	var sum float64
	s.total.Own.EachAbove(func(top, _ int64, n uint64) bool {
		if top <= edge {
			return false
		}
		sum += float64(n) * float64(min(s.o.WindowMs, top-edge)) / float64(s.o.WindowMs)
		return true
	})
	return sum
}

// need is the smallest DataStream delay with at most k of the counted records late, and the SQL
// delay.
func need(own *hist.Histogram, ties bool, k uint64) (dataStream, sql int64) {
	x, ok := own.SmallestWithAbove(k)
	if !ok {
		x = math.MinInt64 + 1
	}
	dataStream, sql = max(0, x), max(0, x+1)
	if ties {
		sql = max(1, sql)
	}
	return dataStream, sql
}

// needDrops is the smallest delay with at most k records dropped; it needs a window.
func (s *summary) needDrops(k uint64) int64 {
	if h := s.total.Windows[s.o.WindowMs]; h != nil && h.Count() > 0 {
		x, ok := h.SmallestWithAbove(k)
		if !ok {
			return 0
		}
		return max(0, x+1-s.o.AllowedLateness)
	}
	lo, hi := int64(0), max(0, s.total.Own.Max())
	for lo < hi {
		if mid := lo + (hi-lo)/2; s.dropped(mid) <= float64(k) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// guaranteed is the smallest bucket top whose upper confidence limit is below the target; nil if
// no interval of this sample is credible.
func (s *summary) guaranteed() *int64 {
	if s.stability != nil && !s.stability.Trusted {
		return nil
	}
	var tops []int64
	s.total.Own.EachAbove(func(top, _ int64, _ uint64) bool { tops = append(tops, top); return true })
	tops = append(tops, 0)
	under := func(i int) bool {
		return s.evidence(tops[i], s.total.Own.Above(tops[i])).interval95()[1] <= s.o.Target.Fraction()
	}
	if !under(0) {
		return nil
	}
	// tops fall, so the late share rises with the index: find the last one that is still below.
	lo, hi := 0, len(tops)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; under(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return &tops[lo]
}

func quantiles(h *hist.Histogram) Quantiles {
	return Quantiles{Min: h.Min(), P1: h.Quantile(1, 100), P50: h.Quantile(1, 2), P95: h.Quantile(95, 100), P99: h.Quantile(99, 100),
		P995: h.Quantile(995, 1000), P999: h.Quantile(999, 1000), Max: h.Max()}
}
