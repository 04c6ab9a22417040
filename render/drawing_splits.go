package render

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/internal/units"
	"tidemark/render/figure"
	"tidemark/render/figure/graph"
	"tidemark/render/safe"
	"tidemark/render/words"
)

// mostParts bounds the splits that are drawn of a source.
const mostParts = 6

// drawnSplit is a split with the subtask that reads it.
type drawnSplit struct {
	analyze.SplitReport
	subtask int
	tone    graph.Tone
}

// splits are the parts for the splits of a source: those that a finding names first, then one part for all that have
// no room. A source without a finding has one part for all of its splits.
func (g *drawing) splits(b *drawnBox) []graph.Part {
	v := b.vertices[0]
	var all []drawnSplit
	for _, s := range v.Subtasks {
		for _, sp := range s.Splits {
			all = append(all, drawnSplit{sp, s.Index, b.splitTone(v, s, sp)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b drawnSplit) int {
		return cmp.Or(cmp.Compare(rank(a.tone), rank(b.tone)), figure.CompareNames(a.ID, b.ID))
	})
	shown := len(all)
	if shown > mostParts {
		shown = mostParts - 1
		for shown > 1 && len(g.boxes) > 8 && all[shown-1].tone == graph.Plain {
			shown--
		}
	}
	if len(b.findings) == 0 && b.tone == graph.Plain && len(all) > 1 && (len(all) > mostParts || len(g.boxes) > 8) {
		shown = 0
	}
	kept := slices.Clone(all[:shown])
	slices.SortStableFunc(kept, func(a, b drawnSplit) int { return figure.CompareNames(a.ID, b.ID) })
	var out []graph.Part
	for _, s := range kept {
		out = append(out, graph.Part{Name: s.ID, Text: g.splitText(s), Tone: s.tone})
	}
	if rest := all[shown:]; len(rest) > 0 {
		out = append(out, g.otherSplits(rest, shown))
	}
	return out
}

// splitTone is Bad where a finding names the split, or names its subtask and the split has never sent a record.
func (b *drawnBox) splitTone(v analyze.VertexReport, s analyze.SubtaskReport, sp analyze.SplitReport) graph.Tone {
	for _, f := range b.findings {
		named := f.Split == sp.ID
		if f.Split == "" && len(f.Subtasks) > 0 && len(f.Subtasks) < max(2, v.Parallelism) {
			named = slices.Contains(f.Subtasks, s.Index)
		}
		if named || f.Split != "" && slices.Contains(f.Subtasks, s.Index) && sp.Watermark.State() == flinkapi.None {
			return toneOfSeverity(f.Severity)
		}
	}
	if sp.Idle != nil && *sp.Idle || sp.Paused != nil && *sp.Paused {
		return graph.Held
	}
	return graph.Plain
}

func (g *drawing) splitText(s drawnSplit) string {
	text := shortWatermark(s.Watermark, g.now)
	if ms, known := s.Watermark.Millis(); known {
		text = cmp.Or(otherDay(ms, g.now), text)
	}
	switch {
	case s.Offset != nil && *s.Offset < 0:
		text = "no record yet"
	case s.Watermark.State() == flinkapi.Absent && s.Offset != nil:
		text = fmt.Sprintf("offset %d", *s.Offset)
	case s.Watermark.State() == flinkapi.Absent:
		text = fmt.Sprintf("subtask %d", s.subtask)
	}
	if more := splitText(s.SplitReport); more != "" {
		text += ", " + more
	}
	return text
}

// otherDay is a time on another day than now in the room of a part: the day alone where even the year differs; ""
// for one of today.
func otherDay(ms, now int64) string {
	t, n := time.UnixMilli(ms).UTC(), time.UnixMilli(now).UTC()
	switch {
	case now == 0 || units.Day(ms) == units.Day(now) || t.Year() < 0 || t.Year() > 9999:
		return ""
	case t.Year() != n.Year():
		return units.Day(ms)
	}
	return units.MonthClock(ms)
}

// otherSplits are several splits in one part.
func (g *drawing) otherSplits(list []drawnSplit, shown int) graph.Part {
	name := words.Plural(len(list), "split", "splits")
	if shown > 0 {
		name = fmt.Sprintf("%d others", len(list))
	}
	p := graph.Part{Name: name, Tone: list[0].tone, Text: safe.Short(list[0].ID, 40) + " …"}
	var least flinkapi.Watermark
	for i, s := range list {
		if i == 0 || s.Watermark.Before(least) {
			least = s.Watermark
		}
	}
	if least.IsKnown() {
		p.Text = "from " + shortWatermark(least, g.now) + " on"
	}
	return p
}

func rank(t graph.Tone) int {
	return max(0, slices.Index([]graph.Tone{graph.Bad, graph.Warn, graph.Held, graph.Plain}, t))
}
