package graph

// Point is a place in the drawing.
type Point struct{ X, Y float64 }

// Box is the place and size of a box.
type Box struct{ X, Y, W, H float64 }

// Way is the line of a link: points to be joined by curves that leave and reach each point in the direction of the graph.
// Back: the link closes a cycle, so it runs against the direction.
type Way struct {
	Link
	Points []Point
	Back   bool
}

// Layout is a drawing without its words. Across: from left to right, else downwards.
type Layout struct {
	Boxes  []Box
	Ways   []Way
	W, H   float64
	Across bool
	Rail   bool // the points of a way are corners
}

// layered sets boxes of the given sizes layer by layer.
func layered(boxes []Box, links []Link, across bool, between float64) Layout {
	l := Layout{Boxes: make([]Box, len(boxes)), Across: across}
	sorted, back := order(len(boxes), links)
	links = forward(links, back)
	at := layers(sorted, links)
	sizes := make([]float64, len(boxes))
	var thick []float64 // of each layer, along the direction
	for i, b := range boxes {
		along := b.H
		if sizes[i] = b.W; across {
			sizes[i], along = b.H, b.W
		}
		for len(thick) <= at[i] {
			thick = append(thick, 0)
		}
		thick[at[i]] = max(thick[at[i]], along)
	}
	g := place(sorted, at, links, sizes)
	begin := make([]float64, len(thick)+1)
	for i, t := range thick {
		begin[i+1] = begin[i] + t + between
	}
	for layer, row := range g.rows {
		for _, s := range row {
			if s.box < 0 {
				continue
			}
			b := boxes[s.box]
			if b.X, b.Y = s.mid-b.W/2, begin[layer]; across {
				b.X, b.Y = begin[layer], s.mid-b.H/2
			}
			l.Boxes[s.box] = b
			l.W, l.H = max(l.W, b.X+b.W), max(l.H, b.Y+b.H)
		}
	}
	point := func(along, mid float64) Point {
		if across {
			return Point{along, mid}
		}
		return Point{mid, along}
	}
	for i, way := range g.ways {
		w := Way{Link: links[i]}
		if turned := (Link{links[i].To, links[i].From}); back[turned] {
			w.Link, w.Back = turned, true
		}
		for k, s := range way {
			layer := at[links[i].From] + k
			end := begin[layer] + thick[layer]
			if k > 0 {
				w.Points = append(w.Points, point(begin[layer], port(s, way[k-1], s.in)))
			}
			if k < len(way)-1 {
				from := end
				if k == 0 {
					from = begin[layer] + along(boxes[s.box], across)
				}
				w.Points = append(w.Points, point(from, port(s, way[k+1], s.out)))
				if from < end {
					w.Points = append(w.Points, point(end, port(s, way[k+1], s.out)))
				}
			}
		}
		l.Ways = append(l.Ways, w)
	}
	return l
}

func along(b Box, across bool) float64 {
	if across {
		return b.W
	}
	return b.H
}

// port is where a link meets a slot: several links are spread over the middle of its side, in the order of their other
// ends.
func port(s, other *slot, all []*slot) float64 {
	if s.box < 0 || len(all) < 2 {
		return s.mid
	}
	rank := 0
	for _, o := range all {
		if o.mid < other.mid {
			rank++
		}
	}
	step := min(12, (s.size-16)/float64(len(all)))
	return s.mid + (float64(rank)-float64(len(all)-1)/2)*step
}

// The room of a lane of links next to the boxes of a rail, and the largest number of lanes: further links share the last.
const (
	lane      = 11
	mostLanes = 8
)

// rail places one box per row, in the order in which records pass them. A link to the row below goes straight down, any
// other through a lane on the left.
func rail(boxes []Box, links []Link, width, between float64) Layout {
	sorted, back := order(len(boxes), links)
	row := make([]int, len(boxes))
	for i, b := range sorted {
		row[b] = i
	}
	l := Layout{Boxes: make([]Box, len(boxes)), W: width, Rail: true}
	var free []int // the row until which each lane is taken
	lanes := map[Link]int{}
	for _, i := range sorted {
		for _, k := range links {
			first, last := min(row[k.From], row[k.To]), max(row[k.From], row[k.To])
			if first != row[i] || k.From == k.To || last == first+1 && row[k.From] < row[k.To] {
				continue
			}
			if _, known := lanes[k]; known {
				continue
			}
			at := 0
			for at < len(free) && free[at] > first && at < mostLanes-1 {
				at++
			}
			if at == len(free) {
				free = append(free, 0)
			}
			free[at], lanes[k] = max(free[at], last), at
		}
	}
	left := 0.0
	if len(free) > 0 {
		left = float64(len(free))*lane + 8
	}
	for _, i := range sorted {
		b := boxes[i]
		b.X, b.Y, b.W = left, l.H, width-left
		l.Boxes[i] = b
		l.H += b.H + between
	}
	l.H -= between
	seen := map[Link]bool{}
	for _, k := range links {
		if k.From == k.To || seen[k] {
			continue
		}
		seen[k] = true
		from, to := l.Boxes[k.From], l.Boxes[k.To]
		w := Way{Link: k, Back: back[k]}
		if at, aside := lanes[k]; aside {
			x := left - 8 - float64(at)*lane
			w.Points = []Point{{left, from.Y + from.H - 12}, {x, from.Y + from.H - 12}, {x, to.Y + 14}, {left, to.Y + 14}}
		} else {
			x := left + 26
			w.Points = []Point{{x, from.Y + from.H}, {x, to.Y}}
		}
		l.Ways = append(l.Ways, w)
	}
	return l
}
