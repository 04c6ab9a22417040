package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/kafkastats/record"
)

// wild are points of the kinds that carry state from one record to the next: jumps that need a
// look-ahead, records without event time, offsets that are missing, quiet partitions.
func wild(t *rapid.T, parts int) [][]record.Point {
	out := make([][]record.Point, parts)
	kinds := rapid.SampledFrom([]string{"good", "good", "good", "good", "late", "future", "leap", "tombstone", "missing", "zero", "no timestamp"})
	create := rapid.Bool().Draw(t, "create time is event time")
	for id := range out {
		clock, offset := int64(1_796_000_000_000), int64(rapid.IntRange(0, 50).Draw(t, "first offset"))
		for range rapid.IntRange(0, 60).Draw(t, "records") {
			clock += int64(rapid.SampledFrom([]int{0, 7, 1000, 40_000, 3_000_000}).Draw(t, "step"))
			p := record.Point{Partition: int32(id), Offset: offset, Arrival: clock, Event: clock - 20, Type: record.AppendTime, First: len(out[id]) == 0}
			offset += int64(rapid.SampledFrom([]int{1, 1, 1, 1, 3}).Draw(t, "offset step"))
			switch kinds.Draw(t, "kind") {
			case "late":
				p.Event = clock - int64(rapid.IntRange(0, 100_000).Draw(t, "delay"))
			case "future":
				p.Event = clock + 900_000
			case "leap":
				p.Event = clock + 200_000
			case "tombstone":
				p.State = record.Tombstone
			case "missing":
				p.State = record.Missing
			case "zero":
				p.Event = 0
			case "no timestamp":
				p.Type = record.NoTimestamp
			}
			if create && p.Type == record.AppendTime && p.State == record.Usable {
				p.Type, p.Arrival = record.CreateTime, p.Event
			}
			out[id] = append(out[id], p)
		}
	}
	return out
}

func roundTrip[T any](t rapid.TB, v T) (out T) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return out
}

