package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases"
	"tidemark/internal/cases/property"
	"tidemark/kafkastats/record"
)

// atTicks counts, by Flink's rule, the records that are late with a tick at every moment that is phase
// more than a multiple of the interval: the watermark in force is the last tick's, and a tick sees the
// records that arrived before it.
func atTicks(ps []record.Point, parts int, emit, phase, delay int64) int {
	running := map[int32]int64{}
	frontier, force := int64(math.MinInt64), int64(math.MinInt64)
	late, next := 0, 0
	for i := 0; i < len(ps); {
		at := ps[i].Arrival
		tick := floorDiv(at-phase, emit)*emit + phase // the last one at or before
		for ; next < i && ps[next].Arrival < tick; next++ {
			p := ps[next]
			if x, ok := running[p.Partition]; !ok || p.Event > x {
				running[p.Partition] = p.Event
			}
			if len(running) == parts {
				low := int64(math.MaxInt64)
				for _, x := range running {
					low = min(low, x)
				}
				frontier = max(frontier, low)
			}
		}
		force = frontier
		if force != math.MinInt64 && force-ps[i].Event > delay {
			late++
		}
		i++
	}
	return late
}

func partitionsOf(ps []record.Point) int {
	seen := map[int32]bool{}
	for _, p := range ps {
		seen[p.Partition] = true
	}
	return len(seen)
}

// With an interval of eight milliseconds every age that is looked at is one whole millisecond, and the
// mean over the eight phases is what the ages 0 to 7 add up to.
func TestPeriodicIsTheMeanOverThePhasesOfTheTicks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, rapid.IntRange(1, 3).Draw(t, "parts"))
		for i := range ps { // dense enough for ticks to matter
			ps[i].Event -= ps[i].Arrival
			ps[i].Arrival = ps[0].Arrival + int64(i)*rapid.Int64Range(1, 3).Draw(t, "step")
			if i > 0 {
				ps[i].Arrival = max(ps[i].Arrival, ps[i-1].Arrival)
			}
			ps[i].Event = ps[i].Arrival + ps[i].Event%50
		}
		parts := partitionsOf(ps)
		m := run(Options{EmitMs: 8}, ps)
		if m.Periodic.Records != uint64(len(ps)) {
			t.Fatalf("%d of %d records", m.Periodic.Records, len(ps))
		}
		for _, d := range []int64{0, 1, 5, 20, 45} {
			phases := 0
			for phase := range int64(8) {
				phases += atTicks(ps, parts, 8, phase, d)
			}
			ages := uint64(0)
			for _, s := range m.Periodic.Aged[:lags] {
				n, _ := s.Above(d)
				ages += n
			}
			expected, least, most, ok := m.Periodic.Late(d)
			if !ok || ages != uint64(phases) {
				t.Fatalf("at %d ms the ages add up to %d late, the phases to %d", d, ages, phases)
			}
			if merged := float64(m.TopicTotal().Merged.Above(d)); expected < least || expected > most || most > merged {
				t.Fatalf("at %d ms: %v to %v, expected %v, a watermark after every record %v", d, least, most, expected, merged)
			}
		}
	})
}

// Whatever the interval, waiting for a tick never makes a record late that is on time without.
func TestPeriodicIsNeverAboveOnEvent(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := points(t, 3)
		emit := rapid.SampledFrom([]int64{1, 3, 8, 200, 5000, 100_000}).Draw(t, "emit")
		m := run(Options{EmitMs: emit}, ps)
		own, topic := m.Total().Own, m.TopicTotal()
		for d := int64(0); d < 100_000; d = RoundUp(d*2 + 1) {
			expected, least, most, ok := m.Periodic.Late(d)
			merged, onEvent := float64(topic.Merged.Above(d)), float64(own.Above(d))
			if !ok || least > expected || expected > most || most > merged || merged > onEvent {
				t.Fatalf("every %d ms, at %d ms: %v <= %v <= %v <= merged %v <= own %v does not hold", emit, d, least, expected, most, merged, onEvent)
			}
		}
	})
}

