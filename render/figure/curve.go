package figure

import (
	"fmt"
	"slices"
	"strings"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
	"tidemark/render/safe"
)

// farDelay is the largest delay drawn; a latency target far beyond it is only written.
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

// curveFigure shows what each delay costs: the shares of late and of dropped records.
func curveFigure(r advise.Recommendation) figure {
	f := figure{ID: "curve", Title: "What each delay costs",
		Desc: fmt.Sprintf("Share of late records against delay, both on a log scale; %s late at %s.", units.Share(r.Advice.Late.Fraction), units.Exact(r.Advice.RoundedMs))}
	if r.Records == 0 {
		f.Missing = "No record with an event time was read."
		return f
	}
	f.Head = []string{"delay", "late", "95 % interval", "late records", "dropped", "p99 latency", ""}
	for _, p := range r.Curve {
		f.Rows = append(f.Rows, []cell{{units.Exact(p.DelayMs), fmt.Sprint(p.DelayMs)}, {units.Share(p.Late), fmt.Sprint(p.Late)},
			{units.Share(p.LateCI95[0]) + " to " + units.Share(p.LateCI95[1]), fmt.Sprint(p.LateCI95[0], " ", p.LateCI95[1])}, {units.Count(p.LateN), fmt.Sprint(p.LateN)},
			{optional(p.Dropped), valueOf(p.Dropped)}, {optionalMs(p.LatencyP99), valueOf(p.LatencyP99)}, {markOf(r, p.Mark), p.Mark}})
	}
	f.Legend = []key{{"l", "late"}, {"b", "95 % interval"}}
	if r.Advice.WindowMs > 0 {
		f.Legend = append(f.Legend, key{"d", "dropped by " + units.Exact(r.Advice.WindowMs) + " windows"})
	}
	f.Legend = append(f.Legend, key{"goal", "target"})
	if !r.Advice.Verdict.Refuses() {
		f.Legend = append(f.Legend, key{"dot", "recommended"})
	}
	if m := r.Advice.MaxByMs; m != nil && *m >= 0 {
		f.Legend = append(f.Legend, key{"sla", "what the latency target leaves"})
	}
	f.Text = func(width int) []string { return curveLines(r, width) }
	f.draw(360, 320, func(c *Canvas) { drawCurve(c, r) })
	return f
}

func drawCurve(c *Canvas, r advise.Recommendation) {
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

	var band, low, late, dropped []Place
	for _, p := range lateSteps(r) {
		late = append(late, Place{x.at(p.v), y.at(p.share)})
		band = append(band, Place{x.at(p.v), y.at(p.ci[1])})
		low = append(low, Place{x.at(p.v), y.at(p.ci[0])})
	}
	for _, p := range r.Curve {
		if p.Dropped != nil {
			dropped = append(dropped, Place{x.at(float64(p.DelayMs)), y.at(*p.Dropped)})
		}
	}
	slices.Reverse(low)
	c.Path("area", "b", append(band, low...))
	if r.TargetLate > 0 {
		at := y.at(r.TargetLate)
		c.Line("goal", left, at, c.W-12, at).Of("", r.TargetLate).Named("target: " + units.Share(r.TargetLate))
	}
	if len(dropped) > 0 {
		c.Path("poly", "d", dropped)
	}
	c.Path("poly", "l", late)
	for _, p := range r.Curve {
		c.Dot("pt", x.at(float64(p.DelayMs)), y.at(p.Late), 2).Of(p.DelayMs, p.Late).Named(units.Exact(p.DelayMs) + ": " + units.Share(p.Late) + " late")
	}
	switch {
	case near:
		at := x.at(float64(*sla))
		c.Line("sla", at, 20, at, bottom).Of(*sla, "").Named("latency target leaves " + units.Exact(*sla))
		c.Label("hot", at, 14, "latency target leaves "+units.Exact(*sla))
	case sla != nil && *sla < 0:
		c.Text("hot", "end", c.W-12, 14, "latency target already spent")
	case sla != nil:
		c.Text("dim", "end", c.W-12, 14, "latency target leaves "+units.Exact(*sla)+" →")
	}
	if !r.Advice.Verdict.Refuses() {
		at, share := x.at(float64(r.Advice.RoundedMs)), y.at(r.Advice.Late.Fraction)
		c.Line("pick", at, 26, at, bottom)
		c.Dot("dot", at, share, 5).Of(r.Advice.RoundedMs, r.Advice.Late.Fraction).Named(units.Exact(r.Advice.RoundedMs) + ": " + units.Share(r.Advice.Late.Fraction) + " late")
		c.Label("strong", at, max(40, share-10), units.Exact(r.Advice.RoundedMs)+": "+units.Share(r.Advice.Late.Fraction))
	}
	c.Text("dim", "middle", (left+c.W)/2, c.H-6, "delay")
}

type stepAt struct {
	v, share float64
	ci       [2]float64
}

// lateSteps joins the curve with the finer edges of the distribution, so that a plateau is drawn flat.
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
func frame(c *Canvas, x, y axis, left, bottom float64) {
	last := -100.0
	for _, t := range y.shareTicks() {
		at := y.at(t.v)
		c.Line("axis", left, at, c.W-12, at)
		if at-last >= 13 || last-at >= 13 {
			c.Text("tick", "end", left-6, at+4, t.label).Of("", t.v)
			last = at
		}
	}
	for _, t := range x.delayTicks(xRoom(c)) {
		at := x.at(t.v)
		c.Line("axis", at, bottom, at, bottom+4)
		c.Text("tick", "middle", at, bottom+17, t.label).Of(int64(t.v), "")
	}
}

// xRoom is the room that the label of a delay needs.
func xRoom(c *Canvas) float64 {
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

// markOf is markText, also where no delay is recommended.
func markOf(r advise.Recommendation, m string) string {
	if m == "rounded" && r.Advice.Verdict.Refuses() {
		return "what the sample alone would say"
	}
	return markText(m)
}

// curveLines are the delays with the share of late records as a bar, for a terminal.
func curveLines(r advise.Recommendation, width int) []string {
	row := func(cells ...any) string { return fmt.Sprintf("%-9s %-8s %-8s %-11s ", cells...) }
	lines, bars, marks := make([]string, len(r.Curve)), make([]int, len(r.Curve)), make([]string, len(r.Curve))
	decade := 5
	if width < 100 {
		decade = 3
	}
	scale := 1.0 // how wide the bars may be so that every mark fits
	for i, p := range r.Curve {
		lines[i] = row(units.Exact(p.DelayMs), units.Share(p.Late), optional(p.Dropped), optionalMs(p.LatencyP99))
		if mark := markOf(r, p.Mark); mark != "" {
			marks[i] = "< " + mark
		}
		bars[i] = bar(p.Late, decade)
		if room := width - safe.Width(lines[i]) - safe.Width(marks[i]) - 1; bars[i] > 0 {
			scale = max(0, min(scale, float64(room)/float64(bars[i])))
		}
	}
	for i := range lines {
		if n := int(scale * float64(bars[i])); n > 0 {
			lines[i] += strings.Repeat("█", n) + " "
		}
		lines[i] = strings.TrimRight(lines[i]+marks[i], " ")
	}
	return append([]string{strings.TrimRight(row("delay", "late", "dropped", "p99 latency"), " ")}, lines...)
}
