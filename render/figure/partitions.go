package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

const (
	mostMultiples = 24  // partitions with their own curve
	mostStrip     = 400 // partitions with a cell
)

// partitionsFigure compares every partition with the topic: the share of all records would hide one partition that
// causes most of the late ones.
func partitionsFigure(r advise.Recommendation) figure {
	f := figure{ID: "partitions", Title: "Each partition", Desc: "A strip of the delay that each partition needs for the target, and its late share against delay, compared with the topic's.",
		Head: []string{"partition", "needs", "of the topic's", "records", "p99.9 of disorder", "largest gap", ""}}
	if len(r.Partitions) == 0 {
		f.Missing = "No partition was read."
		return f
	}
	var outliers, silent []string
	for _, p := range r.Partitions {
		remark := ""
		switch {
		case p.Outlier:
			remark = "outlier: more than three times the median partition"
			outliers = append(outliers, fmt.Sprintf("%d (%s)", p.ID, units.Exact(p.NeedMs)))
		case p.Records == 0:
			remark = "no record"
			silent = append(silent, fmt.Sprint(p.ID))
		}
		need := units.Exact(p.NeedMs)
		if p.Records == 0 {
			need = "no data"
		}
		f.Rows = append(f.Rows, []cell{{fmt.Sprint(p.ID), fmt.Sprint(p.ID)}, {need, fmt.Sprint(p.NeedMs)}, {ratioText(p, r), ""}, {units.Count(p.Records), fmt.Sprint(p.Records)},
			{units.Duration(p.Disorder.P999), fmt.Sprint(p.Disorder.P999)}, {units.Duration(p.GapMax), fmt.Sprint(p.GapMax)}, {remark, ""}})
	}
	f.Note = "Each cell is a partition, stronger where it needs more."
	if len(outliers) > 0 {
		f.Note += " Outliers: partition " + listed(outliers, 8) + "."
	} else if len(r.Partitions) >= 3 {
		f.Note += " No partition needs more than three times what the median partition needs."
	}
	if len(silent) > 0 {
		f.Note += " Without a record: partition " + listed(silent, 8) + "."
	}
	shown := multiples(r)
	if len(shown) < len(r.Partitions) && len(shown) > 0 {
		f.Note += fmt.Sprintf(" Curves: the %d of %d partitions that need most.", len(shown), len(r.Partitions))
	}
	f.Legend = []key{{"l", "partition, late against delay"}, {"pool", "whole topic"}, {"goal", "target"}}
	if len(outliers) > 0 {
		f.Legend = append(f.Legend, key{"over", "outlier"})
	}
	if len(silent) > 0 {
		f.Legend = append(f.Legend, key{"nodata", "no data"})
	}
	f.Text = func(int) []string { return partitionStrip(r) }
	strip := min(len(r.Partitions), mostStrip)
	f.draw(partitionsHeight(strip, len(shown), false), partitionsHeight(strip, len(shown), true), func(c *Canvas) { drawPartitions(c, r, shown) })
	return f
}

func listed(all []string, most int) string {
	out := ""
	for i, s := range all {
		switch {
		case i == most:
			return out + fmt.Sprintf(" and %d more", len(all)-most)
		case i > 0:
			out += ", "
		}
		out += s
	}
	return out
}

func ratioText(p advise.Partition, r advise.Recommendation) string {
	if p.Records == 0 || r.Advice.DataStreamMs <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2g×", float64(p.NeedMs)/float64(r.Advice.DataStreamMs))
}

// multiples are the partitions that get a curve: all, or those that need most, in order of number.
func multiples(r advise.Recommendation) []advise.Partition {
	var all []advise.Partition
	for _, p := range r.Partitions {
		if p.Records > 0 {
			all = append(all, p)
		}
	}
	if len(r.Partitions) < 2 {
		return nil // its curve is the curve of the topic
	}
	if len(all) > mostMultiples {
		slices.SortStableFunc(all, func(a, b advise.Partition) int { return cmp.Compare(b.NeedMs, a.NeedMs) })
		all = all[:mostMultiples]
		slices.SortFunc(all, func(a, b advise.Partition) int { return cmp.Compare(a.ID, b.ID) })
	}
	return all
}

func stripColumns(narrow bool) int {
	if narrow {
		return 12
	}
	return 24
}

func multipleColumns(narrow bool) int {
	if narrow {
		return 2
	}
	return 4
}

func partitionsHeight(strip, shown int, narrow bool) float64 {
	rows := (strip + stripColumns(narrow) - 1) / stripColumns(narrow)
	grid := (shown + multipleColumns(narrow) - 1) / multipleColumns(narrow)
	return 12 + 26*float64(rows) + 10 + multipleHigh*float64(grid)
}

const multipleHigh = 112.0

func drawPartitions(c *Canvas, r advise.Recommendation, shown []advise.Partition) {
	lo, hi := int64(math.MaxInt64), int64(0)
	for _, p := range r.Partitions {
		if p.Records > 0 {
			lo, hi = min(lo, p.NeedMs), max(hi, p.NeedMs)
		}
	}
	columns := stripColumns(c.Narrow)
	wide := (c.W - 8) / float64(columns)
	for i, p := range r.Partitions[:min(len(r.Partitions), mostStrip)] {
		x, y := 4+wide*float64(i%columns), 8+26*float64(i/columns)
		class, name := "cell", fmt.Sprintf("partition %d: ", p.ID)
		switch {
		case p.Records == 0:
			c.Rect("nodata", x, y, wide-2, 22).Named(name + "no data")
			c.Text("tick", "middle", x+wide/2-1, y+15, fmt.Sprint(p.ID))
			continue
		case p.Outlier:
			class = "cell over"
		}
		s := c.Rect(class, x, y, wide-2, 22).Of(p.ID, p.NeedMs)
		s.Opacity = depth(p.NeedMs, lo, hi)
		s.Title = name + units.Exact(p.NeedMs) + " for the target, " + units.Count(p.Records) + " records"
		c.Text("tick on", "middle", x+wide/2-1, y+15, fmt.Sprint(p.ID))
	}
	rows := (min(len(r.Partitions), mostStrip) + columns - 1) / columns
	top := 12 + 26*float64(rows) + 6
	across := multipleColumns(c.Narrow)
	each := (c.W - 8) / float64(across)
	for i, p := range shown {
		drawMultiple(c, r, p, 4+each*float64(i%across), top+multipleHigh*float64(i/across), each-12, multipleHigh-14)
	}
}
