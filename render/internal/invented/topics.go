// Package invented has measured topics of every kind that a recommendation must show well, for tests.
package invented

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// Hostile is a name that a terminal, a page and Markdown would act on.
const Hostile = "or\x1b[31mders</title><script>alert(1)</script>\u202e|`*\n# x"

// Topic describes the records of an invented topic.
type Topic struct {
	Name       string
	partitions int32
	records    int
	gapMs      int64 // between the arrivals of neighbours
	delay      func(r *rand.Rand, partition int32, arrival int64) int64
	segmentMs  int64                    // read only the start of each hour; 0: everything
	skip       func(arrival int64) bool // no record then
	CreateTime bool                     // the Kafka timestamp is the event time
	advice     advise.Options
}

func lognormal(medianMs, sigma float64) func(*rand.Rand) int64 {
	return func(r *rand.Rand) int64 { return int64(medianMs * math.Exp(sigma*r.NormFloat64())) }
}

// Topics are measured topics of every kind the page must show well.
func Topics() []Topic {
	usual := lognormal(200, 1.2)
	return []Topic{
		{Name: "lognormal", partitions: 12, records: 84_000, gapMs: 60, segmentMs: 30_000, advice: advise.Options{SLAMs: 30_000, WindowMs: 60_000},
			delay: func(r *rand.Rand, _ int32, at int64) int64 {
				if hour := at / measure.HourMs % 24; hour == 2 {
					return 50 + usual(r)*4
				}
				return 50 + usual(r)
			}, skip: func(at int64) bool { hour := at / measure.HourMs % 24; return hour == 4 || hour == 5 }},
		{Name: "offline devices", partitions: 6, records: 50_000, gapMs: 3_600, advice: advise.Options{SLAMs: 60_000, WindowMs: 60_000},
			delay: func(r *rand.Rand, _ int32, at int64) int64 {
				if at/60_000%40 == 0 && r.IntN(2) == 0 {
					return 2*measure.HourMs + r.Int64N(4*measure.HourMs)
				}
				return usual(r)
			}},
		{Name: "one bad partition", partitions: 32, records: 75_000, gapMs: 160, advice: advise.Options{SLAMs: 60_000},
			delay: func(r *rand.Rand, p int32, _ int64) int64 {
				if p == 17 {
					return usual(r) * 20
				}
				return usual(r) / 2
			}},
		{Name: "tiny sample", partitions: 2, records: 240, gapMs: 500, delay: func(r *rand.Rand, _ int32, _ int64) int64 { return usual(r) }},
		{Name: "infeasible", partitions: 8, records: 50_000, gapMs: 600, advice: advise.Options{SLAMs: 5_000, WindowMs: 10_000},
			delay: func(r *rand.Rand, p int32, _ int64) int64 { return 20_000 + int64(p)*1000 + usual(r) }},
		{Name: "create time " + Hostile, partitions: 3, records: 60_000, gapMs: 700, CreateTime: true, advice: advise.Options{EventTime: advise.EventTime{Field: Hostile, Unit: "ms", Zone: "UTC"}},
			delay: func(r *rand.Rand, _ int32, _ int64) int64 { return usual(r) }},
		{Name: "in the future", partitions: 4, records: 50_000, gapMs: 300,
			delay: func(r *rand.Rand, _ int32, _ int64) int64 {
				if r.IntN(10_000) == 0 {
					return -365 * 24 * measure.HourMs
				}
				return usual(r)
			}},
	}
}

// inventedAnswers caches measurements for the next test.
var inventedAnswers sync.Map

// Recommendation measures the topic as a broker's records would be.
func (v Topic) Recommendation(t testing.TB) advise.Recommendation {
	t.Helper()
	if done, ok := inventedAnswers.Load(v.Name); ok {
		return done.(advise.Recommendation)
	}
	r := rand.New(rand.NewPCG(7, uint64(len(v.Name))))
	var windows []int64
	if v.advice.WindowMs > 0 {
		windows = []int64{v.advice.WindowMs}
	}
	c := measure.NewCollector(measure.Options{Windows: windows})
	for p := range v.partitions {
		c.Expect(p)
	}
	points := make([]record.Point, 0, v.records)
	offsets := map[int32]int64{}
	at := int64(1_795_737_600_000) // 27 November 2026, 00:00 UTC
	segment, segments := 0, []int{}
	for range v.records {
		at += r.Int64N(2*v.gapMs + 1)
		if v.segmentMs > 0 && at%measure.HourMs > v.segmentMs {
			at += measure.HourMs - at%measure.HourMs
			segment++
		}
		if v.skip != nil && v.skip(at) {
			continue
		}
		p := r.Int32N(v.partitions)
		x := record.Point{Partition: p, Offset: offsets[p], Arrival: at, Event: at - v.delay(r, p, at), Type: record.AppendTime}
		if v.CreateTime {
			x.Arrival, x.Type = x.Event, record.CreateTime
		}
		offsets[p]++
		points, segments = append(points, x), append(segments, segment)
	}
	if v.CreateTime {
		slices.SortStableFunc(points, func(a, b record.Point) int { return cmp.Compare(a.Partition, b.Partition) })
	}
	begun := map[int32]int{}
	for i, p := range points {
		if i > 0 && segments[i] != segments[i-1] {
			c.Cut()
		}
		if n, seen := begun[p.Partition]; !seen || n != segments[i] {
			p.First, begun[p.Partition] = true, segments[i]
			if segments[i] > 0 {
				c.Prime(p.Partition, p.Arrival-250)
			}
		}
		c.Add(p)
	}
	target, err := advise.ParseTarget("0.1%")
	if err != nil {
		t.Fatal(err)
	}
	o := v.advice
	o.Topic, o.Source, o.Target, o.EmitMs = v.Name, "Kafka", target, 200
	if o.EventTime.Field == "" {
		o.EventTime = advise.EventTime{Field: "payload.event_time", Format: "json", Unit: "ms", Zone: "explicit", Detected: true}
	}
	answer := advise.Recommend(c.Finish(), o)
	inventedAnswers.Store(v.Name, answer)
	return answer
}
