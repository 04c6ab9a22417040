package model_test

import (
	"testing"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// The output of an operator is ahead of its input only where it assigns watermarks; a small difference between two
// readings, or the gauge of an idle input, does not count.
func TestAssignerByItsOutput(t *testing.T) {
	build := func(lead0, lead1 int64, inputs ...string) *model.Vertex {
		m := jobtest.New("2.0.1").Source("Orders", 30_000).Source("Refunds", 30_000)
		m.Vertex("Again", "Again<br/>", 1, inputs...)
		m.Passes("Again", 0, "Again", jobtest.At0-30_000, jobtest.At1-30_000, jobtest.At0-30_000+lead0, jobtest.At1-30_000+lead1)
		return m.Window(1, jobtest.At0-30_000+lead0, jobtest.At1-30_000+lead1, "Again").Build().Vertex(m.Ids["Again"])
	}
	for _, c := range []struct {
		lead0, lead1 int64
		inputs       []string
		want         bool
	}{
		{28_000, 28_000, []string{"Source: Orders|REBALANCE"}, true},
		{28_000, 28_000, []string{"Source: Orders"}, true},
		{0, 200, []string{"Source: Orders"}, false},
		{0, 5000, []string{"Source: Orders"}, false},
		{-5000, -5000, []string{"Source: Orders"}, false},
		{28_000, 28_000, []string{"Source: Orders", "Source: Refunds"}, false},
	} {
		if got := build(c.lead0, c.lead1, c.inputs...).Assigns(); got != c.want {
			t.Errorf("ahead by %d and %d ms of inputs %v: an assigner: %v", c.lead0, c.lead1, c.inputs, got)
		}
	}
}

// Two gauges of a task that catches up are read apart by what it gains meanwhile.
func TestAssignerBehindACatchUp(t *testing.T) {
	for _, c := range []struct {
		gained, lead int64
		want         bool
	}{{0, 1300, true}, {60_000, 1300, false}, {60_000, 28_000, true}} {
		m := jobtest.New("2.3.0").Source("Orders", 30_000)
		m.Vertex("Again", "Again<br/>", 1, "Source: Orders|REBALANCE")
		in0, in1 := jobtest.At0-3_000_000, jobtest.At1-3_000_000+c.gained
		m.Passes("Again", 0, "Again", in0, in1, in0+c.lead, in1+c.lead)
		j := m.Window(1, in0+c.lead, in1+c.lead, "Again").Build()
		if got := j.Vertex(m.Ids["Again"]).Assigns(); got != c.want {
			t.Errorf("gained %d ms, ahead by %d ms: an assigner: %v", c.gained, c.lead, got)
		}
	}
}

// No operator waits for a watermark that an assigner replaces.
func TestReplaced(t *testing.T) {
	build := func(first, second string) *model.Job {
		m := jobtest.New("1.19.1").Source("Orders", 2000)
		m.Emits("Orders", 0, jobtest.NoMark, jobtest.NoMark)
		m.Vertex(first, first+"<br/>", 1, "Source: Orders|REBALANCE")
		m.Vertex(second, second+"<br/>", 1, first+"|REBALANCE")
		return m.Window(1, jobtest.At0, jobtest.At1, second).Build()
	}
	for _, c := range []struct {
		first, second string
		want          bool
	}{
		{"Map", "Timestamps/Watermarks", true},
		{"Map", "Filter", false},
		{"CepOperator", "Timestamps/Watermarks", false},
	} {
		if got := build(c.first, c.second).Sources()[0].Replaced(); got != c.want {
			t.Errorf("source before %s and %s: replaced %v", c.first, c.second, got)
		}
	}
}
