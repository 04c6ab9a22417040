package measure

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

// Points of every kind, in batches of any size, count the same as one by one.
func TestAddAllIsAdd(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		const parts = 3
		opts := Options{FutureMs: rapid.SampledFrom([]int64{0, 50_000}).Draw(t, "future"), NowMs: rapid.SampledFrom([]int64{0, 1_796_000_000_000 + 4*HourMs}).Draw(t, "now"), EmitMs: 200, IdleMs: rapid.SampledFrom([]int64{0, 60_000}).Draw(t, "idle"), Windows: []int64{60_000}}
		exact := rapid.Bool().Draw(t, "exact")
		var ps []record.Point
		next := [parts]int64{}
		clock := int64(1_796_000_000_000)
		odd := rapid.IntRange(0, 30).Draw(t, "odd")
		for range rapid.IntRange(1, 40).Draw(t, "runs") {
			part := int32(rapid.IntRange(0, parts-1).Draw(t, "partition"))
			for range rapid.IntRange(1, 20).Draw(t, "run") {
				clock += int64(rapid.IntRange(0, 60_000).Draw(t, "step"))
				p := record.Point{Partition: part, Offset: next[part], Arrival: clock, Type: record.AppendTime, Event: clock - int64(rapid.IntRange(-10, 90_000).Draw(t, "delay")), First: next[part] == 0}
				if odd > 0 && rapid.IntRange(0, odd).Draw(t, "kind") == 0 {
					switch rapid.IntRange(0, 9).Draw(t, "oddity") {
					case 0:
						p.State = record.State(rapid.IntRange(1, 3).Draw(t, "state"))
					case 1:
						p.Event = rapid.SampledFrom([]int64{-1, 0, math.MaxInt64, math.MinInt64, 1 << 62, 1}).Draw(t, "event")
					case 2:
						p.Event = clock + int64(rapid.IntRange(0, 2_000_000).Draw(t, "ahead"))
					case 3:
						p.Type, p.Event = record.CreateTime, p.Arrival
					case 4:
						p.Type = record.NoTimestamp
					case 5:
						p.Offset += int64(rapid.IntRange(1, 3).Draw(t, "gap"))
						p.First = rapid.Bool().Draw(t, "first")
					case 6:
						p.PreRoll = true
					case 7:
						p.Arrival -= int64(rapid.IntRange(0, 200_000).Draw(t, "back"))
					case 8:
						p.Type, p.Arrival = record.CreateTime, p.Arrival+int64(rapid.IntRange(0, 30_000_000).Draw(t, "late"))
						p.Event = p.Arrival
					case 9:
						p.Arrival = 5000
					}
				}
				next[part] = p.Offset + 1
				ps = append(ps, p)
			}
		}
		measure := func(add func(c *Collector, ps []record.Point)) string {
			if exact {
				opts.Exact = &hist.Budget{Left: 200}
			}
			c := NewCollector(opts)
			for id := range int32(parts) {
				c.Expect(id)
			}
			c.From(0, 0)
			add(c, ps[:len(ps)/2])
			half := text(c.Take())
			add(c, ps[len(ps)/2:])
			return half + text(c.Finish())
		}
		size := rapid.IntRange(1, 100).Draw(t, "batch")
		together := measure(func(c *Collector, ps []record.Point) {
			for batch := range slices.Chunk(ps, size) {
				c.AddAll(batch)
			}
		})
		single := measure(func(c *Collector, ps []record.Point) {
			for _, p := range ps {
				c.Add(p)
			}
		})
		if together != single {
			t.Fatalf("in batches\n%s\none by one\n%s", together, single)
		}
	})
}

func BenchmarkAddAll(b *testing.B) {
	const parts, batch = 8, 2048
	c := NewCollector(Options{})
	for id := range int32(parts) {
		c.Expect(id)
	}
	ps := make([]record.Point, batch)
	next := [parts]int64{}
	n := 0
	for i := 0; b.Loop(); i++ {
		part := i % parts
		for j := range ps {
			at := 1_796_000_000_000 + next[part]
			ps[j] = record.Point{Partition: int32(part), Offset: next[part], Arrival: at, Event: at - next[part]*7919%3000, Type: record.AppendTime, First: next[part] == 0}
			next[part]++
		}
		c.AddAll(ps)
		n += batch
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/record")
}
