package render

import (
	"fmt"
	"slices"

	"tidemark/kafkastats/advise"
)

// farDelay is the largest delay worth drawing; a latency target far beyond it is only named.
func farDelay(r advise.Recommendation) int64 {
	far := int64(1000)
	for _, c := range r.Curve {
		far = max(far, c.DelayMs)
	}
	if n := len(r.Distrib); n > 0 {
		far = max(far, r.Distrib[n-1].ToMs)
	}
	return far
}

// curveFigure is the trade: share late and share dropped for every delay.
func curveFigure(r advise.Recommendation) figure {
	f := figure{ID: "curve", Title: "What each delay costs",
		Desc: fmt.Sprintf("Share of late records against delay, both on a log scale; %s late at %s.", percent(r.Advice.Late.Fraction), advise.Human(r.Advice.RoundedMs))}
	if r.Records == 0 {
		f.Missing = "No record with an event time was read."
		return f
	}
	f.Head = []string{"delay", "late", "95 % interval", "late records", "dropped", "p99 latency", ""}
	for _, p := range r.Curve {
		f.Rows = append(f.Rows, []cell{{advise.Human(p.DelayMs), fmt.Sprint(p.DelayMs)}, {percent(p.Late), fmt.Sprint(p.Late)},
			{percent(p.LateCI95[0]) + " to " + percent(p.LateCI95[1]), fmt.Sprint(p.LateCI95[0], " ", p.LateCI95[1])}, {advise.Grouped(p.LateN), fmt.Sprint(p.LateN)},
			{optional(p.Dropped), valueOf(p.Dropped)}, {optionalMs(p.LatencyP99), valueOf(p.LatencyP99)}, {markOf(r, p.Mark), p.Mark}})
	}
	f.Legend = []key{{"l", "late"}, {"b", "95 % interval"}}
	if r.Advice.WindowMs > 0 {
		f.Legend = append(f.Legend, key{"d", "dropped by " + advise.Human(r.Advice.WindowMs) + " windows"})
	}
	f.Legend = append(f.Legend, key{"goal", "target"})
	if !r.Advice.Verdict.Refuses() {
		f.Legend = append(f.Legend, key{"dot", "recommended"})
	}
	if m := r.Advice.MaxByMs; m != nil && *m >= 0 {
		f.Legend = append(f.Legend, key{"sla", "what the latency target leaves"})
	}
	f.draw(360, 320, func(c *canvas) { drawCurve(c, r) })
	return f
}

func drawCurve(c *canvas, r advise.Recommendation) {
	far, n := farDelay(r), float64(r.Records)
	left, bottom := 68.0, c.H-44
	sla := r.Advice.MaxByMs
	near := sla != nil && *sla >= 0 && *sla <= 30*far
	if near {
		far = max(far, *sla)
	}
	x := delayAxis(r.Advice.RoundedMs, far, left+10, left+46, c.W-12)
	smallest := 1 / n
	if r.TargetLate > 0 {
		smallest = min(smallest, r.TargetLate)
	}
	y := shareAxis(smallest, 26, bottom-20, bottom)
	frame(c, x, y, left, bottom)

	var band, low, late, dropped []place
	for _, p := range lateSteps(r) {
		late = append(late, place{x.at(p.v), y.at(p.share)})
		band = append(band, place{x.at(p.v), y.at(p.ci[1])})
		low = append(low, place{x.at(p.v), y.at(p.ci[0])})
	}
	for _, p := range r.Curve {
		if p.Dropped != nil {
			dropped = append(dropped, place{x.at(float64(p.DelayMs)), y.at(*p.Dropped)})
		}
	}
	slices.Reverse(low)
	c.path("area", "b", append(band, low...))
	if r.TargetLate > 0 {
		at := y.at(r.TargetLate)
		c.line("goal", left, at, c.W-12, at).of("", r.TargetLate).named("target: " + percent(r.TargetLate))
	}
	if len(dropped) > 0 {
		c.path("poly", "d", dropped)
	}
	c.path("poly", "l", late)
	for _, p := range r.Curve {
		c.dot("pt", x.at(float64(p.DelayMs)), y.at(p.Late), 2).of(p.DelayMs, p.Late).named(advise.Human(p.DelayMs) + ": " + percent(p.Late) + " late")
	}
	switch {
	case near:
		at := x.at(float64(*sla))
		c.line("sla", at, 20, at, bottom).of(*sla, "").named("latency target leaves " + advise.Human(*sla))
		c.label("hot", at, 14, "latency target leaves "+advise.Human(*sla))
	case sla != nil && *sla < 0:
		c.text("hot", "end", c.W-12, 14, "latency target already spent")
	case sla != nil:
		c.text("dim", "end", c.W-12, 14, "latency target leaves "+advise.Human(*sla)+" →")
	}
	if !r.Advice.Verdict.Refuses() {
		at, share := x.at(float64(r.Advice.RoundedMs)), y.at(r.Advice.Late.Fraction)
		c.line("pick", at, 26, at, bottom)
		c.dot("dot", at, share, 5).of(r.Advice.RoundedMs, r.Advice.Late.Fraction).named(advise.Human(r.Advice.RoundedMs) + ": " + percent(r.Advice.Late.Fraction) + " late")
		c.label("strong", at, max(40, share-10), advise.Human(r.Advice.RoundedMs)+": "+advise.Percent(r.Advice.Late.Fraction))
	}
	c.text("dim", "middle", (left+c.W)/2, c.H-6, "delay")
}

type stepAt struct {
	v, share float64
	ci       [2]float64
}

// lateSteps joins the curve with the finer edges of the distribution, so that a plateau is drawn as one.
func lateSteps(r advise.Recommendation) []stepAt {
	n := float64(r.Records)
	var out []stepAt
	for _, p := range r.Curve {
		out = append(out, stepAt{float64(p.DelayMs), p.Late, p.LateCI95})
	}
	for _, b := range r.Distrib {
		if b.ToMs > 0 {
			out = append(out, stepAt{float64(b.ToMs - 1), float64(b.Beyond) / n, b.CI95})
		}
	}
	slices.SortStableFunc(out, func(a, b stepAt) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
	return out
}

// frame draws the grid of a delay axis below and a share axis at the left.
func frame(c *canvas, x, y axis, left, bottom float64) {
	last := -100.0
	for _, t := range y.shareTicks() {
		at := y.at(t.v)
		c.line("axis", left, at, c.W-12, at)
		if at-last >= 13 || last-at >= 13 {
			c.text("tick", "end", left-6, at+4, t.label).of("", t.v)
			last = at
		}
	}
	for _, t := range x.delayTicks(xRoom(c)) {
		at := x.at(t.v)
		c.line("axis", at, bottom, at, bottom+4)
		c.text("tick", "middle", at, bottom+17, t.label).of(int64(t.v), "")
	}
}

// xRoom is what a label of a delay needs.
func xRoom(c *canvas) float64 {
	if c.Narrow {
		return 42
	}
	return 46
}

func valueOf[T any](v *T) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// markOf is markText where no delay is recommended, too.
func markOf(r advise.Recommendation, m string) string {
	if m == "rounded" && r.Advice.Verdict.Refuses() {
		return "what the sample alone would say"
	}
	return markText(m)
}
