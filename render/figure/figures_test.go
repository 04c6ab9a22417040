package figure

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/advise"
	"tidemark/render/internal/invented"
)

// box is what a text takes, by the width of the page's font.
func box(s Shape) (x1, y1, x2, y2 float64) {
	each := 6.3
	switch {
	case strings.Contains(s.Class, "tiny"):
		each = 5
	case strings.Contains(s.Class, "on"):
		each = 5.6
	}
	wide := each * float64(len([]rune(s.Text)))
	x1 = s.X
	switch s.Anchor {
	case "middle":
		x1 -= wide / 2
	case "end":
		x1 -= wide
	}
	return x1, s.Y - 9, x1 + wide, s.Y + 2
}

func TestNoTextIsCutOffOrCoversAnother(t *testing.T) {
	for _, topic := range cases.Some(invented.Topics(), 6) {
		for _, f := range figuresOf(topic.Recommendation(t)) {
			for _, c := range f.Drawings {
				checkTexts(t, topic.Name, c)
			}
		}
	}
}

func checkTexts(t *testing.T, name string, c *Canvas) {
	t.Helper()
	var texts []Shape
	for _, s := range c.Shapes {
		for _, v := range []float64{s.X, s.Y, s.W, s.H} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s %s: %+v is no place", name, c.ID, s)
			}
		}
		if s.Kind == "text" {
			texts = append(texts, s)
		}
	}
	for i, a := range texts {
		ax1, ay1, ax2, ay2 := box(a)
		if ax1 < -1 || ax2 > c.W+1 || ay1 < -1 || ay2 > c.H+1 {
			t.Errorf("%s %s: %q is cut off at %.0f..%.0f, %.0f..%.0f of %.0f x %.0f", name, c.ID, a.Text, ax1, ax2, ay1, ay2, c.W, c.H)
		}
		for _, b := range texts[i+1:] {
			bx1, by1, bx2, by2 := box(b)
			if math.Min(ax2, bx2)-math.Max(ax1, bx1) > 1 && math.Min(ay2, by2)-math.Max(ay1, by1) > 1 {
				t.Errorf("%s %s: %q covers %q", name, c.ID, a.Text, b.Text)
			}
		}
	}
}

func TestEveryFigureIsDrawnOrSaysWhyNot(t *testing.T) {
	for _, topic := range invented.Topics() {
		r := topic.Recommendation(t)
		for _, f := range figuresOf(r) {
			drawn := len(f.Drawings) == 2 && len(f.Drawings[0].Shapes) > 3 && len(f.Rows) > 0
			if drawn == (f.Missing != "") {
				t.Errorf("%s %s: drawn %v, missing %q", topic.Name, f.ID, drawn, f.Missing)
			}
			if f.Missing != "" != (topic.CreateTime && (f.ID == "joint" || f.ID == "latency")) {
				t.Errorf("%s %s: missing %q", topic.Name, f.ID, f.Missing)
			}
		}
	}
}

// An hour without a record is hatched and labelled "no data"; it has no place on the axis.
func TestEmptyHoursAreNotZero(t *testing.T) {
	r := invented.Topics()[0].Recommendation(t)
	seen := map[int]bool{}
	for _, h := range r.Hours {
		seen[h.Hour] = true
	}
	if len(r.Hours) != 22 || seen[4] || seen[5] {
		t.Fatalf("%d hours of the day", len(r.Hours))
	}
	f := hoursFigure(r)
	for i, row := range f.Rows {
		if (row[1].Text == "no data") == seen[i] {
			t.Errorf("hour %d is labelled %q", i, row[1].Text)
		}
	}
	for _, c := range append(f.Drawings, weekFigure(r).Drawings...) {
		empty, points := 0, 0
		for _, s := range c.Shapes {
			switch {
			case s.Class == "nodata":
				empty++
			case strings.HasPrefix(s.Class, "need") || strings.HasPrefix(s.Class, "cell") && s.Value != "":
				points++
			}
		}
		if empty != 24-len(r.Hours) && empty != 168-len(r.Week) || points != len(r.Hours) && points != len(r.Week) {
			t.Errorf("%s: %d hatched, %d drawn", c.ID, empty, points)
		}
	}
	if !strings.Contains(f.Title, "UTC") || !strings.Contains(weekFigure(r).Title, "UTC") {
		t.Error("the zone is not named")
	}
	if text := r.Review.NotSeen; !strings.Contains(text, "04:00 to 06:00") {
		t.Errorf("not seen: %s", text)
	}
}

