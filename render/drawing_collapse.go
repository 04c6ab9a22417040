package render

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze"
	"tidemark/internal/units"
	"tidemark/render/figure/graph"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// mostBoxes is how many vertices have their own box. Where there are more, similar ones share a box: a chain, or
// siblings between the same neighbours.
const mostBoxes = 14

func (g *drawing) collapse() {
	if len(g.boxes) <= mostBoxes {
		return
	}
	for g.joinChain(false) || g.joinSiblings() {
	}
	if len(g.boxes) <= mostBoxes {
		return
	}
	for g.joinChain(true) || g.joinSiblings() { // sources as well
	}
}

// alike reports boxes that may share one: nothing is wrong with either, and both do the same.
func alike(a, b *drawnBox) bool {
	same := func(x, y *bool) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	v, w := a.vertices[0], b.vertices[0]
	return len(a.findings)+len(b.findings) == 0 && a.tone == b.tone && (a.tone == graph.Plain || a.tone == graph.Held) && a.onWay == b.onWay &&
		same(v.Moving, w.Moving) && (v.Holder == nil) == (w.Holder == nil)
}

func (g *drawing) outOf() map[*drawnBox][]*drawnBox {
	out := map[*drawnBox][]*drawnBox{}
	for _, b := range g.boxes {
		for _, from := range g.into[b] {
			out[from] = append(out[from], b)
		}
	}
	return out
}

// joinChain joins a box with the only one that it feeds and that nothing else feeds.
func (g *drawing) joinChain(sources bool) bool {
	out := g.outOf()
	for _, a := range g.boxes {
		if len(out[a]) != 1 {
			continue
		}
		b := out[a][0]
		if a == b || len(g.into[b]) != 1 || len(g.into[a]) == 0 && !sources || !alike(a, b) {
			continue
		}
		if a.chains == 0 && b.chains == 0 && len(a.vertices) == 1 && len(b.vertices) == 1 || a.chains == 1 || b.chains == 1 {
			a.chains = 1
		}
		a.vertices = append(a.vertices, b.vertices...)
		g.drop(b, a)
		return true
	}
	return false
}

// joinSiblings joins boxes that read from the same and are read by the same.
func (g *drawing) joinSiblings() bool {
	out := g.outOf()
	index := map[*drawnBox]int{}
	for i, b := range g.boxes {
		index[b] = i
	}
	key := func(b *drawnBox) string {
		var s strings.Builder
		for i, list := range [][]*drawnBox{g.into[b], out[b]} {
			at := make([]int, len(list))
			for k, o := range list {
				at[k] = index[o]
			}
			slices.Sort(at)
			fmt.Fprint(&s, i, at)
		}
		return s.String()
	}
	groups := map[string][]*drawnBox{}
	for _, b := range g.boxes {
		k := key(b)
		groups[k] = append(groups[k], b)
	}
	for _, b := range g.boxes {
		group := slices.DeleteFunc(slices.Clone(groups[key(b)]), func(o *drawnBox) bool { return !alike(b, o) || (o.chains > 0) != (b.chains > 0) })
		if len(group) < 3 || group[0] != b {
			continue
		}
		for _, o := range group[1:] {
			b.vertices, b.chains = append(b.vertices, o.vertices...), b.chains+o.chains
			g.drop(o, nil)
		}
		return true
	}
	return false
}

// drop removes a box. What read from it reads from by, if that is not nil.
func (g *drawing) drop(b, by *drawnBox) {
	g.boxes = slices.DeleteFunc(g.boxes, func(o *drawnBox) bool { return o == b })
	delete(g.into, b)
	for _, o := range g.boxes {
		list := g.into[o]
		for i := len(list) - 1; i >= 0; i-- {
			switch {
			case list[i] != b:
			case by != nil:
				list[i] = by
			default:
				list = slices.Delete(list, i, i+1)
			}
		}
		g.into[o] = list
	}
}

// several is a box that represents more than one vertex.
func (g *drawing) several(b *drawnBox) graph.Node {
	first, last := b.vertices[0], b.vertices[len(b.vertices)-1]
	var names []string
	lo, hi, lags := int64(0), int64(0), 0
	for _, v := range b.vertices {
		names = append(names, safe.Name(v.Name, 80))
		if v.LagMs != nil {
			if lags == 0 || *v.LagMs < lo {
				lo = *v.LagMs
			}
			if lags == 0 || *v.LagMs > hi {
				hi = *v.LagMs
			}
			lags++
		}
	}
	what := "vertices"
	if !slices.ContainsFunc(b.vertices, func(v analyze.VertexReport) bool { return len(v.Inputs) > 0 }) {
		what = "sources"
	}
	n := graph.Node{Many: true, Tone: b.tone, Title: safe.Clip(strings.Join(names, " → "), 2000), Name: fmt.Sprintf("%d %s", len(b.vertices), what)}
	switch {
	case b.chains == 1:
		n.Name = fmt.Sprintf("%d vertices in a row", len(b.vertices))
	case b.chains > 1:
		n.Name = fmt.Sprintf("%d vertices in %d chains", len(b.vertices), b.chains)
	default:
		n.Title = safe.Clip(strings.Join(names, ", "), 2000)
	}
	said := n.Tone
	if said == graph.Plain && first.Moving != nil && *first.Moving {
		said = graph.Good
	}
	n.Lines = []graph.Line{
		{Text: safe.Name(first.Name, 36) + " … " + safe.Name(last.Name, 36), Tone: graph.Plain},
		{Text: movementLine(first), Tone: said},
	}
	if lags > 0 {
		text := "lag " + span(lo, hi)
		if hi < 0 {
			text = units.Duration(-hi) + " ahead at least"
		}
		n.Lines = append(n.Lines, graph.Line{Text: text, Tone: said})
	} else if !first.Min.IsKnown() {
		n.Lines = append(n.Lines, graph.Line{Text: shortWatermark(first.Min, g.now), Tone: said})
	}
	if splits := countSplits(b.vertices); splits > 0 {
		n.Lines = append(n.Lines, graph.Line{Text: words.Plural(splits, "split", "splits"), Tone: graph.Plain})
	}
	return n
}

func countSplits(vertices []analyze.VertexReport) int {
	n := 0
	for _, v := range vertices {
		for _, s := range v.Subtasks {
			n += len(s.Splits)
		}
	}
	return n
}
