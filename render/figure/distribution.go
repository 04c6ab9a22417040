package figure

import (
	"fmt"
	"math"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// distributionFigure shows how many records have each disorder, and how many have more.
func distributionFigure(r advise.Recommendation) figure {
	f := figure{ID: "distribution", Title: "How far records fall behind the ones before them",
		Desc: "Distribution of disorder per partition above, share of records with more than that below, the chosen delay marked.",
		Head: []string{"disorder", "records", "share", "with more"}}
	var counted uint64
	for _, b := range r.Distrib {
		counted += b.Records
	}
	if counted == 0 {
		f.Missing = "No partition has two records with an event time."
		return f
	}
	for _, b := range r.Distrib {
		if b.Records == 0 {
			continue
		}
		f.Rows = append(f.Rows, []cell{{binText(b), binValue(b)}, {units.Count(b.Records), fmt.Sprint(b.Records)},
			{units.Share(float64(b.Records) / float64(counted)), fmt.Sprint(float64(b.Records) / float64(counted))}, {units.Count(b.Beyond), fmt.Sprint(b.Beyond)}})
	}
	f.Note = "Bars: share of records for each doubling of disorder, so equal areas are equal shares; in order means at or above everything before. Line: share of records with more disorder than that."
	f.draw(350, 330, func(c *Canvas) { drawDistribution(c, r, counted) })
	return f
}

func binText(b advise.Bin) string {
	switch {
	case b.FromMs == nil:
		return "in order"
	case b.ToMs == 1:
		return "0 ms"
	case b.ToMs == *b.FromMs+1:
		return units.Exact(*b.FromMs)
	}
	return units.Exact(*b.FromMs) + " to " + units.Exact(b.ToMs)
}

func binValue(b advise.Bin) string {
	if b.FromMs == nil {
		return ""
	}
	return fmt.Sprint(*b.FromMs)
}

func drawDistribution(c *Canvas, r advise.Recommendation, counted uint64) {
	left, barsEnd, bottom := 68.0, 0.55*c.H, c.H-44
	far := farDelay(r)
	x := delayAxis(r.Advice.RoundedMs, far, left+20, left+58, c.W-12)
	total := float64(counted)
	// Values below the axis share the bar of those in order.
	var inOrder, small uint64
	most := 0.0
	type bar struct {
		from, to, dense float64
		bin             advise.Bin
	}
	var bars []bar
	for _, b := range r.Distrib {
		switch {
		case b.FromMs == nil:
			inOrder = b.Records
		case float64(b.ToMs) <= x.lo:
			small += b.Records
		default:
			from := math.Max(x.lo, float64(*b.FromMs))
			d := bar{from, float64(b.ToMs), float64(b.Records) / total / math.Log2(float64(b.ToMs)/from), b}
			bars, most = append(bars, d), math.Max(most, d.dense)
		}
	}
	first := float64(inOrder+small) / total
	top := niceTop(math.Max(math.Max(most, 0.01), math.Min(first, 1.3*most)))
	height := func(v float64) float64 { return (barsEnd - 30) * math.Min(1, v/top) }
	for _, part := range []float64{0, 0.5, 1} {
		y := barsEnd - height(part*top)
		c.Line("axis", left, y, c.W-12, y)
		c.Text("tick", "end", left-6, y+4, units.Share(part*top))
	}
	name := "in order"
	if small > 0 {
		name = "in order or below " + units.Exact(int64(x.lo))
	}
	c.Rect("bar", left+4, barsEnd-height(first), 32, height(first)).Of("", first).Named(name + ": " + units.Share(first))
	if first > top {
		c.Line("cut", left, barsEnd-height(top)+9, left+40, barsEnd-height(top)+4)
	}
	c.Text("strong", "start", left+4, 24, units.Share(first)+" "+name)
	for _, b := range bars {
		class := "bar"
		if !r.Advice.Verdict.Refuses() && *b.bin.FromMs > r.Advice.RoundedMs {
			class = "bar over"
		}
		c.Rect(class, x.at(b.from)+0.4, barsEnd-height(b.dense), x.at(b.to)-x.at(b.from)-0.8, height(b.dense)).Of(*b.bin.FromMs, b.bin.Records).
			Named(binText(b.bin) + ": " + units.Count(b.bin.Records) + " records")
	}

	survivalTop := barsEnd + 22
	share := func(v float64) float64 { return bottom - (bottom-survivalTop)*v }
	for _, v := range []float64{0, 0.5, 1} {
		c.Line("axis", left, share(v), c.W-12, share(v))
		c.Text("tick", "end", left-6, share(v)+4, units.Share(v)).Of("", v)
	}
	for _, t := range x.delayTicks(xRoom(c)) {
		c.Line("axis", x.at(t.v), bottom, x.at(t.v), bottom+4)
		c.Text("tick", "middle", x.at(t.v), bottom+17, t.label).Of(int64(t.v), "")
	}
	line := []Place{{left, share(1)}}
	for _, p := range lateSteps(r) {
		line = append(line, Place{x.at(p.v), share(p.share)})
	}
	c.Path("poly", "l", line)
	if !r.Advice.Verdict.Refuses() {
		at := x.at(float64(r.Advice.RoundedMs))
		c.Line("pick", at, 30, at, bottom).Of(r.Advice.RoundedMs, r.Advice.Late.Fraction).Named("recommended delay " + units.Exact(r.Advice.RoundedMs))
		c.Label("strong", at, survivalTop-6, units.Exact(r.Advice.RoundedMs)+" leaves "+units.Share(r.Advice.Late.Fraction))
	}
	caption := "disorder: how far behind the newest record of its partition"
	if c.Narrow {
		caption = "disorder"
	}
	c.Text("dim", "middle", (left+c.W)/2, c.H-6, caption)
}

// niceTop is the next of 1, 2, 5, 10 … % at or above a share.
func niceTop(share float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(share)))
	for _, m := range []float64{1, 2, 4, 5} {
		if m*unit >= share*0.9999 {
			return m * unit
		}
	}
	return 10 * unit
}
