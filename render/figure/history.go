package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/analyze/series"
	"tidemark/internal/units"
	"tidemark/render/doc"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// mostRows bounds the places in a timeline; places that advanced all the time are left out first.
const mostRows = 40

// History draws the state of each place of a job over time, one row per place; events are marks on the axis. Characters
// and drawing show the same rows.
func History(id, title string, t *series.Timeline) doc.Figure {
	f := doc.Figure{ID: id, Title: title}
	rows, left := rowsOf(t)
	if len(rows) == 0 || t.UntilMs <= t.FromMs {
		f.Note = "Fewer than two readings: nothing to draw."
		return f
	}
	hi := HighestLag(rows)
	f.Text = func(width int) []string { return historyLines(t, rows, hi, width) }
	description := fmt.Sprintf("%d places from %s to %s.", len(rows), words.Clock(t.FromMs), words.Clock(t.UntilMs))
	f.SVG = Draw(id, title, description, 44+22*float64(len(rows)), 44+36*float64(len(rows)), func(c *Canvas) { drawHistory(c, t, rows) })
	for _, k := range []struct{ class, text string }{{"st-advancing", "advances"}, {"st-behind", "behind by more than a minute"}, {"st-standing", "stands, or never had a watermark"},
		{"st-idle", "idle, ended or nothing expected"}, {"nodata", "not read"}, {"event", "restart or other event"}} {
		f.Keys = append(f.Keys, doc.Key{Mark: Mark(k.class), Text: k.text})
	}
	f.Note = "From " + words.Clock(t.FromMs) + " to " + words.Clock(t.UntilMs) + ", a reading every " + units.Duration(t.EveryMs) + "."
	if left > 0 {
		f.Note += " " + words.Plural(left, "more place", "more places") + " advanced all the time."
	}
	return f
}

// rowsOf are the tracks to draw, each vertex followed by its splits.
func rowsOf(t *series.Timeline) (rows []*series.Track, left int) {
	var ordered []*series.Track
	for _, v := range t.Tracks {
		if v.At.Split != "" || v.At.Subtask != nil {
			continue
		}
		ordered = append(ordered, v)
		first := len(ordered)
		for _, part := range t.Tracks {
			if part.At.Subtask != nil && part.At.Split == "" && t.Gone(part) && splitOf(t, v) {
				continue // its splits were not read for a moment
			}
			if part != v && part.At.Vertex != nil && v.At.Vertex != nil && part.At.Vertex.ID == v.At.Vertex.ID {
				ordered = append(ordered, part)
			}
		}
		slices.SortStableFunc(ordered[first:], func(a, b *series.Track) int { return byNumber(a.At, b.At) })
	}
	for _, track := range ordered {
		if len(ordered) <= mostRows || len(rows) < mostRows && !steady(track) {
			rows = append(rows, track)
		}
	}
	return rows, len(ordered) - len(rows)
}

// splitOf reports whether a split of a vertex was read.
func splitOf(t *series.Timeline, v *series.Track) bool {
	return slices.ContainsFunc(t.Tracks, func(o *series.Track) bool {
		return o.At.Split != "" && o.At.Vertex != nil && v.At.Vertex != nil && o.At.Vertex.ID == v.At.Vertex.ID
	})
}

// byNumber puts partition 9 before partition 10.
func byNumber(a, b model.Point) int {
	if a.Subtask != nil && b.Subtask != nil && a.Split == "" && b.Split == "" {
		return *a.Subtask - *b.Subtask
	}
	return CompareNames(a.Split, b.Split)
}

// CompareNames puts orders-2 before orders-10.
func CompareNames(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// steady reports a track without trouble.
func steady(track *series.Track) bool {
	for _, c := range track.Changes {
		switch c.State {
		case catalog.Advancing, catalog.NotExpected, catalog.End, series.Idle:
		default:
			return false
		}
	}
	return true
}

// RowName names a place below its vertex: a split or subtask is indented.
func RowName(p model.Point, max int) string {
	switch {
	case p.Split != "":
		return "  " + safe.Short(p.Split, max-2)
	case p.Subtask != nil:
		return fmt.Sprintf("  subtask %d", *p.Subtask)
	case p.Vertex != nil:
		return safe.Name(p.Vertex.Name, max)
	}
	return "the job"
}

// StateText is the state of a place at the end, in a word or two.
func StateText(t *series.Timeline, track *series.Track) string {
	last, ok := track.Last()
	switch {
	case !ok || last.State == catalog.Unreadable:
		return "not read"
	case t.Gone(track):
		return "no longer read"
	}
	lag := ""
	if last.LagMs != nil {
		lag = units.Duration(*last.LagMs)
	}
	switch track.State {
	case catalog.Never:
		return "no watermark"
	case catalog.Standing:
		return strings.TrimSuffix("stands, lag "+lag, ", lag ")
	case series.Behind:
		return lag + " behind"
	case series.Idle:
		return "idle"
	case catalog.End:
		return "end of input"
	case catalog.NotExpected:
		return "nothing expected"
	case catalog.Advancing:
		if lag == "" {
			return "advances"
		}
	}
	return strings.TrimSuffix("lag "+lag, "lag ")
}

// Drawn characters of a timeline: name, strip, state.
const (
	nameCells  = 24
	stateCells = 20
)

func historyLines(t *series.Timeline, rows []*series.Track, hi int64, width int) []string {
	n := max(10, width-nameCells-stateCells-4)
	out := []string{safe.Pad("", nameCells+2) + axisText(t, n)}
	for _, track := range rows {
		var b strings.Builder
		for _, m := range Strip(track, t.FromMs, t.UntilMs, n, hi) {
			b.WriteRune(m.Char)
		}
		out = append(out, safe.Pad(RowName(track.At, nameCells), nameCells)+"  "+b.String()+"  "+StateText(t, track))
	}
	return append(out, fmt.Sprintf("%c to %c: lag up to %s", blocks[0], blocks[len(blocks)-1], units.Duration(hi)), "× stands, _ no watermark, - idle or nothing expected, · not read")
}

// axisText is the axis over a strip of n cells: the first and the last time, and a mark for each event.
func axisText(t *series.Timeline, n int) string {
	line := []rune(strings.Repeat(" ", n))
	for _, e := range t.Events {
		if Marked(e) {
			line[cellOf(e.At.UntilMs, t.FromMs, t.UntilMs, n)] = '|'
		}
	}
	put := func(at int, s string) {
		for i, r := range s {
			if at+i >= 0 && at+i < n && line[at+i] == ' ' {
				line[at+i] = r
			}
		}
	}
	put(0, Moment(t.FromMs, Long(t)))
	end := Moment(t.UntilMs, Long(t))
	put(n-len(end), end)
	return strings.TrimRight(string(line), " ")
}
