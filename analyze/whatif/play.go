package whatif

import (
	"slices"
	"sync"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/twin/run"
	"tidemark/flinkapi"
)

// playback is a twin played in one variant, with snapshots.
type playback struct {
	*twin
	at      map[int64]*run.Snapshot // by time, epoch ms
	tallies []*tally                // what each operator of the twin did in the time judged
	// narrow and wide are for a time judged that is shorter, and longer, at both ends by as much as a timer's phase may
	// move an event. Only the nominal playback has them.
	narrow, wide []*tally
}

// playbacks are the runs of a design in all variants.
type playbacks [variants]*playback

// play plays all variants of a design, with snapshots at the moments (epoch ms).
func (b *base) play(d *design, moments []int64) (playbacks, error) {
	moments = slices.Clone(moments)
	slices.Sort(moments)
	moments = slices.Compact(moments)
	var out playbacks
	var errs [variants]error
	var wait sync.WaitGroup
	for v := range variants {
		wait.Go(func() { out[v], errs[v] = b.playOne(d, v, moments) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// playWhole plays a design from early enough that everything open at the start of the time judged is complete. Where the
// records do not reach back that far, it sets the design's shortMs.
func (b *base) playWhole(d *design, moments []int64) (playbacks, *base, error) {
	out, err := b.play(d, moments)
	if err != nil {
		return out, b, err
	}
	need, cut := b.unplayed(out[nominal])
	if need >= b.playMs && !cut {
		return out, b, nil
	}
	earlier := *b
	switch earlier.playMs = max(need, b.heldMs); {
	case b.startMs >= earlier.playMs && b.startMs < b.playMs:
		earlier.playMs, earlier.backMs = b.startMs, b.playMs-b.startMs
	case cut || need < b.heldMs:
		d.shortMs = max(d.shortMs, earlier.playMs-need, 1)
	}
	if earlier.playMs >= b.playMs {
		return out, b, nil
	}
	out, err = earlier.play(d, moments)
	return out, &earlier, err
}

func (b *base) playOne(d *design, v variant, moments []int64) (*playback, error) {
	f := &playback{twin: b.build(d, v), at: map[int64]*run.Snapshot{}}
	var all [][]*tally // by operator
	for range f.places {
		near := back(d)
		f.tallies = append(f.tallies, &tally{fromMs: b.fromMs, toMs: b.now.lo})
		own := []*tally{f.tallies[len(f.tallies)-1]}
		if v == nominal {
			narrow, wide := &tally{fromMs: b.fromMs + near, toMs: b.now.lo - near}, &tally{fromMs: b.fromMs - near, toMs: b.now.lo + near}
			f.narrow, f.wide = append(f.narrow, narrow), append(f.wide, wide)
			own = append(own, narrow, wide)
		}
		all = append(all, own)
	}
	shots, err := run.Play(f.job, run.Watch{
		Fired: func(op, _ int, fired engine.Fired) {
			for _, h := range all[op] {
				h.fired(fired)
			}
		},
		Dropped: func(op, _ int, at, _ int64) {
			for _, h := range all[op] {
				h.dropped(at)
			}
		},
	}, moments...)
	if err != nil {
		return nil, err
	}
	for i := range shots {
		f.at[shots[i].AtMs] = &shots[i]
	}
	return f, nil
}

// low is the smallest value of a gauge if its vertex was read at the given time or later; high is the largest if it was
// read then or earlier.
func (f playbacks) low(d *design, vx *model.Vertex, at int64, pick func(*run.Snapshot, *playback) int64) int64 {
	if vx.IsSource() || vx.Assigns() {
		return pick(f[nominal].at[at-back(d)], f[nominal])
	}
	return pick(f[late].at[at], f[late])
}

func (f playbacks) high(d *design, at int64, pick func(*run.Snapshot, *playback) int64) int64 {
	return pick(f[early].at[at+ahead(d)], f[early])
}

func watermark(ms int64) flinkapi.Watermark {
	switch engine.State(ms) {
	case engine.NeverEmitted:
		return flinkapi.NoWatermark()
	case engine.EndOfInput:
		return flinkapi.EndWatermark()
	}
	return flinkapi.KnownWatermark(ms)
}
