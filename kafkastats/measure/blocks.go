package measure

import (
	"maps"
	"slices"

	"tidemark/kafkastats/hist"
)

// maxBlocks limits the number of time blocks that are counted separately.
const maxBlocks = 128

// FineMs is the width of the narrowest block, 2^finest s; the widest is 2^coarsest s.
const (
	FineMs   = 125
	finest   = -3
	coarsest = 40
)

// Blocks divides arrival time into equal, aligned blocks and keeps a disorder histogram of each:
// the variation of late records between blocks shows how far they are from independent. The width
// is the smallest power of two of a second, from an eighth on, that needs no more than maxBlocks,
// so it depends only on the records and not on the order in which ranges are merged.
type Blocks struct {
	Shift int                       `json:"shift"` // width is 2^Shift seconds, -3 to 40
	Own   map[int64]*hist.Histogram `json:"own"`   // disorder by block number

	last  int64
	cache *hist.Histogram
}

func (b *Blocks) add(clockMs, disorder int64) {
	i := b.number(clockMs)
	if b.cache == nil || i != b.last {
		b.cache, b.last = b.at(i), i
	}
	b.cache.Add(disorder)
}

// number is the block of a time (epoch ms).
func (b *Blocks) number(ms int64) int64 { return floorDiv(ms, FineMs) >> (b.Shift - finest) }

// WidthMs is the length of a block.
func (b *Blocks) WidthMs() int64 { return FineMs << (b.Shift - finest) }

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

func (b *Blocks) widen(shift int) {
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