// Vector 23: records 100, 99, 98, 101, 97 a millisecond apart.
func TestVector23(t *testing.T) {
	var ps []record.Point
	for i, event := range []int64{100, 99, 98, 101, 97} {
		ps = append(ps, record.Point{Offset: int64(i), Arrival: 1_796_000_000_010 + int64(i), Event: 1_796_000_000_000 + event, Type: record.AppendTime, First: i == 0})
	}
	onEvent := run(Options{}, ps).Total().Own
	if got := onEvent.Above(0); got != 3 || onEvent.Max() != 4 {
		t.Errorf("%d late on event, largest disorder %d", got, onEvent.Max())
	}
	if got := atTicks(ps, 1, 1000, 5, 0); got != 0 {
		t.Errorf("%d late with no tick inside", got)
	}
	if got := atTicks(ps, 1, 1000, (1_796_000_000_012)%1000, 0); got != 2 {
		t.Errorf("%d late with a tick at 12 ms", got)
	}
	expected, least, most, _ := run(Options{EmitMs: 200}, ps).Periodic.Late(0)
	if least != 0 || most != 3 || expected != 3.0/16 {
		t.Errorf("estimated %v between %v and %v", expected, least, most)
	}
	if n, _, most, _ := run(Options{EmitMs: 200}, ps).Periodic.Late(4); n != 0 || most != 0 {
		t.Errorf("%v late at the delay that is recommended", n)
	}
}

// lognormal invents four partitions of 250 records a second, delays with a median of 200 ms next to 50
// that each record pays.
func lognormal(n int) []record.Point {
	const parts, rate = 4, 250.0
	r := rand.New(rand.NewPCG(5, 8))
	ps := make([]record.Point, 0, parts*n)
	for p := range int32(parts) {
		at := 1_796_000_000_000.0
		for range n {
			at += r.ExpFloat64() * 1000 / rate
			ps = append(ps, record.Point{Partition: p, Event: int64(at), Arrival: int64(at + 50 + 200*math.Exp(1.2*r.NormFloat64())), Type: record.AppendTime})
		}
	}
	slices.SortStableFunc(ps, func(a, b record.Point) int { return int(a.Arrival - b.Arrival) })
	next := [parts]int64{}
	for i := range ps {
		ps[i].Offset = next[ps[i].Partition]
		next[ps[i].Partition]++
	}
	return ps
}

// The estimate must be what ten phases of a real tick give. Of the records late with a watermark after
// every record, ticks save some 30 % at no delay, 13 % at a second and 5 % in the far tail.
func TestPeriodicMatchesSimulatedTicks(t *testing.T) {
	ps := lognormal(60_000)
	m := run(Options{EmitMs: 200}, ps)
	n := float64(len(ps))
	phases := int64(cases.Of(2, 10))
	for d, kept := range map[int64]float64{0: 0.703, 1000: 0.872, 5000: 0.946} {
		sum := 0
		for phase := range phases {
			sum += atTicks(ps, 4, 200, phase*200/phases+7, d)
		}
		simulated := float64(sum) / float64(phases) / n
		expected, _, most, _ := m.Periodic.Late(d)
		if onEvent := float64(m.TopicTotal().Merged.Above(d)); math.Abs(expected/onEvent-kept) > 0.02 {
			t.Errorf("at %d ms ticks leave %.3f of the late records, want about %.3f", d, expected/onEvent, kept)
		}
		if share := expected / n; math.Abs(share-simulated) > 0.02*simulated+5/n || share > most/n {
			t.Errorf("at %d ms %.6f estimated, %.6f simulated", d, share, simulated)
		}
	}
}

func TestPeriodicAddsUpOverTakes(t *testing.T) {
	ps := lognormal(2000)
	whole := run(Options{EmitMs: 200}, ps)
	c := NewCollector(Options{EmitMs: 200})
	for id := range int32(4) {
		c.Expect(id)
	}
	sum := New(nil, 0)
	for i, p := range ps {
		c.Add(p)
		if i%3000 == 2999 {
			if err := sum.Merge(c.Take()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := sum.Merge(c.Finish()); err != nil {
		t.Fatal(err)
	}
	if a, b := text(whole.Periodic), text(sum.Periodic); a != b {
		t.Errorf("%s\n%s", a, b)
	}
	if err := sum.Merge(run(Options{}, []record.Point{{Partition: 9, Offset: 1, Event: 1_796_000_000_000, Arrival: 1_796_000_000_000, Type: record.AppendTime}})); err != nil || sum.Periodic != nil {
		t.Errorf("a part without the estimate leaves %v, %v", sum.Periodic, err)
	}
}

func TestPeriodicNeedsTheMomentOfArrival(t *testing.T) {
	ps := lognormal(500)
	for i := range ps {
		ps[i].Type = record.CreateTime
	}
	if p := run(Options{EmitMs: 200}, ps).Periodic; p.Records != 0 {
		t.Errorf("%d records counted whose timestamp the producer set", p.Records)
	}
}
