package render

import (
	"fmt"
	"strconv"
	"time"

	"tidemark/flinkapi"
)

// grid is a table of a simulation, the same in every format.
type grid struct {
	title string
	head  []string
	rows  [][]string
}

// simulationGrids are the tables of a simulation.
func simulationGrids(d *SimulationData) []grid {
	grids := []grid{strategyGrid(d)}
	if len(d.Strategies) > 0 && len(d.Strategies[0].Windows) > 0 {
		grids = append(grids, windowGrid(d))
	}
	grids = append(grids, splitGrid(d))
	if g := firingGrid(d); len(g.rows) > 0 {
		grids = append(grids, g)
	}
	if len(d.Expectations) > 0 {
		grids = append(grids, expectationGrid(d))
	}
	return grids
}

func strategyGrid(d *SimulationData) grid {
	g := grid{title: "Strategies", head: []string{"strategy", "delay", "dialect", "emits", "idle", "late", "lag p50", "lag max", "watermark"}}
	for _, s := range d.Strategies {
		g.rows = append(g.rows, []string{s.Name, delayText(s), s.Dialect, emitText(s), idleText(s.IdleMs),
			shareText(s.Late, d.Input.Records), spreadText(s.Lag, s.Lag.P50), spreadText(s.Lag, s.Lag.Max), watermarkText(s.Watermark, d.Input.EndMs)})
	}
	return g
}

func windowGrid(d *SimulationData) grid {
	g := grid{title: "Windows", head: []string{"strategy", "window", "fired", "again", "dropped", "open", "added p50", "added p99", "added max"}}
	for _, s := range d.Strategies {
		for _, w := range s.Windows {
			g.rows = append(g.rows, []string{s.Name, w.Window, count(w.Fired), count(w.Again), shareText(w.Dropped, d.Input.Records), count(int64(w.Open)),
				spreadText(w.Added, w.Added.P50), spreadText(w.Added, w.Added.P99), spreadText(w.Added, w.Added.Max)})
		}
	}
	return g
}

// splitRows bounds the tables of splits and firings in text; JSON has them all.
const splitRows = 24

func splitGrid(d *SimulationData) grid {
	g := grid{title: "Partitions", head: []string{"strategy", "partition", "subtask", "records", "late", "newest event", "watermark", "state"}}
	for _, s := range d.Strategies {
		for i, p := range s.Splits {
			if i == splitRows {
				g.rows = append(g.rows, []string{s.Name, fmt.Sprintf("%d more", len(s.Splits)-i), "", "", "", "", "", ""})
				break
			}
			state := "active"
			if p.Idle {
				state = "idle"
			}
			newest := "no record"
			if p.Newest.IsKnown() {
				newest = watermarkText(p.Newest, d.Input.EndMs)
			}
			g.rows = append(g.rows, []string{s.Name, strconv.Itoa(int(p.Partition)), strconv.Itoa(p.Subtask), count(p.Records), count(p.Late), newest, watermarkText(p.Watermark, d.Input.EndMs), state})
		}
	}
	return g
}

func firingGrid(d *SimulationData) grid {
	g := grid{title: "Firings", head: []string{"strategy", "window", "start", "end", "fired at", "records", "late", ""}}
	for _, s := range d.Strategies {
		for _, w := range s.Windows {
			for i, f := range w.Firings {
				if i == 10 {
					g.rows = append(g.rows, []string{s.Name, w.Window, fmt.Sprintf("%d more", int64(len(w.Firings)-i)+w.More), "", "", "", "", ""})
					break
				}
				again := ""
				if f.Again {
					again = "again"
				}
				g.rows = append(g.rows, []string{s.Name, w.Window, at(f.Start, d), at(f.End, d), at(f.At, d), count(f.Records), count(f.Late), again})
			}
		}
	}
	return g
}

func expectationGrid(d *SimulationData) grid {
	g := grid{title: "Expectations", head: []string{"", "expected", "strategy", "window", "found"}}
	for _, e := range d.Expectations {
		met := "met"
		if !e.Met {
			met = "NOT MET"
		}
		g.rows = append(g.rows, []string{met, e.Text, e.Strategy, e.Window, e.Actual})
	}
	return g
}

func at(ms int64, d *SimulationData) string {
	return watermarkText(flinkapi.KnownWatermark(ms), d.Input.EndMs)
}

func delayText(s SimulatedStrategy) string {
	if s.Kind == "none" {
		return "no watermarks"
	}
	return Duration(s.DelayMs)
}

func emitText(s SimulatedStrategy) string {
	text := "every " + Duration(s.IntervalMs)
	switch {
	case s.Emit == "on-event":
		text = "on event"
	case s.IntervalMs == 0:
		text = "never"
	}
	if s.Place == "downstream" {
		text += ", behind the source"
	}
	return text
}

func idleText(ms int64) string {
	if ms == 0 {
		return "-"
	}
	return Duration(ms)
}

func spreadText(s Spread, ms int64) string {
	if s.N == 0 {
		return "-"
	}
	return Duration(ms)
}

// shareText is a count and its share; a share that rounds to nothing is not written as nothing.
func shareText(n, of int64) string {
	switch {
	case n == 0 || of == 0:
		return count(n)
	case n*100_000 < of:
		return count(n) + " (<0.001 %)"
	}
	return fmt.Sprintf("%s (%.3g %%)", count(n), 100*float64(n)/float64(of))
}

// count writes a number with its thousands apart.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func simulationTitle(d *SimulationData) string {
	s := plural(int(d.Input.Records), "record", "records") + " of " + plural(len(d.Input.Partitions), "partition", "partitions")
	if d.Input.Records > 0 {
		s += " over " + Duration(d.Input.EndMs-d.Input.StartMs) + " from " + time.UnixMilli(d.Input.StartMs).UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return s + ", read from " + d.Input.Source
}

// failed lists the expectations that were not met.
func (d *SimulationData) failed() []Expectation {
	var out []Expectation
	for _, e := range d.Expectations {
		if !e.Met {
			out = append(out, e)
		}
	}
	return out
}
