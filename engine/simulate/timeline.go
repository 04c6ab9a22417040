package simulate

import (
	"cmp"
	"slices"

	"tidemark/engine"
)

// slots is how many points a series keeps at most.
const slots = 240

// timeline keeps every watermark of a replay over time in bounded memory: a series has a fixed
// number of slices of the clock, each with its last state; when the slices run out, each two are
// merged into one.
type timeline struct {
	lines map[lineKey]*line
}

type lineKey struct {
	scope engine.Scope
	index int
}

type line struct {
	start, width int64
	points       []engine.Point // in order, at most one per slice
}

func (t *timeline) add(p engine.Point) {
	key := lineKey{p.Scope, p.Index}
	l := t.lines[key]
	if l == nil {
		if t.lines == nil {
			t.lines = map[lineKey]*line{}
		}
		l = &line{start: p.At, width: 100}
		t.lines[key] = l
	}
	l.add(p)
}

func (l *line) slice(at int64) int64 { return (at - l.start) / l.width }

func (l *line) add(p engine.Point) {
	for l.slice(p.At) >= slots {
		l.width *= 2
		kept := l.points[:0]
		for _, q := range l.points {
			if n := len(kept); n > 0 && l.slice(kept[n-1].At) == l.slice(q.At) {
				kept[n-1] = q
				continue
			}
			kept = append(kept, q)
		}
		l.points = kept
	}
	if n := len(l.points); n > 0 && l.slice(l.points[n-1].At) == l.slice(p.At) {
		l.points[n-1] = p
		return
	}
	l.points = append(l.points, p)
}

// series lists the lines: what the operator receives first, then subtasks, then splits.
func (t *timeline) series(ids []int32) []Series {
	names := map[engine.Scope]string{engine.OfSplit: "split", engine.OfSubtask: "subtask", engine.Global: "global"}
	var keys []lineKey
	for k := range t.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b lineKey) int {
		return cmp.Or(-cmp.Compare(a.scope, b.scope), cmp.Compare(a.index, b.index))
	})
	out := []Series{}
	for _, k := range keys {
		s := Series{Scope: names[k.scope], Index: int32(k.index), Points: []Point{}}
		if k.scope == engine.OfSplit {
			s.Index = ids[k.index]
		}
		for _, p := range t.lines[k].points {
			s.Points = append(s.Points, Point{At: p.At, Watermark: watermark(p.Watermark), Idle: p.Idle})
		}
		out = append(out, s)
	}
	return out
}
