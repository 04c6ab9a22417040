package advise

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/engine"
	"tidemark/internal/cases/property"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// drawn is a stream of up to three partitions in order of arrival, with ties, jumps and records of any age.
func drawn(t *rapid.T) []record.Point {
	partitions := rapid.IntRange(1, 3).Draw(t, "partitions")
	clock, next := epoch, make([]int64, partitions)
	var out []record.Point
	for range rapid.IntRange(2, 150).Draw(t, "records") {
		clock += rapid.Int64Range(1, 2000).Draw(t, "step")
		p := rapid.IntRange(0, partitions-1).Draw(t, "partition")
		age := rapid.OneOf(rapid.Int64Range(-20, 300), rapid.Int64Range(0, 60_000), rapid.Just(int64(0))).Draw(t, "age")
		event := clock - age
		if rapid.IntRange(0, 9).Draw(t, "whole seconds") == 0 {
			event -= event % 1000
		}
		out = append(out, record.Point{Partition: int32(p), Offset: next[p], Arrival: clock, Event: event, Type: record.AppendTime, First: next[p] == 0})
		next[p]++
	}
	return out
}

var delays = []int64{0, 1, 2, 10, 100, 255, 256, 999, 5000, 20_000, 59_999, 60_000, 100_000}

func TestLateSharesFallWithTheDelayAndAreTheDefinition(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := drawn(t)
		own := measured(measure.Options{}, ps).Total().Own
		before := uint64(len(ps))
		for _, d := range append(slices.Clone(delays), rapid.Int64Range(0, 70_000).Draw(t, "delay")) {
			if got, want := own.Above(d), lateOf(ps, d, false); got != want {
				t.Fatalf("%d late at %d ms, definition %d", got, d, want)
			}
			if got, want := own.Above(d-1), lateOf(ps, d, true); got != want {
				t.Fatalf("%d late at %d ms in SQL, definition %d", got, d, want)
			}
		}
		for _, d := range delays {
			if late := own.Above(d); late > before {
				t.Fatalf("%d late at %d ms, more than at a smaller delay", late, d)
			} else {
				before = late
			}
		}
	})
}

func TestTheDelayIsTheSmallestOne(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := drawn(t)
		text := rapid.SampledFrom([]string{"0%", "0.5%", "1%", "5%", "p90", "50%"}).Draw(t, "target")
		eps, err := ParseTarget(text)
		if err != nil {
			t.Fatal(err)
		}
		r := Recommend(measured(measure.Options{}, ps), Options{Target: eps})
		k, d, sql := eps.Allowed(uint64(len(ps))), r.Advice.DataStreamMs, r.Advice.SQLMs
		if late := lateOf(ps, d, false); late > k {
			t.Fatalf("%d late at %d ms, allowed %d", late, d, k)
		}
		if late := lateOf(ps, sql, true); late > k {
			t.Fatalf("%d late at %d ms in SQL, allowed %d", late, sql, k)
		}
		if d > 0 && lateOf(ps, d-1, false) <= k {
			t.Fatalf("%d ms is not the smallest delay for %d late records", d, k)
		}
		// Ties cost SQL a millisecond whatever the share allowed.
		if sql > 1 && lateOf(ps, sql-1, true) <= k {
			t.Fatalf("%d ms is not the smallest delay of SQL for %d late records", sql, k)
		}
		if rounded := r.Advice.RoundedMs; rounded < d && r.Advice.Verdict != WrongKnob {
			t.Fatalf("rounded down from %d to %d", d, rounded)
		}
	})
}

func TestMergedIsNeverMoreThanOwnNorOwnThanOneGenerator(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := drawn(t)
		m := measured(measure.Options{IdleMs: 5000}, ps)
		own, topic := m.Total().Own, m.TopicTotal()
		for _, d := range []int64{0, 127, 255, 1023, 8191, 32_767, 65_535} { // bucket tops: every count is exact
			merged, one := topic.Merged.Above(d), topic.Global.Above(d)
			if o := own.Above(d); merged > o || o > one || topic.MergedIdle.Above(d) > one {
				t.Fatalf("at %d ms: merged %d, own %d, one generator %d, with idleness %d", d, merged, o, one, topic.MergedIdle.Above(d))
			}
			if want := lateTogether(ps, d, false); one != want {
				t.Fatalf("one generator at %d ms: %d late, definition %d", d, one, want)
			}
		}
	})
}

