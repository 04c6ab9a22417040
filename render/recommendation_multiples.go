package render

import (
	"fmt"
	"math"

	"tidemark/kafkastats/advise"
)

// drawMultiple draws one partition's late share over the topic's, on the same axes as all others.
func drawMultiple(c *canvas, r advise.Recommendation, p advise.Partition, left, top, wide, high float64) {
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
	c.rect("plot", left, top+16, wide, bottom-top-16)
	var pool, own []place
	for i, at := range r.Curve {
		if i > 0 && r.TargetLate > 0 && p.NeedMs > r.Curve[i-1].DelayMs && p.NeedMs < at.DelayMs {
			own = append(own, place{x.at(float64(p.NeedMs)), y.at(r.TargetLate)}) // between two delays of the curve
		}
		pool = append(pool, place{x.at(float64(at.DelayMs)), y.at(at.Late)})
		own = append(own, place{x.at(float64(at.DelayMs)), y.at(float64(p.LateByDelay[i]) / float64(p.Records))})
	}
	if r.TargetLate > 0 {
		c.line("goal", left, y.at(r.TargetLate), left+wide, y.at(r.TargetLate))
	}
	at := x.at(float64(r.Advice.RoundedMs))
	c.line("pick", at, top+16, at, bottom)
	c.path("poly", "pool", pool)
	c.path("poly", class, own)
	if r.TargetLate > 0 {
		c.dot("dot", x.at(float64(p.NeedMs)), y.at(math.Max(r.TargetLate, 0)), 3).of(p.NeedMs, r.TargetLate).named(fmt.Sprintf("partition %d needs %s", p.ID, advise.Human(p.NeedMs)))
	}
	name := fmt.Sprintf("%d: %s", p.ID, advise.Human(p.NeedMs))
	textClass := "dim"
	if p.Outlier {
		name, textClass = name+" outlier", "hot"
	}
	c.text(textClass, "start", left+2, top+11, name)
	for _, t := range []float64{x.lo, 1000, 60_000, 3_600_000} {
		if t < x.hi*0.6 && (t == x.lo || t > 20*x.lo) && x.at(t) < left+wide-20 {
			c.text("tiny", "middle", math.Max(left+14, x.at(t)), bottom+11, advise.Human(int64(t)))
		}
	}
}
