package figure

import (
	"fmt"
	"math"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// jointFigure shows transport delay against disorder: the distance from the diagonal is lag, which no delay of the
// watermark removes.
func jointFigure(r advise.Recommendation) figure {
	f := figure{ID: "joint", Title: "How old records are on arrival, against how late",
		Desc: "Density of records by disorder and transport delay, both on a log scale.",
		Head: []string{"transport delay", "disorder", "records"}}
	if r.Joint == nil || len(r.Joint.Cells) == 0 {
		f.Missing = "Transport delay is not measurable from this topic: "
		switch {
		case r.Transport != nil:
			f.Missing += "the counts read hold no pair of transport delay and disorder."
		case r.Counters.NoArrival == r.Records:
			f.Missing += "the records read carry no arrival time."
		default:
			f.Missing += "its Kafka timestamp is the event time itself, or absent. A live tail (--for 10m) or message.timestamp.type=LogAppendTime shows it."
		}
		return f
	}
	var most uint64
	for _, c := range r.Joint.Cells {
		most = max(most, c.Records)
	}
	const rows = 200
	for i, c := range r.Joint.Cells {
		if i == rows {
			f.More = fmt.Sprintf("%d more bins are in the JSON report.", len(r.Joint.Cells)-rows)
			break
		}
		f.Rows = append(f.Rows, []cell{{edgeText(c.TransportFrom, c.TransportTo), valueOf(c.TransportFrom)}, {edgeText(c.DisorderFrom, c.DisorderTo), valueOf(c.DisorderFrom)},
			{units.Count(c.Records), fmt.Sprint(c.Records)}})
	}
	f.Note = "A record on the diagonal is as late as it is old: its pipeline has no lag. Above it, the distance is lag that every record pays. A second cloud is a late group, such as devices that were offline; a line across at a whole number of quarter hours is a time zone."
	f.Legend = []key{{"pick", "recommended delay: right of it is late"}, {"rule", "what a rule on transport delay would declare"}, {"diagonal", "no lag"}}
	f.draw(420, 380, func(c *Canvas) { drawJoint(c, r, most) })
	return f
}

func edgeText(from, to *int64) string {
	switch {
	case from == nil:
		return "below 0"
	case to == nil:
		return "from " + units.Exact(*from)
	}
	return units.Exact(*from) + " to " + units.Exact(*to)
}

func drawJoint(c *Canvas, r advise.Recommendation, most uint64) {
	left, top, bottom, right := 66.0, 14.0, c.H-44, c.W-12
	if !c.Narrow {
		right = c.W - 150
	}
	xlo, ylo, hi := 1e18, 1e18, 1000.0
	for _, b := range r.Joint.Cells {
		for _, end := range []*int64{b.TransportTo, b.DisorderTo} {
			if end != nil {
				hi = math.Max(hi, float64(*end))
			}
		}
		if b.DisorderFrom != nil && *b.DisorderFrom >= 4 {
			xlo = math.Min(xlo, float64(*b.DisorderFrom))
		}
		if b.TransportFrom != nil && *b.TransportFrom >= 4 {
			ylo = math.Min(ylo, float64(*b.TransportFrom))
		}
	}
	x := axis{lo: math.Min(xlo, hi/100), hi: hi, zero: left + 24, start: left + 44, end: right}
	y := axis{lo: math.Min(ylo, hi/100), hi: hi, zero: bottom - 24, start: bottom - 44, end: top}
	c.Rect("plot", left, top, right-left, bottom-top)
	place := func(a axis, from, to *int64, edge float64) (float64, float64) {
		switch {
		case from == nil:
			return edge, edge + (a.zero-edge)*2/3
		case *from < 4:
			return edge + (a.zero-edge)*2/3, a.zero + (a.start-a.zero)*2/3
		case to == nil:
			return a.at(float64(*from)), a.end
		}
		return a.at(float64(*from)), a.at(float64(*to))
	}
	for _, b := range r.Joint.Cells {
		x1, x2 := place(x, b.DisorderFrom, b.DisorderTo, left)
		y1, y2 := place(y, b.TransportFrom, b.TransportTo, bottom)
		s := c.Rect("cell", x1, y2, x2-x1, y1-y2).Of(valueOf(b.DisorderFrom), b.Records)
		s.Opacity = shade(b.Records, most)
		s.Title = "disorder " + edgeText(b.DisorderFrom, b.DisorderTo) + ", transport delay " + edgeText(b.TransportFrom, b.TransportTo) + ": " + units.Count(b.Records) + " records"
	}
	low := math.Max(x.lo, y.lo)
	c.Line("diagonal", x.at(low), y.at(low), x.end, y.end)
	for _, t := range x.delayTicks(xRoom(c)) {
		if x.at(t.v) > left+62 {
			c.Text("tick", "middle", x.at(t.v), bottom+17, t.label).Of(int64(t.v), "")
		}
	}
	for _, t := range y.delayTicks(18) {
		if t.v > 0 {
			c.Text("tick", "end", left-6, y.at(t.v)+4, t.label).Of("", int64(t.v))
		}
	}
	c.Text("tick", "start", left-8, bottom+17, "in order")
	c.Text("tick", "end", left-6, bottom-4, "ahead")
	c.Text("tick", "end", left-6, y.zero+2, "0")
	if !r.Advice.Verdict.Refuses() {
		at := x.at(float64(r.Advice.RoundedMs))
		c.Line("pick", at, top, at, bottom).Of(r.Advice.RoundedMs, "").Named("recommended delay " + units.Exact(r.Advice.RoundedMs))
	}
	if m := r.Advice.TransportMs; m != nil {
		at := y.at(float64(*m))
		c.Line("rule", left, at, right, at).Of("", *m).Named("a rule on transport delay would declare " + units.Exact(*m))
	}
	c.Text("dim", "middle", (left+right)/2, c.H-6, "disorder →")
	c.Text("dim", "start", 2, 12, "age ↑")
	if !c.Narrow {
		shadeKey(c, c.W-130, 30, most)
	}
}

// shade is the opacity of a count: by its logarithm, as counts span decades.
func shade(n, most uint64) string {
	if most <= 1 {
		return "1"
	}
	return fmt.Sprintf("%.2f", 0.10+0.90*math.Log(float64(n))/math.Log(float64(most)))
}

// shadeKey explains the shades.
func shadeKey(c *Canvas, x, y float64, most uint64) {
	c.Text("dim", "start", x, y-8, "records in a bin")
	for n := uint64(1); ; n *= 10 {
		s := c.Rect("cell", x, y, 18, 14)
		s.Opacity = shade(min(n, most), most)
		c.Text("tick", "start", x+26, y+11, units.Count(min(n, most)))
		if n >= most || y > c.H-60 {
			return
		}
		y += 18
	}
}
