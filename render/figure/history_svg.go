package figure

import (
	"fmt"

	"tidemark/analyze/catalog"
	"tidemark/analyze/series"
	"tidemark/internal/units"
)

// Moment is a time of day in UTC, with the day where a timeline is longer than one.
func Moment(ms int64, withDay bool) string {
	if withDay {
		return units.MonthClock(ms)
	}
	return units.Clock(ms)
}

// Long reports a timeline that is too long for times of day without a day.
func Long(t *series.Timeline) bool { return t.UntilMs-t.FromMs > 20*60*60*1000 }

// Marked reports an event that is marked on the axis: one of the job or the cluster, not a verdict or finding.
func Marked(e series.Event) bool { return e.Kind != series.Verdict && e.Kind != series.Finding }

// stateClass is the CSS class of a stretch.
func stateClass(s catalog.State) string {
	switch s {
	case catalog.Advancing, "":
		return "st-advancing"
	case series.Behind:
		return "st-behind"
	case catalog.Standing, catalog.Never:
		return "st-standing"
	case catalog.Unreadable:
		return "nodata"
	}
	return "st-idle"
}

// drawHistory draws one band per place. On a phone the name is above its band.
func drawHistory(c *Canvas, t *series.Timeline, rows []*series.Track) {
	left, right, step, label := 200.0, c.W-130, 22.0, 0.0
	if c.Narrow {
		left, right, step, label = 4, c.W-4, 36, 16
	}
	at := func(ms int64) float64 {
		return left + (right-left)*min(1, max(0, float64(ms-t.FromMs)/float64(t.UntilMs-t.FromMs)))
	}
	for i, track := range rows {
		y := 8 + step*float64(i)
		if c.Narrow {
			c.Text("on", "start", left, y+11, RowName(track.At, 34))
			c.Text("dim", "end", right, y+11, StateText(t, track))
		} else {
			c.Text("on", "start", 4, y+12, RowName(track.At, 30))
			c.Text("dim", "start", right+8, y+12, StateText(t, track))
		}
		for _, s := range joined(stretches(track)) {
			c.Rect(stateClass(s.state), at(s.from), y+label, max(1.5, at(s.until)-at(s.from)), 15).
				Named(fmt.Sprintf("%s to %s: %s", Moment(s.from, Long(t)), Moment(s.until, Long(t)), stateWord(s.state)))
		}
	}
	bottom := 8 + step*float64(len(rows))
	for _, e := range t.Events {
		if Marked(e) {
			c.Line("event", at(e.At.UntilMs), 4, at(e.At.UntilMs), bottom).Named(Moment(e.At.UntilMs, Long(t)) + " " + string(e.Kind) + ": " + e.Text)
		}
	}
	c.Text("tick", "start", left, bottom+18, Moment(t.FromMs, Long(t)))
	c.Text("tick", "end", right, bottom+18, Moment(t.UntilMs, Long(t)))
	c.Text("dim", "middle", (left+right)/2, bottom+18, "UTC")
}

func stateWord(s catalog.State) string {
	if s == "" {
		return "read once"
	}
	return string(s)
}

// joined merges consecutive stretches of the same class.
func joined(all []stretch) []stretch {
	var out []stretch
	for _, s := range all {
		if n := len(out); n > 0 && stateClass(out[n-1].state) == stateClass(s.state) && out[n-1].until == s.from {
			out[n-1].until = s.until
			continue
		}
		out = append(out, s)
	}
	return out
}
