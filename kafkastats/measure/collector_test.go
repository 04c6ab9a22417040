package measure

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/record"
)

func run(opts Options, points []record.Point) *Measurement {
	c := NewCollector(opts)
	ids := map[int32]bool{}
	for _, p := range points {
		ids[p.Partition] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		c.Expect(id)
	}
	for _, p := range points {
		c.Add(p)
	}
	return c.Finish()
}

func points(t rapid.TB, parts int) []record.Point {
	rt := t.(*rapid.T)
	n := rapid.IntRange(1, 120).Draw(rt, "n")
	clock := int64(1_796_000_000_000)
	out := make([]record.Point, n)
	next := make([]int64, parts)
	for i := range out {
		clock += int64(rapid.IntRange(1, 4000).Draw(rt, "step"))
		p := rapid.IntRange(0, parts-1).Draw(rt, "partition")
		out[i] = record.Point{Partition: int32(p), Offset: next[p], Arrival: clock, Type: record.AppendTime,
			Event: clock - int64(rapid.OneOf(rapid.IntRange(-50, 300), rapid.IntRange(0, 90_000)).Draw(rt, "delay")), First: next[p] == 0}
		next[p]++
	}
	return out
}

// model is the brute force: every statistic by its definition, nothing shared with the collector.
type model struct{ own, merged, global, windowed, transport, lag []int64 }

func brute(ps []record.Point, parts int, w int64) model {
	var m model
	running := map[int32]int64{}
	frontier, spoken := int64(math.MinInt64), false
	for _, p := range ps {
		m.transport = append(m.transport, p.Arrival-p.Event)
		if max0, ok := running[p.Partition]; ok {
			m.own = append(m.own, max0-p.Event)
			m.lag = append(m.lag, p.Arrival-max0)
			end := p.Event - p.Event%w + w
			m.windowed = append(m.windowed, max0-end)
		}
		if len(running) > 0 {
			top := int64(math.MinInt64)
			for _, x := range running {
				top = max(top, x)
			}
			m.global = append(m.global, top-p.Event)
		}
		if spoken {
			m.merged = append(m.merged, frontier-p.Event)
		}
		if x, ok := running[p.Partition]; !ok || p.Event > x {
			running[p.Partition] = p.Event
		}
		if len(running) == parts {
			low := int64(math.MaxInt64)
			for _, x := range running {
				low = min(low, x)
			}
			frontier, spoken = max(frontier, low), true
		}
	}
	return m
}

func same(t *rapid.T, name string, h *hist.Histogram, vs []int64) {
	want := &hist.Histogram{}
	for _, v := range vs {
		want.Add(v)
	}
	if a, b := text(h), text(want); a != b {
		t.Fatalf("%s: %s, brute force %s", name, a, b)
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestCollectorAgreesWithBruteForce(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		ps := points(t, parts)
		used := map[int32]bool{}
		for _, p := range ps {
			used[p.Partition] = true
		}
		want := brute(ps, len(used), 60_000)
		m := run(Options{Windows: []int64{60_000}}, ps)
		total, topic := m.Total(), m.TopicTotal()
		same(t, "own", total.Own, want.own)
		same(t, "transport", total.Transport, want.transport)
		same(t, "lag", total.Lag, want.lag)
		same(t, "windows", total.Windows[60_000], want.windowed)
		same(t, "merged", topic.Merged, want.merged)
		same(t, "global", topic.Global, want.global)
		for d := int64(0); d < 100_000; d = d*2 + 1 {
			top := int64(hist.Top(hist.Index(uint64(d))))
			merged, own, global := topic.Merged.Above(top), total.Own.Above(top), topic.Global.Above(top)
			if merged > own || own > global {
				t.Fatalf("at %d ms: merged %d, own %d, global %d late: the order must be merged <= own <= global", top, merged, own, global)
			}
		}
	})
}