// A process that is killed at any moment and continues from its last flush ends with the measurement
// of one that never stopped, in whichever order the flushes are added up.
func TestKilledAnywhereAndResumedChangesNothing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		ps := wild(t, parts)
		opts := Options{Windows: []int64{60_000}, IdleMs: int64(rapid.SampledFrom([]int{0, 30_000}).Draw(t, "idle"))}
		begin := func(from *State) (*Collector, []int) {
			c, at := NewCollector(opts), make([]int, parts)
			for id := range parts {
				c.Expect(int32(id))
			}
			if from != nil {
				c.Resume(*from)
			}
			for id := range parts {
				var again int64
				if from != nil {
					again = from.Partitions[int32(id)].Again
				}
				for at[id] < len(ps[id]) && ps[id][at[id]].Offset < again {
					at[id]++
				}
			}
			return c, at
		}
		whole, at := begin(nil)
		for id := range parts {
			for ; at[id] < len(ps[id]); at[id]++ {
				whole.Add(ps[id][at[id]])
			}
		}
		var lines []*Measurement
		var last *State
		c, at := begin(nil)
		for left := true; left; {
			switch rapid.SampledFrom([]string{"read", "read", "read", "flush", "kill"}).Draw(t, "act") {
			case "read":
				id := rapid.IntRange(0, parts-1).Draw(t, "partition")
				for range rapid.IntRange(1, 20).Draw(t, "lump") {
					if at[id] < len(ps[id]) {
						c.Add(ps[id][at[id]])
						at[id]++
					}
				}
			case "flush":
				lines = append(lines, roundTrip(t, c.Take()))
				state := roundTrip(t, c.State())
				last = &state
			case "kill":
				c, at = begin(last)
			}
			left = false
			for id := range parts {
				left = left || at[id] < len(ps[id])
			}
		}
		lines = append(lines, roundTrip(t, c.Finish()))
		got, want := New(opts.Windows, opts.IdleMs), New(opts.Windows, opts.IdleMs)
		for _, i := range rapid.Permutation(indexes(len(lines))).Draw(t, "order") {
			if err := got.Merge(lines[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := want.Merge(whole.Finish()); err != nil {
			t.Fatal(err)
		}
		if text(got) != text(want) {
			t.Fatalf("killed:\n%s\nwhole:\n%s", text(got), text(want))
		}
	})
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestOverlapNamesBothRangesAndChangesNothing(t *testing.T) {
	piece := func(from, to int64) *Measurement {
		c := NewCollector(Options{})
		for i := from; i < to; i++ {
			c.Add(record.Point{Partition: 3, Offset: i, Arrival: 1_796_000_000_000 + i, Event: 1_796_000_000_000 + i, Type: record.AppendTime})
		}
		return c.Finish()
	}
	m := New(nil, 0)
	if err := m.Merge(piece(0, 40)); err != nil {
		t.Fatal(err)
	}
	before := text(m)
	for _, r := range [][2]int64{{0, 40}, {20, 60}, {39, 40}, {10, 12}} {
		err := m.Merge(piece(r[0], r[1]))
		var overlap *Overlap
		if !errors.As(err, &overlap) || overlap.Partition != 3 || overlap.A != (Range{0, 40}) || overlap.B != (Range{r[0], r[1]}) {
			t.Errorf("%v: %v", r, err)
		}
		if want := fmt.Sprintf("offsets 0 to 39 and offsets %d to %d overlap", r[0], r[1]-1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if text(m) != before {
		t.Error("a refused merge changed the counts")
	}
	if err := m.Merge(piece(40, 50)); err != nil || m.Partitions[3].Ranges[0] != (Range{0, 50}) {
		t.Errorf("what follows: %v, %v", err, m.Partitions[3].Ranges)
	}
}

func TestSlotsAndLastEventsAreBoundedWhateverTheOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int64{1, 100, 100_000}).Draw(t, "seconds apart")
		n := rapid.IntRange(1, 3*maxSlots).Draw(t, "n")
		var all, a, b Slots
		var whole, left, right Recent
		for i := range int64(n) {
			at := i * width * 1000
			w := Worst{1 + i*7919%5000, at}
			all.add(floorDiv(at, slotMs), w)
			whole.add(w.Disorder, i)
			if i*31%7 < 3 {
				a.add(floorDiv(at, slotMs), w)
				left.add(w.Disorder, i)
			} else {
				b.add(floorDiv(at, slotMs), w)
				right.add(w.Disorder, i)
			}
		}
		a, b = roundTrip(t, a), roundTrip(t, b)
		ab := a
		ab.Worst = map[int64]Worst{}
		ab.Merge(b)
		ab.Merge(a)
		if text(ab) != text(all) || len(all.Worst) > maxSlots {
			t.Fatalf("%d slots of 2^%d; merged %d of 2^%d", len(all.Worst), all.Shift, len(ab.Worst), ab.Shift)
		}
		left, right = roundTrip(t, left), roundTrip(t, right)
		left.Merge(&right)
		if text(left) != text(whole) || len(whole.values) > recentSize || left.Confluent() != whole.Confluent() {
			t.Fatalf("the last events depend on the order: %.200s, %.200s", text(left), text(whole))
		}
	})
}

func TestImpossibleSlotsAndLastEventsAreRefused(t *testing.T) {
	for _, in := range []string{`{"shift":41}`, `{"worst":[1,2]}`, `{"worst":[1,5,0,0,5,0]}`, `{"worst":[1,0,0]}`, `{"worst":[1,5,10000]}`, `{"worst":[9000000000000000000,5,1]}`, `[]`} {
		if err := json.Unmarshal([]byte(in), &Slots{}); err == nil {
			t.Errorf("slots %s were accepted", in)
		}
	}
	for _, in := range []string{`{"seen":1,"values":[1]}`, `{"seen":0,"values":[1,1]}`, `{"seen":1,"values":[1,-1]}`, `7`} {
		if err := json.Unmarshal([]byte(in), &Recent{}); err == nil {
			t.Errorf("last events %s were accepted", in)
		}
	}
}
