package measure

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
)

// maxBlocks bounds the number of time blocks whose counts are kept apart.
const maxBlocks = 128

// Blocks cuts arrival time into equal, aligned blocks and keeps a disorder histogram of each: the
// spread of late records between blocks says how far they are from independent. The width is the
// smallest power of two of a second that needs no more than maxBlocks, so it depends on the
// records alone and not on the order in which ranges are merged.
type Blocks struct {
	Shift uint                      `json:"shift"` // width is 2^Shift seconds
	Own   map[int64]*hist.Histogram `json:"own"`   // D by block number

	last  int64
	cache *hist.Histogram
}

func (b *Blocks) add(clockMs, disorder int64) {
	i := floorDiv(clockMs, 1000) >> b.Shift
	if b.cache == nil || i != b.last {
		b.cache, b.last = b.at(i), i
	}
	b.cache.Add(disorder)
}

func (b *Blocks) at(i int64) *hist.Histogram {
	if b.Own == nil {
		b.Own = map[int64]*hist.Histogram{}
	}
	h := b.Own[i]
	if h == nil {
		h = &hist.Histogram{}
		b.Own[i] = h
		for len(b.Own) > maxBlocks {
			shift := b.Shift
			b.widen(shift + 1)
			i >>= b.Shift - shift
			h = b.Own[i]
		}
		b.last = i
	}
	return h
}

func (b *Blocks) widen(shift uint) {
	by := shift - b.Shift
	if by == 0 {
		return
	}
	wide := make(map[int64]*hist.Histogram, len(b.Own))
	for _, i := range slices.Sorted(maps.Keys(b.Own)) {
		h := b.Own[i]
		if w := wide[i>>by]; w != nil {
			w.Merge(h)
		} else {
			wide[i>>by] = h
		}
	}
	b.Own, b.Shift, b.cache = wide, shift, nil
}

// Merge adds the blocks of o.
func (b *Blocks) Merge(o *Blocks) {
	b.cache = nil
	if o.Shift > b.Shift {
		b.widen(o.Shift)
	}
	for _, i := range slices.Sorted(maps.Keys(o.Own)) {
		b.at(i >> (b.Shift - o.Shift)).Merge(o.Own[i])
	}
	b.cache = nil
}

// DesignEffect is how many dependent records weigh as much as one independent record when records
// with disorder > d are counted: the variance of the per-block count around its block's share,
// divided by the mean count; at least 1. ok is false with fewer than two blocks or no such record.
func (b *Blocks) DesignEffect(d int64) (deff float64, ok bool) {
	var over, all []float64
	for _, i := range slices.Sorted(maps.Keys(b.Own)) {
		over = append(over, float64(b.Own[i].Above(d)))
		all = append(all, float64(b.Own[i].Count()))
	}
	return designEffect(over, all)
}

func designEffect(over, all []float64) (float64, bool) {
	var sumOver, sumAll float64
	for i := range over {
		sumOver += over[i]
		sumAll += all[i]
	}
	if len(over) < 2 || sumOver == 0 {
		return 1, false
	}
	share := sumOver / sumAll
	var squares float64
	for i := range over {
		squares += (over[i] - share*all[i]) * (over[i] - share*all[i])
	}
	variance := squares / float64(len(over)-1)
	return max(1, variance/(sumOver/float64(len(over)))), true
}
