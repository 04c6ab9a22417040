package figure

import (
	"fmt"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// latencyFigure shows the parts of result latency, and what the latency target leaves. Only the delay can be chosen; the
// other parts do not depend on it.
func latencyFigure(r advise.Recommendation) figure {
	f := figure{ID: "latency", Title: "What a result waits for (p99)", Desc: "Stacked bar of the parts of result latency, with the latency target.", Head: []string{"part", "p99"}}
	l := r.Latency
	if l == nil {
		f.Missing = "The latency of results is unknown: no arrival time independent of the event time was read."
		return f
	}
	parts := []struct {
		class, name string
		ms          int64
	}{{"part1", "watermark delay", l.DelayMs}, {"part2", "slowest partition passes the window's end", l.FrontierP99Ms}, {"part3", "watermark interval", l.EmitMs}, {"part4", "processing, as given", l.ProcessingMs}}
	total := int64(0)
	for _, p := range parts {
		total += p.ms
		if p.ms > 0 || p.class != "part4" {
			f.Legend = append(f.Legend, key{p.class, p.name + " " + units.Exact(p.ms)})
			f.Rows = append(f.Rows, []cell{{p.name, ""}, {units.Exact(p.ms), fmt.Sprint(p.ms)}})
		}
	}
	f.Rows = append(f.Rows, []cell{{"together", ""}, {units.Exact(total), fmt.Sprint(total)}})
	f.draw(76, 76, func(c *Canvas) {
		left, right := 4.0, c.W-12
		far := max(total, 1)
		sla := r.Advice.SLAMs
		if sla > 0 && sla < 20*far {
			far = max(far, sla)
		}
		scale := (right - left) / (float64(far) * 1.02)
		at := left
		for _, p := range parts {
			wide := float64(max(0, p.ms)) * scale
			c.Rect(p.class, at, 24, wide, 26).Of(p.ms, "").Named(p.name + ": " + units.Exact(p.ms))
			at += wide
		}
		c.Text("strong", "end", max(at, 60), 66, units.Exact(total))
		switch {
		case sla > 0 && sla <= far:
			x := left + float64(sla)*scale
			c.Line("sla", x, 16, x, 56).Of(sla, "")
			c.Label("hot", x, 12, "latency target "+units.Exact(sla))
		case sla > 0:
			c.Text("dim", "end", right, 12, "latency target "+units.Exact(sla)+" →")
		}
	})
	return f
}
