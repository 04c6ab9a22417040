package figure

import (
	"fmt"
	"math"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// drawMultiple draws one partition's late share over the topic's; all partitions have the same axes.
func drawMultiple(c *Canvas, r advise.Recommendation, p advise.Partition, left, top, wide, high float64) {
	class := "l"
	if p.Outlier {
		class = "l bad"
	}
	bottom := top + high - 14
	x := delayAxis(r.Advice.RoundedMs, farDelay(r), left, left+14, left+wide)
	smallest := 1 / math.Max(1, float64(p.Records))
	if r.TargetLate > 0 {
		smallest = math.Min(smallest, r.TargetLate)
	}
	y := shareAxis(math.Min(smallest, 1/float64(r.Records)), top+18, bottom-6, bottom)
	c.Rect("plot", left, top+16, wide, bottom-top-16)
	var pool, own []Place
	for i, at := range r.Curve {
		if i > 0 && r.TargetLate > 0 && p.NeedMs > r.Curve[i-1].DelayMs && p.NeedMs < at.DelayMs {
			own = append(own, Place{x.at(float64(p.NeedMs)), y.at(r.TargetLate)}) // between two delays of the curve
		}
		pool = append(pool, Place{x.at(float64(at.DelayMs)), y.at(at.Late)})
		own = append(own, Place{x.at(float64(at.DelayMs)), y.at(float64(p.LateByDelay[i]) / float64(p.Records))})
	}
	if r.TargetLate > 0 {
		c.Line("goal", left, y.at(r.TargetLate), left+wide, y.at(r.TargetLate))
	}
	at := x.at(float64(r.Advice.RoundedMs))
	c.Line("pick", at, top+16, at, bottom)
	c.Path("poly", "pool", pool)
	c.Path("poly", class, own)
	if r.TargetLate > 0 {
		c.Dot("dot", x.at(float64(p.NeedMs)), y.at(math.Max(r.TargetLate, 0)), 3).Of(p.NeedMs, r.TargetLate).Named(fmt.Sprintf("partition %d needs %s", p.ID, units.Exact(p.NeedMs)))
	}
	name := fmt.Sprintf("%d: %s", p.ID, units.Exact(p.NeedMs))
	textClass := "dim"
	if p.Outlier {
		name, textClass = name+" outlier", "hot"
	}
	c.Text(textClass, "start", left+2, top+11, name)
	for _, t := range []float64{x.lo, 1000, 60_000, 3_600_000} {
		if t < x.hi*0.6 && (t == x.lo || t > 20*x.lo) && x.at(t) < left+wide-20 {
			c.Text("tiny", "middle", math.Max(left+14, x.at(t)), bottom+11, units.Exact(int64(t)))
		}
	}
}