func TestSplittingAtAnyOffsetAndMergingInAnyOrderChangesNothing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, 2)
		whole := run(Options{SinglePass: true}, ps)
		cut := rapid.IntRange(0, len(ps)).Draw(t, "cut")
		c := NewCollector(Options{SinglePass: true})
		for _, p := range ps[:cut] {
			c.Add(p)
		}
		a := c.Take()
		for _, p := range ps[cut:] {
			c.Add(p)
		}
		b := c.Finish()
		ab, ba := New(nil, 0), New(nil, 0)
		for _, err := range []error{ab.Merge(a), ab.Merge(b), ba.Merge(b), ba.Merge(a)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		w := New(nil, 0)
		if err := w.Merge(whole); err != nil {
			t.Fatal(err)
		}
		if text(ab) != text(w) || text(ba) != text(w) {
			t.Fatalf("parts do not add up:\n%s\n%s\n%s", text(w), text(ab), text(ba))
		}
		if err := ab.Merge(b); err == nil && b.Span.N > 0 {
			t.Fatal("the same offsets were counted twice without complaint")
		}
	})
}

func TestShiftingEventTimeMovesOnlyTransport(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, 3)
		shift := rapid.Int64Range(-1_000_000, 0).Draw(t, "shift")
		moved := slices.Clone(ps)
		for i := range moved {
			moved[i].Event += shift
		}
		a, b := run(Options{}, ps).Total(), run(Options{}, moved).Total()
		if text(a.Own) != text(b.Own) {
			t.Fatal("disorder depends on a constant shift of event time")
		}
		if a.Transport.Min()-shift != b.Transport.Min() || a.Transport.Max()-shift != b.Transport.Max() {
			t.Fatal("transport delay does not move with event time")
		}
	})
}

func TestPermutingPartitionsChangesNothingInOwnDisorder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, 3)
		moved := slices.Clone(ps)
		for i := range moved {
			moved[i].Partition = 2 - moved[i].Partition
		}
		if a, b := run(Options{}, ps), run(Options{}, moved); text(a.Total().Own) != text(b.Total().Own) {
			t.Fatal("disorder depends on partition numbers")
		}
	})
}

func TestFutureRecordIsQuarantinedByLookAhead(t *testing.T) {
	for _, kind := range []record.TimestampType{record.CreateTime, record.NoTimestamp, record.AppendTime} {
		t.Run(kind.String(), func(t *testing.T) {
			var ps []record.Point
			for i := range 5000 {
				event := 1_796_000_000_000 + int64(i)
				arrival := event
				if i == 2500 {
					event += 365 * 24 * HourMs
					if kind == record.CreateTime {
						arrival = event
					}
				}
				ps = append(ps, record.Point{Offset: int64(i), Arrival: arrival, Event: event, Type: kind})
			}
			m := run(Options{}, ps)
			total := m.Total()
			if total.Future != 1 || total.Records != 4999 || total.Own.Above(0) != 0 {
				t.Fatalf("%d quarantined, %d counted, %d late", total.Future, total.Records, total.Own.Above(0))
			}
			if got := total.AsIs.Above(3_600_000); got != 2499 {
				t.Fatalf("as it is, %d records are an hour late, want 2499", got)
			}
			if f := m.Partitions[0].Futures; len(f) != 1 || f[0].Offset != 2500 {
				t.Fatalf("named %+v", f)
			}
		})
	}
}

func TestRealGapIsNotMistakenForTheFuture(t *testing.T) {
	var ps []record.Point
	for i := range 100 {
		event := 1_796_000_000_000 + int64(i)*1000
		if i >= 50 {
			event += 8 * HourMs // the night
		}
		ps = append(ps, record.Point{Offset: int64(i), Arrival: event, Event: event, Type: record.CreateTime})
	}
	if total := run(Options{}, ps).Total(); total.Future != 0 || total.Records != 100 {
		t.Fatalf("%d quarantined of %d", total.Future, total.Records)
	}
	if total := run(Options{NowMs: 1_796_000_000_000 + HourMs}, ps).Total(); total.Future != 50 {
		t.Fatalf("%d beyond the wall clock, want 50", total.Future)
	}
}

func TestSentinelsAndUnusableAreCountedAndNeverInTheMaximum(t *testing.T) {
	at := int64(1_796_000_000_000)
	ps := []record.Point{{Event: at, Arrival: at, Type: record.AppendTime}}
	for _, bad := range []int64{-1, 0, -7, math.MinInt64, math.MaxInt64} {
		ps = append(ps, record.Point{Event: bad, Arrival: at, Type: record.AppendTime})
	}
	for _, s := range []record.State{record.Tombstone, record.Missing, record.Undecodable} {
		ps = append(ps, record.Point{State: s, Arrival: at, Type: record.AppendTime})
	}
	for i := range ps {
		ps[i].Offset = int64(i)
	}
	got := run(Options{}, ps).Total().Counters
	if got.Sentinel != 5 || got.Tombstone != 1 || got.Missing != 1 || got.Undecodable != 1 || got.Records != 1 || got.Seen() != 9 {
		t.Fatalf("%+v", got)
	}
}

