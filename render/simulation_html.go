package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
)

//go:embed simulation.html.tmpl
var simulationSource string

// The drawing area of a chart, in SVG units.
const (
	chartWidth  = 900
	chartHeight = 180
)

type simulationChart struct {
	Title, Low, High, From, To string
	Lines                      []chartLine
}

type chartLine struct {
	Class, Name string
	Path        string // an SVG path; breaks where there is no watermark
}

func writeSimulationHTML(b *bytes.Buffer, d *SimulationData) error {
	tmpl, err := template.New("simulation").Funcs(template.FuncMap{"name": func(s string) string { return Short(s, 120) }}).Parse(simulationSource)
	if err != nil {
		return err
	}
	page := struct {
		Title   string
		Failed  []string
		Notes   []string
		Charts  []simulationChart
		Grids   []htmlGrid
		W, H, B int
	}{Title: Clean(simulationTitle(d)), W: chartWidth, H: chartHeight, B: chartHeight + 20}
	for _, e := range d.failed() {
		page.Failed = append(page.Failed, Clean(e.Reason()))
	}
	for _, n := range d.Notes {
		page.Notes = append(page.Notes, Clean(n))
	}
	for _, g := range simulationGrids(d) {
		page.Grids = append(page.Grids, htmlGrid{g.title, g.head, g.rows})
	}
	page.Charts = simulationCharts(d)
	return tmpl.Execute(b, page)
}

type htmlGrid struct {
	Title string
	Head  []string
	Rows  [][]string
}

// simulationCharts are one chart that compares the strategies, and one a strategy with its splits
// and subtasks.
func simulationCharts(d *SimulationData) []simulationChart {
	if d.Input.EndMs <= d.Input.StartMs {
		return nil
	}
	var compare []namedPoints
	for i, s := range d.Strategies {
		compare = append(compare, namedPoints{fmt.Sprintf("l%d", i%6), s.Name, s.Global()})
	}
	charts := []simulationChart{chartOf("Event-time lag behind the exchange, by strategy", d, compare)}
	for _, s := range d.Strategies {
		var lines []namedPoints
		for i, series := range s.Timeline {
			if i == splitRows {
				break
			}
			name := "behind the exchange"
			if series.Scope != "global" {
				name = fmt.Sprintf("%s %d", series.Scope, series.Index)
			}
			lines = append(lines, namedPoints{fmt.Sprintf("l%d %s", i%6, series.Scope), name, series.Points})
		}
		charts = append(charts, chartOf("Event-time lag of "+Short(s.Name, 60)+", by split and subtask", d, lines))
	}
	return charts
}

type namedPoints struct {
	class, name string
	points      []Point
}

func chartOf(title string, d *SimulationData, lines []namedPoints) simulationChart {
	c := simulationChart{Title: title, From: at(d.Input.StartMs, d), To: at(d.Input.EndMs, d)}
	const cells = 300
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	all := make([][]lagCell, len(lines))
	for i, l := range lines {
		all[i] = lagsOf(l.points, d.Input.StartMs, d.Input.EndMs, cells)
		for _, cell := range all[i] {
			if cell.known {
				lo, hi = min(lo, cell.lag), max(hi, cell.lag)
			}
		}
	}
	if hi < lo {
		c.Low = "no watermark was emitted"
		return c
	}
	c.Low, c.High = Duration(lo), Duration(hi)
	for i, l := range lines {
		c.Lines = append(c.Lines, chartLine{Class: l.class, Name: Short(l.name, 60), Path: pathOf(all[i], lo, hi)})
	}
	return c
}

func pathOf(cells []lagCell, lo, hi int64) string {
	var p strings.Builder
	draw := false
	for i, c := range cells {
		if !c.known || c.idle {
			draw = false
			continue
		}
		y := float64(chartHeight)
		if hi > lo {
			y = chartHeight * (1 - (float64(c.lag)-float64(lo))/(float64(hi)-float64(lo)))
		}
		op := "L"
		if !draw {
			op = "M"
		}
		fmt.Fprintf(&p, "%s%.1f %.1f", op, float64(i)*chartWidth/float64(len(cells)-1), y)
		draw = true
	}
	return p.String()
}
