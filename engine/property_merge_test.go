package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// Merging is associative: one valve over all channels ends where valves over
// groups of channels, merged by another valve, end.
func TestMergingIsAssociative(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		flat, tree := &recorder{}, &recorder{}
		all, _ := NewValve(4, flat)
		top, _ := NewValve(2, tree)
		left, _ := NewValve(2, valvePort{top, 0})
		right, _ := NewValve(2, valvePort{top, 1})
		marks := [4]int64{}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			ch := rapid.IntRange(0, 3).Draw(t, "channel")
			marks[ch] += rapid.Int64Range(-3, 20).Draw(t, "rise")
			group := left
			if ch > 1 {
				group = right
			}
			if err := all.Watermark(ch, marks[ch]); err != nil {
				t.Fatal(err)
			}
			if err := group.Watermark(ch%2, marks[ch]); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(flat.watermarks, tree.watermarks) {
				t.Fatalf("flat %v, tree %v", flat.watermarks, tree.watermarks)
			}
		}
	})
}

type valvePort struct {
	to      *Valve
	channel int
}

func (p valvePort) EmitWatermark(ts int64) { _ = p.to.Watermark(p.channel, ts) }
func (p valvePort) EmitStatus(idle bool)   { _ = p.to.Status(p.channel, idle) }

func TestValveOnlyRisesAndStaysBelowAlignedChannels(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "channels")
		out := &recorder{}
		v, _ := NewValve(n, out)
		for range rapid.IntRange(1, 100).Draw(t, "steps") {
			ch := rapid.IntRange(0, n-1).Draw(t, "channel")
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				if err := v.Status(ch, rapid.Bool().Draw(t, "idle")); err != nil {
					t.Fatal(err)
				}
			} else if err := v.Watermark(ch, rapid.Int64Range(0, 500).Draw(t, "ts")); err != nil {
				t.Fatal(err)
			}
			if holder := v.Holder(); holder >= 0 && v.channels[holder].watermark < v.Last() {
				t.Fatalf("output %d above aligned channel %d at %d", v.Last(), holder, v.channels[holder].watermark)
			}
		}
		if !slices.IsSorted(out.watermarks) {
			t.Fatalf("not monotone: %v", out.watermarks)
		}
	})
}
