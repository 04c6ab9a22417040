package whatif

import (
	"slices"
	"sync"

	"tidemark/analyze/model"
	"tidemark/engine"
	"tidemark/engine/twin/run"
	"tidemark/flinkapi"
)

// film is a twin played in one variant, and what it showed at chosen moments.
type film struct {
	*twin
	at    map[int64]*run.Snapshot
	heard []*hearing // by operator of the twin
	// narrow and wide hear the same between ends that are as far in and out as a timer's phase may move what
	// happens; only those of the nominal film are asked for.
	narrow, wide []*hearing
}

// films are the variants of a design.
type films [variants]*film

// play plays all variants of a design, and reads each at the moments.
func (b *base) play(d *design, moments []int64) (films, error) {
	moments = slices.Clone(moments)
	slices.Sort(moments)
	moments = slices.Compact(moments)
	var out films
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

// playWhole plays a design from early enough for what is open when that begins which is judged. Where the records do
// not reach back so far, the design says so.
func (b *base) playWhole(d *design, moments []int64) (films, *base, error) {
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

func (b *base) playOne(d *design, v variant, moments []int64) (*film, error) {
	f := &film{twin: b.build(d, v), at: map[int64]*run.Snapshot{}}
	var ears [][]*hearing // by operator
	for range f.places {
		near := back(d)
		f.heard = append(f.heard, &hearing{fromMs: b.fromMs, toMs: b.now.lo})
		own := []*hearing{f.heard[len(f.heard)-1]}
		if v == nominal {
			narrow, wide := &hearing{fromMs: b.fromMs + near, toMs: b.now.lo - near}, &hearing{fromMs: b.fromMs - near, toMs: b.now.lo + near}
			f.narrow, f.wide = append(f.narrow, narrow), append(f.wide, wide)
			own = append(own, narrow, wide)
		}
		ears = append(ears, own)
	}
	shots, err := run.Play(f.job, run.Watch{
		Fired: func(op, _ int, fired engine.Fired) {
			for _, h := range ears[op] {
				h.fired(fired)
			}
		},
		Dropped: func(op, _ int, at, _ int64) {
			for _, h := range ears[op] {
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

// low is a gauge of a subtask at its least when its vertex was read at a moment at the earliest, and high
// at its most.
func (f films) low(d *design, vx *model.Vertex, at int64, pick func(*run.Snapshot, *film) int64) int64 {
	if vx.IsSource() || vx.Assigns() {
		return pick(f[nominal].at[at-back(d)], f[nominal])
	}
	return pick(f[late].at[at], f[late])
}

func (f films) high(d *design, at int64, pick func(*run.Snapshot, *film) int64) int64 {
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