func TestPeriodicEmissionOnlyLowersTheLateShare(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := drawn(t)
		d := rapid.SampledFrom(delays).Draw(t, "delay")
		start := ps[0].Arrival - rapid.Int64Range(0, 5000).Draw(t, "phase")
		late := func(s engine.Strategy) (late int64) {
			s.Kind, s.BoundMs = engine.BoundedOutOfOrderness, d
			for id := range int32(3) { // a generator a partition, nothing merged
				r, err := engine.NewReplayer(engine.ReplayConfig{Strategy: s, Version: engine.Latest, Splits: 1, StartMs: &start})
				for _, p := range ps {
					if err == nil && p.Partition == id {
						err = r.Add(engine.Record{Arrival: p.Arrival, EventTime: p.Event})
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				late += r.Result().Late
			}
			return late
		}
		onEvent := late(engine.Strategy{EmitOnEvent: true})
		periodic := late(engine.Strategy{IntervalMs: rapid.Int64Range(1, 5000).Draw(t, "interval")})
		if want := int64(lateOf(ps, d, false)); onEvent != want || periodic > onEvent {
			t.Fatalf("on event %d (definition %d), periodic %d", onEvent, want, periodic)
		}
	})
}

func TestTransportIsDisorderPlusLagForEveryRecord(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		c := measure.NewCollector(measure.Options{SinglePass: true})
		for i, p := range drawn(t) {
			c.Add(p)
			one := c.Take().Total() // what this record alone added
			if one.Own.Count() == 0 {
				continue // the first of its partition
			}
			if a, d, l := one.Transport.Max(), one.Own.Max(), one.Lag.Max(); one.Transport.Count() != 1 || a != d+l {
				t.Fatalf("record %d: transport %d, disorder %d, lag %d", i, a, d, l)
			}
		}
	})
}

func TestMergeShiftAndPermutationLeaveDisorder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := drawn(t)
		whole := text(t, measured(measure.Options{}, ps))
		cut := rapid.IntRange(0, len(ps)).Draw(t, "cut")
		c := measure.NewCollector(measure.Options{SinglePass: true})
		var parts []*measure.Measurement
		for i, p := range ps {
			if i == cut {
				parts = append(parts, c.Take())
			}
			c.Add(p)
		}
		parts = append(parts, c.Finish())
		sum := measure.New(nil, 0)
		for _, m := range rapid.Permutation(parts).Draw(t, "order of merging") {
			if err := sum.Merge(m); err != nil {
				t.Fatal(err)
			}
		}
		if got := text(t, sum); got != whole {
			t.Fatalf("the parts add up to %s, the whole is %s", got, whole)
		}
		shift := rapid.Int64Range(-100_000, 0).Draw(t, "shift")
		moved, renamed := slices.Clone(ps), slices.Clone(ps)
		for i := range ps {
			moved[i].Event += shift
			renamed[i].Partition = (ps[i].Partition + 1) % 3
		}
		a, b := measured(measure.Options{}, ps).Total(), measured(measure.Options{}, moved).Total()
		if text(t, measured(measure.Options{}, moved)) != whole || a.Transport.Min()-shift != b.Transport.Min() || a.Transport.Max()-shift != b.Transport.Max() {
			t.Fatal("a constant shift of event time must move transport delay alone")
		}
		if got := text(t, measured(measure.Options{}, renamed)); got != whole {
			t.Fatal("disorder depends on the numbers of partitions")
		}
	})
}

// text is the disorder of a measurement in buckets.
func text(t *rapid.T, m *measure.Measurement) string {
	b, err := json.Marshal(m.Total().Own)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
