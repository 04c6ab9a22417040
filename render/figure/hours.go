package figure

import (
	"fmt"
	"math"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// hoursFigure is the delay that each hour of the day needs. An hour without a record has no delay, which is not a delay
// of zero.
func hoursFigure(r advise.Recommendation) figure {
	f := figure{ID: "hours", Title: "Delay for the target by hour of day (UTC)", Desc: "The delay that each hour of the day needs for the target; hours without records are hatched.",
		Head: []string{"hour (UTC)", "needs", "p99.9 of disorder", "records", "late at the recommended delay"}}
	if len(r.Hours) == 0 {
		f.Missing = "The records carry no arrival time: hours are not known."
		return f
	}
	byHour := map[int]advise.Hour{}
	for _, h := range r.Hours {
		byHour[h.Hour] = h
	}
	for h := range 24 {
		row := []cell{{fmt.Sprintf("%02d:00", h), fmt.Sprint(h)}}
		if at, ok := byHour[h]; ok {
			row = append(row, cell{thinText(at.NeedMs, at.Thin), fmt.Sprint(at.NeedMs)}, cell{units.Duration(at.P999), fmt.Sprint(at.P999)}, cell{units.Count(at.Records), fmt.Sprint(at.Records)}, cell{units.Share(at.Late), fmt.Sprint(at.Late)})
		} else {
			row = append(row, cell{"no data", ""}, cell{"no data", ""}, cell{"0", "0"}, cell{"no data", ""})
		}
		f.Rows = append(f.Rows, row)
	}
	f.Note = "Hours are those of the Kafka timestamp, in UTC. The line is the recommended delay: an hour above it loses more than the target."
	f.Legend = hourLegend(len(r.Hours) < 24, anyThinHour(r.Hours))
	f.Text = func(int) []string { return hourSpark(r) }
	f.draw(220, 210, func(c *Canvas) { drawHours(c, r, byHour) })
	return f
}

func anyThinHour(hours []advise.Hour) bool {
	for _, h := range hours {
		if h.Thin {
			return true
		}
	}
	return false
}

func hourLegend(empty, thin bool) []key {
	keys := []key{{"need", "needed"}, {"need over", "above the recommended delay"}}
	if thin {
		keys = append(keys, key{"need few", "too few records for the target: the largest disorder seen"})
	}
	if empty {
		keys = append(keys, key{"nodata", "no data"})
	}
	return keys
}

func thinText(ms int64, thin bool) string {
	if thin {
		return units.Exact(ms) + " (largest seen)"
	}
	return units.Exact(ms)
}

func drawHours(c *Canvas, r advise.Recommendation, byHour map[int]advise.Hour) {
	left, top, bottom := 58.0, 18.0, c.H-40
	far, near := max(1000, r.Advice.RoundedMs), r.Advice.RoundedMs
	for _, h := range r.Hours {
		far = max(far, h.NeedMs)
		if h.NeedMs > 0 {
			near = min(near, h.NeedMs)
		}
	}
	y := hourAxis(near, far, top, bottom)
	step := (c.W - 12 - left) / 24
	for _, t := range y.delayTicks(22) {
		c.Line("axis", left, y.at(t.v), c.W-12, y.at(t.v))
		c.Text("tick", "end", left-6, y.at(t.v)+4, t.label).Of("", int64(t.v))
	}
	for h := range 24 {
		at := left + step*float64(h)
		every := 1
		if c.Narrow {
			every = 4
		}
		if h%every == 0 {
			c.Text("tick", "middle", at+step/2, bottom+16, fmt.Sprintf("%02d", h))
		}
		v, ok := byHour[h]
		if !ok {
			c.Rect("nodata", at+1, top, step-2, bottom-top).Named(fmt.Sprintf("%02d:00 UTC: no data", h))
			continue
		}
		class := "need"
		switch {
		case v.NeedMs > r.Advice.RoundedMs:
			class = "need over"
		case v.Thin:
			class = "need few"
		}
		c.Line("stem", at+step/2, bottom, at+step/2, y.at(float64(v.NeedMs)))
		c.Dot(class, at+step/2, y.at(float64(v.NeedMs)), math.Min(5, step/2-1)).Of(h, v.NeedMs).
			Named(fmt.Sprintf("%02d:00 UTC: %s for the target, %s records, %s late at the recommended delay", h, thinText(v.NeedMs, v.Thin), units.Count(v.Records), units.Share(v.Late)))
	}
	at := y.at(float64(r.Advice.RoundedMs))
	c.Line("pick", left, at, c.W-12, at).Of("", r.Advice.RoundedMs)
	c.Text("strong", "end", c.W-12, math.Max(12, at-5), units.Exact(r.Advice.RoundedMs))
	c.Text("dim", "middle", (left+c.W)/2, c.H-6, "hour of day (UTC)")
}

// hourAxis leaves zero at the bottom and starts a decade below the smallest delay shown.
func hourAxis(near, far int64, top, bottom float64) axis {
	lo := math.Pow(10, math.Floor(math.Log10(math.Max(1, float64(near))))-0.3)
	return axis{lo: math.Max(1, lo), hi: math.Max(float64(far)*1.3, 10), zero: bottom, start: bottom - 12, end: top}
}

var dayNames = [...]string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// weekFigure is the same by hour of the week, as a map.
func weekFigure(r advise.Recommendation) figure {
	f := figure{ID: "week", Title: "Delay for the target by hour of the week (UTC)", Desc: "Heat map of the delay that each hour of the week needs; hours without records are hatched.",
		Head: []string{"hour of the week (UTC)", "needs", "p99.9 of disorder", "records", "late at the recommended delay"}}
	if len(r.Week) == 0 {
		f.Missing = "The records carry no arrival time: hours are not known."
		return f
	}
	byHour := map[int]advise.WeekHour{}
	lo, hi, thin := int64(math.MaxInt64), int64(0), false
	for _, h := range r.Week {
		byHour[(h.Day-1)*24+h.Hour] = h
		lo, hi, thin = min(lo, h.NeedMs), max(hi, h.NeedMs), thin || h.Thin
		f.Rows = append(f.Rows, []cell{{fmt.Sprintf("%s %02d:00", dayNames[h.Day-1], h.Hour), fmt.Sprint(h.Day, " ", h.Hour)}, {thinText(h.NeedMs, h.Thin), fmt.Sprint(h.NeedMs)},
			{units.Duration(h.P999), fmt.Sprint(h.P999)}, {units.Count(h.Records), fmt.Sprint(h.Records)}, {units.Share(h.Late), fmt.Sprint(h.Late)}})
	}
	if empty := 168 - len(r.Week); empty > 0 {
		f.More = fmt.Sprintf("%d of the 168 hours of the week have no data.", empty)
		f.Legend = append(f.Legend, key{"nodata", "no data"})
	}
	f.Legend = append(f.Legend, key{"over", "needs more than the recommended delay"})
	if thin {
		f.Note = "In hours with too few records for the target the largest disorder seen is shown."
	}
	f.draw(226, 200, func(c *Canvas) { drawWeek(c, r, byHour, lo, hi) })
	return f
}

func drawWeek(c *Canvas, r advise.Recommendation, byHour map[int]advise.WeekHour, lo, hi int64) {
	left, top := 40.0, 8.0
	step, high := (c.W-12-left)/24, (c.H-50)/7
	for day := range 7 {
		c.Text("tick", "end", left-6, top+high*float64(day)+high/2+4, dayNames[day])
		for h := range 24 {
			x, y := left+step*float64(h), top+high*float64(day)
			v, ok := byHour[day*24+h]
			name := fmt.Sprintf("%s %02d:00 UTC: ", dayNames[day], h)
			if !ok {
				c.Rect("nodata", x+0.5, y+0.5, step-1, high-1).Named(name + "no data")
				continue
			}
			class := "cell"
			if v.NeedMs > r.Advice.RoundedMs {
				class = "cell over"
			}
			s := c.Rect(class, x+0.5, y+0.5, step-1, high-1).Of(day*24+h, v.NeedMs)
			s.Opacity = depth(v.NeedMs, lo, hi)
			s.Title = name + thinText(v.NeedMs, v.Thin) + " for the target, " + units.Count(v.Records) + " records, " + units.Share(v.Late) + " late at the recommended delay"
		}
	}
	for h := 0; h < 24; h++ {
		if !c.Narrow && h%2 == 0 || h%6 == 0 {
			c.Text("tick", "middle", left+step*(float64(h)+0.5), top+high*7+15, fmt.Sprintf("%02d", h))
		}
	}
	// The scale, from the smallest to the largest delay needed.
	y, x := c.H-14, left
	c.Text("tick", "start", x, y+10, units.Exact(lo))
	x += 6.4*float64(len(units.Exact(lo))) + 10
	for i := range 5 {
		c.Rect("cell", x+float64(i)*16, y, 16, 12).Opacity = fmt.Sprintf("%.2f", 0.15+0.85*float64(i)/4)
	}
	c.Text("tick", "start", x+88, y+10, advise.Rough(hi)+" needed")
}

// depth is the opacity of a delay between the least and the most, by its logarithm.
func depth(v, lo, hi int64) string {
	if hi <= lo {
		return "0.50"
	}
	a, b := math.Log(float64(lo+1)), math.Log(float64(hi+1))
	return fmt.Sprintf("%.2f", 0.15+0.85*(math.Log(float64(v+1))-a)/(b-a))
}
