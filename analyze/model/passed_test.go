package model_test

import (
	"testing"

	"tidemark/analyze/model"
	"tidemark/internal/jobtest"
)

// chainOf is a source of three subtasks, the second at the watermark old, vertices behind the given partitioners, each
// subtask at the watermark of its input, and a keyed window.
func chainOf(old, window0, window1 int64, ships ...string) *model.Job {
	m := jobtest.New("1.18.1").Source("Orders", 2000, 2000, 2000)
	m.Emits("Orders", 1, old, old).Reads("Orders", 1, 0, 0)
	from := "Source: Orders"
	for i, ship := range ships {
		name := "Map" + string(rune('A'+i))
		m.Vertex(name, name+"<br/>", 3, from+"|"+ship)
		for k := range 3 {
			before, now := jobtest.At0-2500, jobtest.At1-2500
			if k == 1 {
				before, now = old, old
			}
			m.Passes(name, k, name, before, now, before, now)
		}
		m.Gauge(name, 1, "numRecordsIn", "0", "0")
		from = name
	}
	return m.Window(2, window0, window1, from).Build()
}

// An idle status passes through operators that are not chained: the channel keeps its old watermark forever, but no
// operator waits for it once the window has passed it.
func TestIdleInEffect(t *testing.T) {
	for _, old := range []int64{jobtest.NoMark, jobtest.At0 - 600_000} {
		for _, ships := range [][]string{{}, {"FORWARD"}, {"FORWARD", "FORWARD"}, {"RESCALE"}, {"FORWARD", "RESCALE"}} {
			passed := chainOf(old, jobtest.At0-3000, jobtest.At1-3000, ships...)
			src := passed.Sources()[0]
			if s := src.Subtasks[1]; !s.Passed() || passed.Holds(s, s.Out()) {
				t.Errorf("%v: subtask 1 at %d is said to hold a window that has passed it", ships, old)
			}
			if src.Subtasks[0].Passed() {
				t.Errorf("%v: subtask 0, which the window waits for, is said to be passed", ships)
			}
			for _, v := range passed.Vertices {
				if et := v.EventTime(); !v.IsSource() && !model.MovedCertainly(et) {
					t.Errorf("%v: event time of %s is said to stand at %s", ships, v.Name, et.Now)
				}
				if out := v.MinOut(); !model.MovedCertainly(out) {
					t.Errorf("%v: output of %s is said to stand at %s", ships, v.Name, out.Now)
				}
			}

			held := chainOf(old, old, old, ships...)
			if s := held.Sources()[0].Subtasks[1]; s.Passed() || !held.Holds(s, s.Out()) {
				t.Errorf("%v: subtask 1 at %d holds the window, and is said not to", ships, old)
			}
			for _, v := range held.Vertices {
				if !v.IsSource() && model.MovedCertainly(v.EventTime()) {
					t.Errorf("%v: event time of %s is said to move", ships, v.Name)
				}
			}
		}
	}
}

// Of a passed channel and one that is waited for, only the second holds a union.
func TestIdleInEffectBesideAnotherInput(t *testing.T) {
	m := jobtest.New("2.0.0").Source("Orders", 2000, 2000).Source("Refunds", 2000)
	m.Emits("Orders", 1, jobtest.NoMark, jobtest.NoMark).Reads("Orders", 1, 0, 0)
	m.Emits("Refunds", 0, jobtest.At0-60_000, jobtest.At0-60_000).Reads("Refunds", 0, 500, 500)
	m.Window(2, jobtest.At0-60_000, jobtest.At0-60_000, "Source: Orders", "Source: Refunds")
	j := m.Build()
	for _, c := range []struct {
		source, subtask int
		want            bool
	}{{0, 1, false}, {1, 0, true}} {
		s := j.Sources()[c.source].Subtasks[c.subtask]
		if got := j.Holds(s, s.Out()); got != c.want {
			t.Errorf("%s holds: %v, want %v", model.SubtaskLabel(s), got, c.want)
		}
	}
}

// The search ends at a loop of the graph.
func TestIdleInEffectInALoop(t *testing.T) {
	m := jobtest.New("1.17.2").Source("Orders", 2000)
	m.Vertex("Head", "Head<br/>", 1, "Source: Orders")
	m.Vertex("Tail", "Tail<br/>", 1, "Head|FORWARD")
	for _, s := range m.Samples() {
		for i := range s.Plan.Nodes {
			if n := &s.Plan.Nodes[i]; n.ID == m.Ids["Head"] {
				n.Inputs = append(n.Inputs, n.Inputs[0])
				n.Inputs[1].ID = m.Ids["Tail"]
			}
		}
	}
	for _, name := range []string{"Head", "Tail"} {
		m.Passes(name, 0, name, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark, jobtest.NoMark)
	}
	if j := m.Build(); j.Vertex(m.Ids["Tail"]).Subtasks[0].Passed() {
		t.Error("a loop that nothing has passed is said to be passed")
	}
}

// A subtask that advances, minutes behind its sibling, was scraped five seconds before the window, which is ahead of it by
// the event time that passed meanwhile: it holds the window. One that stands still is passed.
func TestScrapedBeforeItsConsumer(t *testing.T) {
	const behind = 120_000
	for name, c := range map[string]struct {
		before, now int64 // of subtask 1
		apart       int64 // between the scrapes, ms
		passed      bool
	}{
		"scraped apart": {jobtest.At0 - behind, jobtest.At1 - behind, 5000, false},
		"one target":    {jobtest.At0 - behind, jobtest.At1 - behind, 0, false},
		"it stands":     {jobtest.At0 - behind, jobtest.At0 - behind, 5000, true},
		"far beyond":    {jobtest.At0 - behind - 600_000, jobtest.At1 - behind - 600_000, 5000, true},
	} {
		window := jobtest.At1 - behind + max(c.apart, 300)
		j := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Emits("Orders", 1, c.before, c.now).Window(1, jobtest.At0-behind, window, "Source: Orders").Build()
		src := j.Sources()[0]
		for _, s := range src.Subtasks {
			s.ScrapedMs = jobtest.At1
		}
		src.Out[0].To.Subtasks[0].ScrapedMs = jobtest.At1 + c.apart
		if got := src.Subtasks[1].Passed(); got != c.passed {
			t.Errorf("%s: passed %v", name, got)
		}
	}
}
