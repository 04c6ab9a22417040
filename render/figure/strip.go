package figure

import (
	"math"

	"tidemark/analyze/catalog"
	"tidemark/analyze/series"
	"tidemark/render/doc"
)

// StripMark is one character of a strip: what a place did in a slice of time.
type StripMark struct {
	Char rune
	Tone doc.Tone // "" = nothing wrong
}

// stretch is the time between two readings, and its state, which the later reading tells.
type stretch struct {
	from, until int64 // epoch ms; from = until for a first reading
	state       catalog.State
	lag         *int64
}

// stretches are the readings of a track as stretches of time. In a gap the state is unknown.
func stretches(track *series.Track) []stretch {
	var out []stretch
	for i, r := range track.Readings {
		s := stretch{from: r.AtMs, until: r.AtMs, state: r.State, lag: r.LagMs}
		if i > 0 {
			if s.from = track.Readings[i-1].AtMs; r.Gap {
				out = append(out, stretch{from: s.from, until: s.until, state: catalog.Unreadable})
				s.from = s.until
			}
		}
		out = append(out, s)
	}
	return out
}

// weight orders states: of several states in a slice of time, the heaviest is shown.
var weight = map[catalog.State]int{
	catalog.Unreadable: 0, catalog.NotExpected: 1, catalog.End: 2, series.Idle: 3, "": 4, catalog.Advancing: 5, series.Behind: 6, catalog.Standing: 7, catalog.Never: 8,
}

// Strip is a track between two moments, epoch ms, in n characters: a block for the lag while it advances, the highest for
// hi ms, and a sign for every other state. What was not read is a dot.
func Strip(track *series.Track, from, until int64, n int, hi int64) []StripMark {
	cells := make([]stretch, n)
	for i := range cells {
		cells[i].state = catalog.Unreadable
	}
	place := func(ms int64) int { return cellOf(ms, from, until, n) }
	for _, s := range stretches(track) {
		if s.until < from || s.from > until {
			continue
		}
		first := place(s.from)
		if s.from < s.until && first < place(s.until) && s.from > from {
			first++ // the slice of the reading before is that reading's own
		}
		for i := first; i <= place(s.until); i++ {
			if c := &cells[i]; weight[s.state] > weight[c.state] || weight[s.state] == weight[c.state] && s.lag != nil && (c.lag == nil || *s.lag > *c.lag) {
				*c = s
			}
		}
	}
	marks := make([]StripMark, n)
	for i, c := range cells {
		marks[i] = c.mark(hi)
	}
	return marks
}

// cellOf is the cell, of n between two moments, that contains a third moment.
func cellOf(ms, from, until int64, n int) int {
	if until <= from {
		return n - 1
	}
	return min(n-1, max(0, int(float64(ms-from)/float64(until-from)*float64(n))))
}

func (s stretch) mark(hi int64) StripMark {
	switch s.state {
	case catalog.Unreadable:
		return StripMark{'·', ""}
	case catalog.Never:
		return StripMark{'_', doc.Critical}
	case catalog.Standing:
		return StripMark{'×', doc.Critical}
	case series.Idle, catalog.NotExpected, catalog.End:
		return StripMark{'-', ""}
	}
	char := '+' // advances, and its lag is unknown
	if s.lag != nil {
		char = blocks[step(*s.lag, hi)]
	}
	if s.state == series.Behind {
		return StripMark{char, doc.Warning}
	}
	return StripMark{char, ""}
}

// HighestLag is the lag that the highest block of a strip represents: at least 10 s, so that an ordinary
// lag looks low.
func HighestLag(tracks []*series.Track) int64 {
	hi := int64(10_000)
	for _, track := range tracks {
		for _, r := range track.Readings {
			if r.LagMs != nil && *r.LagMs < math.MaxInt64/2 {
				hi = max(hi, *r.LagMs)
			}
		}
	}
	return hi
}