func TestOffsetsThatAreMissingAreCounted(t *testing.T) {
	m := run(Options{}, []record.Point{{Offset: 5, Event: 1, First: true}, {Offset: 6, Event: 2}, {Offset: 9, Event: 3}, {Offset: 20, Event: 4, First: true}})
	p := m.Partitions[0]
	if p.Jumps != 2 || fmt.Sprint(p.Ranges) != "[{5 10} {20 21}]" {
		t.Fatalf("jumps %d, ranges %v", p.Jumps, p.Ranges)
	}
}

func TestOffsetsMissingAtTheStartAreCounted(t *testing.T) {
	c := NewCollector(Options{})
	c.From(0, 100)
	c.Add(record.Point{Offset: 103, Event: 1, First: true})
	p := c.Finish().Partitions[0]
	if p.Jumps != 3 || fmt.Sprint(p.Ranges) != "[{100 104}]" {
		t.Fatalf("jumps %d, ranges %v", p.Jumps, p.Ranges)
	}
}

func TestEpisodesAreRunsOfExceedances(t *testing.T) {
	s := Slots{}
	for _, at := range []int64{1000, 2000, 40_000, 55_000, 300_000} {
		s.add(floorDiv(at, slotMs), Worst{5000, at})
	}
	s.add(0, Worst{100, 9999})
	for d, want := range map[int64]int{0: 4, 4999: 4, 5000: 0, 20_000: 0} {
		if got := s.Episodes(d); got != want {
			t.Errorf("%d episodes beyond %d, want %d", got, d, want)
		}
	}
}

func TestBlocksDoNotDependOnOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(-1_000_000, 3_000_000_000), 1, 400).Draw(t, "times")
		var all, a, b Blocks
		for i, at := range times {
			all.add(at, at%1000)
			if i%2 == 0 {
				a.add(at, at%1000)
			} else {
				b.add(at, at%1000)
			}
		}
		b.Merge(&a)
		if text(&all) != text(&b) || len(all.Own) > maxBlocks {
			t.Fatalf("%d blocks; order matters:\n%s\n%s", len(all.Own), text(&all), text(&b))
		}
	})
}

// The closed form of delay.md's literature: rate and delay distribution give the share of late records.
func TestExponentialDelaysMatchTheClosedForm(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	type stamped struct{ arrival, event float64 }
	const n, rate = 200_000, 50.0
	events := make([]stamped, n)
	at := 1e9
	for i := range events {
		at += r.ExpFloat64() * 1000 / rate
		events[i] = stamped{at + r.ExpFloat64()*1000, at}
	}
	slices.SortFunc(events, func(a, b stamped) int { return int(math.Copysign(1, a.arrival-b.arrival)) })
	c := NewCollector(Options{})
	for i, e := range events {
		c.Add(record.Point{Offset: int64(i), Arrival: int64(e.arrival), Event: int64(e.event), Type: record.AppendTime})
	}
	total := c.Finish().Total()
	for d, want := range map[int64]float64{0: 0.83578, 1000: 0.30747} {
		if got := float64(total.Own.Above(d)) / n; math.Abs(got-want) > 0.008 {
			t.Errorf("late share at %d ms is %.5f, closed form %.5f", d, got, want)
		}
	}
	if got := float64(total.Lag.Above(200)) / n; math.Abs(got-0.392) > 0.008 {
		t.Errorf("share of frontier lag above 200 ms is %.4f, closed form 0.392", got)
	}
}

func BenchmarkAdd(b *testing.B) {
	c := NewCollector(Options{})
	for id := range int32(8) {
		c.Expect(id)
	}
	var i int64
	for b.Loop() {
		at := 1_796_000_000_000 + i/10
		c.Add(record.Point{Partition: int32(i % 8), Offset: i / 8, Arrival: at, Event: at - i*7919%3000, Type: record.AppendTime})
		i++
	}
}
