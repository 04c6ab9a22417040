package graph

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

// drawn is a random graph: with cycles, loops, double links and boxes without links.
func drawn(t *rapid.T) ([]Box, []Link) {
	n := rapid.IntRange(1, 14).Draw(t, "boxes")
	boxes := make([]Box, n)
	for i := range boxes {
		boxes[i] = Box{W: float64(rapid.IntRange(60, 200).Draw(t, "w")), H: float64(rapid.IntRange(30, 120).Draw(t, "h"))}
	}
	var links []Link
	for range rapid.IntRange(0, 24).Draw(t, "links") {
		links = append(links, Link{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")})
	}
	return boxes, links
}

func layouts(boxes []Box, links []Link) map[string]Layout {
	return map[string]Layout{"across": layered(boxes, links, true, 44), "down": layered(boxes, links, false, 30), "rail": rail(boxes, links, 340, 26)}
}

func TestBoxesStandApartAndInside(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		boxes, links := drawn(t)
		for name, l := range layouts(boxes, links) {
			for i, a := range l.Boxes {
				if a.X < -0.01 || a.Y < -0.01 || a.X+a.W > l.W+0.01 || a.Y+a.H > l.H+0.01 {
					t.Fatalf("%s: box %d at %v leaves %v x %v", name, i, a, l.W, l.H)
				}
				for k, b := range l.Boxes[:i] {
					if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
						t.Fatalf("%s: boxes %d and %d overlap: %v, %v", name, i, k, a, b)
					}
				}
			}
		}
	})
}

// Every link that closes no cycle goes in one direction, from the side of one box to the side of another, and over no
// third box.
func TestLinksGoForwardAndOverNoBox(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		boxes, links := drawn(t)
		want := map[Link]bool{}
		for _, l := range links {
			if l.From != l.To {
				want[l] = true
			}
		}
		for name, l := range layouts(boxes, links) {
			got := map[Link]bool{}
			for _, w := range l.Ways {
				got[w.Link] = true
				first, last := w.Points[0], w.Points[len(w.Points)-1]
				from, to := l.Boxes[w.From], l.Boxes[w.To]
				if w.Back && !l.Rail {
					from, to = to, from
				}
				if !touches(from, first) || !touches(to, last) {
					t.Fatalf("%s: %v goes from %v to %v, which are not at %v and %v", name, w.Link, first, last, from, to)
				}
				if !w.Back && ahead(l, to) <= ahead(l, from) {
					t.Fatalf("%s: %v does not go forward: %v to %v", name, w.Link, from, to)
				}
				for i := 1; i < len(w.Points); i++ {
					if !l.Rail && ahead(l, Box{X: w.Points[i].X, Y: w.Points[i].Y}) < ahead(l, Box{X: w.Points[i-1].X, Y: w.Points[i-1].Y})-0.01 {
						t.Fatalf("%s: %v turns back: %v", name, w.Link, w.Points)
					}
					for k, b := range l.Boxes {
						if over(l, w.Points[i-1], w.Points[i], b) {
							t.Fatalf("%s: %v goes over box %d: %v, %v", name, w.Link, k, w.Points, b)
						}
					}
				}
			}
			for k := range want {
				if !got[k] && !(got[Link{k.To, k.From}] && !l.Rail) { // two that run against each other are one line
					t.Fatalf("%s: no line for %v", name, k)
				}
			}
		}
	})
}

func ahead(l Layout, b Box) float64 {
	if l.Across {
		return b.X
	}
	return b.Y
}

func touches(b Box, p Point) bool {
	in := func(v, lo, hi float64) bool { return v > lo-0.01 && v < hi+0.01 }
	return in(p.X, b.X, b.X+b.W) && in(p.Y, b.Y, b.Y+b.H)
}

// over reports whether the curve between two points crosses the inside of a box.
func over(l Layout, a, b Point, box Box) bool {
	for i := range 33 {
		f := float64(i) / 32
		s := 3*f*f - 2*f*f*f // a cubic with both handles half way
		p := Point{a.X + (b.X-a.X)*s, a.Y + (b.Y-a.Y)*s}
		if u := 1.5*f*(1-f)*(1-f) + 1.5*f*f*(1-f) + f*f*f; !l.Rail {
			if l.Across {
				p.X = a.X + (b.X-a.X)*u
			} else {
				p.Y = a.Y + (b.Y-a.Y)*u
			}
		}
		if p.X > box.X+0.1 && p.X < box.X+box.W-0.1 && p.Y > box.Y+0.1 && p.Y < box.Y+box.H-0.1 {
			return true
		}
	}
	return false
}

func TestASourceStandsJustBeforeWhatItFeeds(t *testing.T) {
	links := []Link{{0, 1}, {1, 2}, {2, 3}, {4, 3}}
	sorted, back := order(5, links)
	if len(back) > 0 {
		t.Fatalf("no cycle, but %v", back)
	}
	at := layers(sorted, links)
	for i, want := range []int{0, 1, 2, 3, 2} {
		if at[i] != want {
			t.Errorf("box %d in layer %d, want %d", i, at[i], want)
		}
	}
}

func TestACircleIsCutWhereRecordsEnter(t *testing.T) {
	_, back := order(4, []Link{{3, 1}, {0, 1}, {1, 2}, {2, 1}, {2, 3}})
	if !back[Link{2, 1}] || !back[Link{3, 1}] || len(back) != 2 {
		t.Errorf("links that go back: %v", back)
	}
}

func TestLinksAreUntangled(t *testing.T) {
	boxes := make([]Box, 6)
	for i := range boxes {
		boxes[i] = Box{W: 100, H: 40}
	}
	links := []Link{{0, 5}, {1, 4}, {2, 3}}
	sorted, _ := order(6, links)
	g := place(sorted, layers(sorted, links), links, []float64{40, 40, 40, 40, 40, 40})
	if n := g.crossings(); n != 0 {
		t.Errorf("%d crossings are left", n)
	}
	l := layered(boxes, links, true, 44)
	for _, w := range l.Ways {
		if a, b := w.Points[0], w.Points[len(w.Points)-1]; math.Abs(a.Y-b.Y) > 0.01 {
			t.Errorf("%v is not straight: %v", w.Link, w.Points)
		}
	}
}
