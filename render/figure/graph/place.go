package graph

import (
	"cmp"
	"slices"
)

// slot is a box in its layer, or the way of a link through a layer that it passes.
type slot struct {
	box  int // -1 = a link passes
	size float64
	mid  float64 // across the direction of the links
	in   []*slot
	out  []*slot
}

// gap is the distance between two slots of a layer.
func gap(a, b *slot) float64 {
	if a.box < 0 || b.box < 0 {
		return 12
	}
	return 18
}

// grid is the slots of each layer, and the slots that each link passes, its boxes included.
type grid struct {
	rows [][]*slot
	ways [][]*slot
}

// place orders the slots of each layer so that few links cross, and puts each near the slots that it is linked to. sizes
// are those of the boxes across the direction of the links.
func place(sorted, at []int, links []Link, sizes []float64) grid {
	g := grid{}
	boxes := make([]*slot, len(sorted))
	for _, i := range sorted {
		for len(g.rows) <= at[i] {
			g.rows = append(g.rows, nil)
		}
		boxes[i] = &slot{box: i, size: sizes[i]}
		g.rows[at[i]] = append(g.rows[at[i]], boxes[i])
	}
	for _, l := range links {
		way := []*slot{boxes[l.From]}
		for layer := at[l.From] + 1; layer < at[l.To]; layer++ {
			pass := &slot{box: -1, size: 2}
			g.rows[layer] = append(g.rows[layer], pass)
			way = append(way, pass)
		}
		way = append(way, boxes[l.To])
		for i := 1; i < len(way); i++ {
			way[i-1].out = append(way[i-1].out, way[i])
			way[i].in = append(way[i].in, way[i-1])
		}
		g.ways = append(g.ways, way)
	}
	g.untangle()
	g.settle()
	return g
}

// untangle sorts each layer by the mean place of the slots that it is linked to, forwards and backwards, and keeps the
// order with the fewest crossings.
func (g *grid) untangle() {
	best, least := g.orders(), g.crossings()
	for sweep := 0; sweep < 12 && least > 0; sweep++ {
		down := sweep%2 == 0
		for i := range g.rows {
			if !down {
				i = len(g.rows) - 1 - i
			}
			index := map[*slot]int{}
			for _, row := range g.rows {
				for k, s := range row {
					index[s] = k
				}
			}
			weight := func(s *slot) float64 {
				near := s.in
				if !down {
					near = s.out
				}
				if len(near) == 0 {
					return float64(index[s])
				}
				sum := 0.0
				for _, n := range near {
					sum += float64(index[n])
				}
				return sum / float64(len(near))
			}
			slices.SortStableFunc(g.rows[i], func(a, b *slot) int { return cmp.Compare(weight(a), weight(b)) })
		}
		if n := g.crossings(); n < least {
			best, least = g.orders(), n
		}
	}
	g.rows = best
}

func (g *grid) orders() [][]*slot {
	var out [][]*slot
	for _, row := range g.rows {
		out = append(out, slices.Clone(row))
	}
	return out
}

// crossings counts the pairs of links between neighbouring layers that cross.
func (g *grid) crossings() int {
	n := 0
	for below := 1; below < len(g.rows); below++ {
		index := map[*slot]int{}
		for i, s := range g.rows[below] {
			index[s] = i
		}
		var ends [][2]int
		for i, s := range g.rows[below-1] {
			for _, to := range s.out {
				ends = append(ends, [2]int{i, index[to]})
			}
		}
		for i, a := range ends {
			for _, b := range ends[:i] {
				if (a[0]-b[0])*(a[1]-b[1]) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// settle moves the slots of a layer towards their neighbours, keeping order and distances.
func (g *grid) settle() {
	for _, row := range g.rows {
		toward(row, func(*slot) float64 { return 0 })
	}
	for sweep := range 40 {
		for i := range g.rows {
			if sweep%2 == 1 {
				i = len(g.rows) - 1 - i
			}
			toward(g.rows[i], func(s *slot) float64 {
				sum, n := 0.0, 0
				for _, near := range [][]*slot{s.in, s.out} {
					for _, o := range near {
						sum, n = sum+o.mid, n+1
					}
				}
				if n == 0 {
					return s.mid
				}
				return sum / float64(n)
			})
		}
	}
	least := 0.0
	for i, row := range g.rows {
		for k, s := range row {
			if top := s.mid - s.size/2; i == 0 && k == 0 || top < least {
				least = top
			}
		}
	}
	for _, row := range g.rows {
		for _, s := range row {
			s.mid -= least
		}
	}
}

// toward moves the slots of a layer as near to their wanted places as order and sizes allow: the least sum of squares,
// by pooling neighbours that would overlap.
func toward(row []*slot, want func(*slot) float64) {
	type pool struct {
		sum float64
		n   int
	}
	var pools []pool
	offset := 0.0
	offsets := make([]float64, len(row))
	for i, s := range row {
		if i > 0 {
			offset += row[i-1].size/2 + gap(row[i-1], s) + s.size/2
		}
		offsets[i] = offset
		pools = append(pools, pool{want(s) - offset, 1})
		for len(pools) > 1 {
			a, b := pools[len(pools)-2], pools[len(pools)-1]
			if a.sum/float64(a.n) <= b.sum/float64(b.n) {
				break
			}
			pools = append(pools[:len(pools)-2], pool{a.sum + b.sum, a.n + b.n})
		}
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			row[i].mid = p.sum/float64(p.n) + offsets[i]
			i++
		}
	}
}
