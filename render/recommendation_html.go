package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"tidemark/kafkastats/advise"
)

//go:embed recommendation.html
var recommendationPage string

var recommendationTemplate = template.Must(template.New("recommendation").Funcs(template.FuncMap{
	"human": advise.Human, "percent": percent, "optional": optional, "optionalMs": optionalMs, "mark": mark, "late": lateText, "deployed": deployedText, "span": span, "printable": printable,
}).Parse(recommendationPage))

// page is what the template draws; all geometry is computed here, in SVG units.
type page struct {
	R      advise.Recommendation
	Curve  plot
	Hours  []column
	Strip  []column
	SLA    string
	YTicks []tick
	XTicks []tick
}

type plot struct {
	Late, Dropped, Band string // point lists
	Dot                 *tick
	SLAX                *float64
}

type tick struct {
	X, Y  float64
	Label string
}

type column struct {
	X, Y, W, H float64
	Label      string
	Title      string
	Hot        bool
}

const (
	plotLeft, plotRight, plotTop, plotBottom = 60.0, 700.0, 12.0, 260.0
	smallest                                 = -6 // decades shown below 100 %
)

func recommendationHTML(w io.Writer, r advise.Recommendation) error {
	return recommendationTemplate.Execute(w, layout(r))
}

func layout(r advise.Recommendation) page {
	p := page{R: r}
	far := int64(1000)
	for _, c := range r.Curve {
		far = max(far, c.DelayMs)
	}
	// Delays on a log axis that starts at 10 ms; 0 sits at its left end.
	x := func(ms int64) float64 {
		return plotLeft + (plotRight-plotLeft)*math.Log10(math.Max(1, float64(ms)/10))/math.Log10(math.Max(10, float64(far)/10))
	}
	y := func(f float64) float64 {
		return plotTop + (plotBottom-plotTop)*math.Max(smallest, math.Log10(math.Max(f, 1e-12)))/smallest
	}
	var low string
	for _, c := range r.Curve {
		p.Curve.Late += point(x(c.DelayMs), y(c.Late))
		p.Curve.Band += point(x(c.DelayMs), y(c.LateCI95[1]))
		low = point(x(c.DelayMs), y(c.LateCI95[0])) + low
		if c.Dropped != nil {
			p.Curve.Dropped += point(x(c.DelayMs), y(*c.Dropped))
		}
		if c.DelayMs == r.Advice.RoundedMs {
			p.Curve.Dot = &tick{x(c.DelayMs), y(c.Late), advise.Human(c.DelayMs) + ": " + percent(c.Late)}
		}
	}
	p.Curve.Band += low
	if m := r.Advice.MaxByMs; m != nil && *m > 0 {
		at := math.Min(x(*m), plotRight)
		p.Curve.SLAX = &at
	}
	for d := 0; d >= smallest; d-- {
		p.YTicks = append(p.YTicks, tick{plotLeft, y(math.Pow10(d)), strconv.FormatFloat(100*math.Pow10(d), 'f', max(0, -d-2), 64) + " %"})
	}
	for ms := int64(10); ms <= far; ms *= 10 {
		p.XTicks = append(p.XTicks, tick{x(ms), plotBottom, advise.Human(ms)})
	}
	p.Hours = hourColumns(r)
	p.Strip = partitionColumns(r)
	return p
}

func point(x, y float64) string { return fmt.Sprintf("%.1f,%.1f ", x, y) }

func hourColumns(r advise.Recommendation) []column {
	var out []column
	most := int64(1)
	for _, h := range r.Hours {
		most = max(most, h.NeedMs)
	}
	for _, h := range r.Hours {
		height := 100 * float64(h.NeedMs) / float64(most)
		out = append(out, column{X: 30 + float64(h.Hour)*28, Y: 110 - height, W: 22, H: height, Label: fmt.Sprintf("%02d", h.Hour),
			Title: fmt.Sprintf("%02d:00 UTC: %s for the target, %d records, %s late at the recommended delay", h.Hour, advise.Human(h.NeedMs), h.Records, percent(h.Late)), Hot: h.NeedMs > r.Advice.RoundedMs})
	}
	return out
}

func partitionColumns(r advise.Recommendation) []column {
	var out []column
	n := len(r.Partitions)
	if n == 0 {
		return nil
	}
	width := math.Min(60, 690/float64(n))
	most := int64(1)
	for _, p := range r.Partitions {
		most = max(most, p.NeedMs)
	}
	for i, p := range r.Partitions {
		height := 100 * float64(p.NeedMs) / float64(most)
		label := ""
		if n <= 24 || i%(n/16+1) == 0 {
			label = fmt.Sprint(p.ID)
		}
		out = append(out, column{X: 30 + float64(i)*width, Y: 110 - height, W: width * 0.8, H: math.Max(height, 1), Label: label,
			Title: fmt.Sprintf("partition %d: %s for the target, %d records", p.ID, advise.Human(p.NeedMs), p.Records), Hot: p.Outlier})
	}
	return out
}
