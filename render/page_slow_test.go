//go:build slow

package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/render/internal/rendertest"
)

// pages are the reports that a browser opens: real shapes, and the sizes that break layouts.
func pages() map[string]*analyze.Report {
	one := richReport()
	one.Jobs = one.Jobs[:1]
	return map[string]*analyze.Report{
		"one": one, "several": richReport(), "names": hostileReport("<script>document.title='taken'</script>"), "long": hostileReport(strings.Repeat("a long name ", 40)),
		"unbroken": hostileReport(strings.Repeat("x", 300)), "hundred": largeReport(100), "many": manyJobs(31),
	}
}

// largeReport is a job of n vertices: chains behind sources that meet in a join, whose window waits for a
// silent partition.
func largeReport(n int) *analyze.Report {
	r := richReport()
	j := r.Jobs[0]
	source := j.Vertices[3]
	source.Use = "no"
	source.Holder = &analyze.Holder{Point: model.Point{Vertex: &model.Ref{ID: source.ID, Name: source.Name}, Split: "orders-3"}, Code: "TM102"}
	for i := range 60 {
		source.Subtasks[0].Splits = append(source.Subtasks[0].Splits, analyze.SplitReport{ID: fmt.Sprintf("orders-%d", i+4), Watermark: known(int64(2000 + i))})
	}
	j.Vertices, j.Findings = []analyze.VertexReport{source}, j.Findings[:1]
	held := *source.Holder
	add := func(name string, holder *analyze.Holder, use string, from ...string) string {
		v := analyze.VertexReport{ID: name, Name: name, Kind: "operator", Parallelism: 4, Inputs: from, Use: use, Holder: holder, Moving: ptr(holder == nil), Min: flinkapi.NoWatermark()}
		if holder == nil {
			v.Min, v.LagMs = known(3000), ptr(int64(3000))
		}
		j.Vertices = append(j.Vertices, v)
		return name
	}
	var ends []string
	for c := 0; len(j.Vertices) < n-20; c++ {
		at := add(fmt.Sprintf("Source: input-%d", c), nil, "no")
		for k := range 5 {
			at = add(fmt.Sprintf("Step %d of input %d: parse, filter and enrich", k, c), nil, "no", at)
		}
		ends = append(ends, at)
	}
	at := source.ID
	for k := range 5 {
		at = add(fmt.Sprintf("Order step %d", k), &held, "no", at)
	}
	at = add("Join all", &held, "no", append(ends, at)...)
	at = add("Window10s", &held, "yes", at)
	for len(j.Vertices) < n {
		add(fmt.Sprintf("Sink: table-%d", len(j.Vertices)), &held, "no", at)
	}
	r.Jobs = []analyze.JobReport{j}
	return r
}

func manyJobs(n int) *analyze.Report {
	r := richReport()
	for i := len(r.Jobs); i < n; i++ {
		j := r.Jobs[i%4]
		j.Name, j.ID = fmt.Sprintf("%s-%d", j.Name, i), fmt.Sprintf("%032x", i)
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// No part of a page is too wide or hidden, on a phone and on a desktop.
func TestPagesInABrowser(t *testing.T) {
	all := map[string][]byte{}
	for name, r := range pages() {
		all[name] = rendered(t, HTML, r, Options{})
	}
	rendertest.Browse(t, all)
}

// The pages of the other commands have the same layout.
func TestOtherPagesInABrowser(t *testing.T) {
	all := map[string][]byte{}
	add := func(name string, r Result) {
		var b bytes.Buffer
		if err := r.Write(&b, HTML, Options{}); err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	for name, word := range map[string]string{"plain": "orders-by-region", "long": strings.Repeat("a long name ", 30), "unbroken": strings.Repeat("x", 300), "names": "<script>document.title='taken'</script>"} {
		add("recommend-"+name, Recommendation(recommended(t, word)))
		add("simulate-"+name, Simulation(simulationSample(word)))
		add("crosscheck-"+name, Crosscheck(crosscheckSample(word)))
		add("whatif-"+name, WhatIf(whatIfSample(word, name != "long")))
	}
	add("checks", Checks(fixtureChecks()))
	rendertest.Browse(t, all)
}

// Whatever the size, the graph shows each vertex or a box that represents it.
func TestGraphStandsForEveryVertex(t *testing.T) {
	for _, n := range []int{40, 100, 300} {
		r := largeReport(n)
		g := newDrawing(&r.Jobs[0], fixtureNow)
		g.collapse()
		count := 0
		for _, b := range g.boxes {
			count += len(b.vertices)
		}
		if count != n || len(g.boxes) > 20 {
			t.Errorf("%d vertices: %d in %d boxes", n, count, len(g.boxes))
		}
	}
}