func TestAnOutlierIsNamedAndDrawnApart(t *testing.T) {
	f := partitionsFigure(invented.Topics()[2].Recommendation(t))
	if !strings.Contains(f.Note, "Outliers: partition 17 (") || !strings.Contains(f.Note, "24 of 32 partitions") {
		t.Errorf("note: %s", f.Note)
	}
	for _, c := range f.Drawings {
		hot, curves := 0, 0
		for _, s := range c.Shapes {
			switch s.Class {
			case "cell over":
				hot++
			case "l", "l bad":
				curves++
			}
		}
		if hot != 1 || curves != mostMultiples {
			t.Errorf("%s: %d outliers, %d curves", c.ID, hot, curves)
		}
	}
}

func TestSparklineAndStrip(t *testing.T) {
	r := advise.Recommendation{Hours: []advise.Hour{{Hour: 0, Records: 5, P999: 100}, {Hour: 2, Records: 5, P999: 800}, {Hour: 23, Records: 5, P999: 0}},
		Partitions: []advise.Partition{{ID: 0, Records: 1, NeedMs: 100}, {ID: 1}, {ID: 2, Records: 9, NeedMs: 1600}}, Advice: advise.Advice{DataStreamMs: 400}}
	if got, want := oneLine(hourSpark(r)), "▂·█····················▁  p99.9 of disorder: 0 ms to 800 ms, most at 02:00 UTC (· no data)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := oneLine(partitionStrip(r)), "▁·█  partitions 0 to 2, most: 2 needs 1.6 s, 4× the topic's"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.Hours = append(r.Hours, advise.Hour{Hour: 5, Records: 1, P999: 9000, Thin: true})
	if got, want := oneLine(hourSpark(r)), "▂·█··?·················▁  p99.9 of disorder: 0 ms to 800 ms, most at 02:00 UTC (· no data, ? too few records)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := oneLine(hourSpark(advise.Recommendation{Hours: r.Hours[3:]})); got != "·····?··················  (· no data, ? too few records)" {
		t.Error(got)
	}
	if oneLine(hourSpark(advise.Recommendation{})) != "" || oneLine(partitionStrip(advise.Recommendation{})) != "" || TransportRule(advise.Recommendation{}) != "" {
		t.Error("nothing was measured and something is drawn")
	}
	many := advise.Recommendation{}
	for i := range int32(200) {
		many.Partitions = append(many.Partitions, advise.Partition{ID: i, Records: 1, NeedMs: 1})
	}
	if got := oneLine(partitionStrip(many)); !strings.Contains(got, "5 partitions per character") || len([]rune(got)) > 120 {
		t.Error(got)
	}
}

func oneLine(lines []string) string { return strings.Join(lines, "  ") }

func TestAxis(t *testing.T) {
	a := axis{lo: 10, hi: 1000, zero: 0, start: 20, end: 120}
	for v, want := range map[float64]float64{0: 0, 5: 20, 10: 20, 100: 70, 1000: 120, 9999: 120, -3: 0} {
		if got := a.at(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
	var labels []string
	for _, s := range (axis{lo: 1, hi: 1e-5, zero: 99, start: 0, end: 90}).shareTicks() {
		labels = append(labels, s.label)
	}
	if got := fmt.Sprint(labels); got != "[0 100 % 10 % 1 % 0.1 % 0.01 % 0.001 %]" {
		t.Error(got)
	}
	for share, want := range map[float64]float64{0.0841: 0.1, 0.1: 0.1, 0.011: 0.02, 0.45: 0.5, 0.021: 0.04} {
		if got := niceTop(share); math.Abs(got-want) > 1e-12 {
			t.Errorf("top for %g is %g, want %g", share, got, want)
		}
	}
}
