package analyze

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"tidemark/flinkapi"
)

func namesOf(refs []Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Name)
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// relay adds an operator that only passes event time on.
func (m *model) relay(name string, parallelism int, before, now int64, inputs ...string) *model {
	m.vertex(name, name+"<br/>", parallelism, inputs...)
	for i := 0; i < parallelism; i++ {
		m.passes(name, i, flinkapi.FilterName(name), before, now, before, now)
	}
	return m
}

// stuckSplit is a source whose split silent-0 never spoke, three exchanges above a window, beside a
// branch of another source that runs.
func stuckSplit() *model {
	m := newModel("2.3.0").source("Orders", 2000, 2000).source("Clicks", 2000)
	m.emits("Orders", 1, noMark, noMark)
	m.split("Orders", 1, "silent-0", noMark, noMark).offset("Orders", 1, "silent", 0, -1, -1)
	m.split("Orders", 1, "silent-1", at0-2000, at1-2000).offset("Orders", 1, "silent", 1, 100, 200)
	m.split("Orders", 0, "silent-2", at0-2000, at1-2000).offset("Orders", 0, "silent", 2, 100, 200)
	m.relay("Enrich", 3, noMark, noMark, "Source: Orders|REBALANCE")
	m.relay("Clean", 2, noMark, noMark, "Enrich|REBALANCE")
	m.relay("Tag", 2, at0-2500, at1-2500, "Source: Clicks|REBALANCE")
	return m.window(2, noMark, noMark, "Clean", "Tag")
}

// One root, one finding: everything that inherits it is listed, nothing else is.
func TestBlameAcrossExchanges(t *testing.T) {
	j := stuckSplit().judge(t)
	if got := placesOf(j.Findings); len(got) != 1 || got[0] != "idle-split critical @Orders #1 split silent-0" {
		t.Fatalf("findings %v", got)
	}
	if got := namesOf(j.Findings[0].HeldBack); got != "Clean, Enrich, Window" {
		t.Errorf("held back: %s", got)
	}
	for _, v := range j.Vertices {
		want := ""
		switch v.Name {
		case "Enrich", "Clean", "Window":
			want = `"Orders" subtask 1 split silent-0 [TM102]`
		case "Source: Orders":
			want = "[TM102]"
		}
		if v.HeldBy != want {
			t.Errorf("%s is held by %q, want %q", v.Name, v.HeldBy, want)
		}
	}
}

// The holder is walked up the smallest input, subtask by subtask, down to the split.
func TestHolderOf(t *testing.T) {
	job := stuckSplit().build()
	h := job.holderOf(job.Vertices[len(job.Vertices)-1])
	if h.vertex.Name != "Source: Orders" || h.subtask == nil || h.subtask.Index != 1 || h.split == nil || h.split.ID != "silent-0" {
		t.Errorf("holder is %s", h)
	}
	m := newModel("2.3.0").source("Orders", 2000).source("Old", 90_000).window(1, at0-90_000, at1-90_000, "Source: Orders", "Source: Old")
	job = m.build()
	if h = job.holderOf(job.Vertices[len(job.Vertices)-1]); h.vertex.Name != "Source: Old" {
		t.Errorf("holder of a union is %s", h)
	}
}

// A cycle cannot come from Flink, but from a broken file: every walk must end.
func TestWalksEnd(t *testing.T) {
	m := newModel("2.3.0").source("Orders", 2000).relay("A", 1, at0-5000, at1-5000, "Source: Orders")
	m.relay("B", 1, at0-5000, at1-5000, "A")
	for _, s := range m.samples() {
		for i := range s.Plan.Nodes {
			if s.Plan.Nodes[i].ID == m.ids["A"] {
				s.Plan.Nodes[i].Inputs = append(s.Plan.Nodes[i].Inputs, flinkapi.PlanInput{ID: m.ids["B"], ShipStrategy: "HASH"})
			}
		}
	}
	if j := m.judge(t); len(j.Vertices) != 3 {
		t.Errorf("%d vertices", len(j.Vertices))
	}
}

// Parts and the unexplained rest are the lag, for every shape of job.
func TestBudgetAddsUp(t *testing.T) {
	for name, m := range map[string]*model{
		"a bound":       newModel("2.3.0").source("Orders", 600_000).gauge("Source: Orders", 0, opOf("Orders")+".currentEmitEventTimeLag", "400", "500").window(1, at0-601_000, at1-601_000, "Source: Orders"),
		"a queue":       newModel("2.3.0").source("Orders", 2000).window(1, at0-90_000, at1-90_000, "Source: Orders").gauge("Window", 0, "busyTimeMsPerSecond", "1000", "1000"),
		"a hold":        newModel("2.3.0").source("o[1]", 2000).intervalJoin(20_000).window(1, at0-25_000, at1-25_000, "IntervalJoin[3]"),
		"a slow split":  newModel("2.3.0").source("Orders", 122_000).split("Orders", 0, "o-0", at0-122_000, at1-122_000).split("Orders", 0, "o-1", at0-2000, at1-2000).window(1, at0-123_000, at1-123_000, "Source: Orders"),
		"ahead of time": newModel("2.3.0").source("Orders", -3_600_000).window(1, at0+3_600_000, at1+3_600_000, "Source: Orders"),
		"no reason":     newModel("2.3.0").source("Orders", 2000, 2000).window(1, at0-3_000_000, at1-3_000_000, "Source: Orders"),
	} {
		j := m.judge(t) // checkReport adds the parts up
		counted := 0
		for _, v := range j.Vertices {
			for _, p := range v.Budget {
				if p.Part == "" || p.Ms == 0 {
					t.Errorf("%s: empty part %+v", name, p)
				}
				if p.Part != "unexplained" && p.Ms < 0 {
					t.Errorf("%s: negative part %+v", name, p)
				}
			}
			if v.LagMs != nil {
				counted++
			}
		}
		if counted < 2 {
			t.Errorf("%s: only %d vertices have a lag", name, counted)
		}
	}
}

func (m *model) intervalJoin(hold int64) *model {
	text := fmt.Sprintf("[3]:IntervalJoin(joinType=[InnerJoin], windowBounds=[isRowTime=true, leftLowerBound=-1000, leftUpperBound=%d, leftTimeIndex=2, rightTimeIndex=1], where=[(a = a0)], select=[a])<br/>", hold)
	m.vertex("IntervalJoin[3]", text, 1, "Source: o[1]", "Source: o[1]")
	return m.passes("IntervalJoin[3]", 0, "IntervalJoin[3]", at0-3000, at1-3000, at0-3000-hold, at1-3000-hold)
}

// The parts that the budget names are the ones that are there.
func TestBudgetNames(t *testing.T) {
	part := func(j JobReport, vertex, prefix string) int64 {
		for _, v := range j.Vertices {
			for _, p := range v.Budget {
				if v.Name == vertex && strings.HasPrefix(p.Part, prefix) {
					return p.Ms
				}
			}
		}
		return 0
	}
	j := newModel("2.3.0").source("o[1]", 2000).intervalJoin(20_000).window(1, at0-25_000, at1-25_000, "IntervalJoin[3]").judge(t)
	if got := part(j, "Window", `hold of "IntervalJoin[3]"`); got != 20_000 {
		t.Errorf("the hold is %d ms", got)
	}
	if got := part(j, "Window", `queue before "Window"`); got != 2000 {
		t.Errorf("the queue is %d ms", got)
	}
	j = newModel("2.3.0").source("Orders", 122_000).split("Orders", 0, "o-0", at0-122_000, at1-122_000).split("Orders", 0, "o-1", at0-2000, at1-2000).
		gauge("Source: Orders", 0, opOf("Orders")+".currentEmitEventTimeLag", "500", "500").window(1, at0-122_000, at1-122_000, "Source: Orders").judge(t)
	if got := part(j, "Source: Orders", "split o-0 behind its siblings"); got != 120_000 {
		t.Errorf("the split is %d ms behind", got)
	}
	if got := part(j, "Source: Orders", "bound (inferred)"); got != 1500 {
		t.Errorf("the bound is %d ms", got)
	}
	if got := part(j, "Source: Orders", "age of the records read"); got != 500 {
		t.Errorf("the records are %d ms old", got)
	}
}

// A finished subtask has sent end of input, whatever the cache still shows of it.
func TestFinishedSubtaskHoldsNobody(t *testing.T) {
	build := func(status string) JobReport {
		m := newModel("2.3.0").source("Files", 2000, 2000, 2000).emits("Files", 2, at0-300_000, at0-300_000).reads("Files", 2, 500, 500)
		m.gauge("Source: Files", 2, opOf("Files")+".sourceIdleTime", "280000", "300000")
		m.subtaskStatus("Source: Files", 2, status)
		return m.window(1, at0-300_000, at0-300_000, "Source: Files").judge(t)
	}
	if j := build("RUNNING"); !hasCause(j.Findings, "idle-subtask") {
		t.Errorf("a running one is not blamed: %v", placesOf(j.Findings))
	}
	if j := build("FINISHED"); hasCause(j.Findings, "idle-subtask") {
		t.Errorf("a finished one is blamed: %v", placesOf(j.Findings))
	}
}

// One split ahead of the clock: a single record of the past, or a producer whose clock is wrong.
func TestOneSplitAhead(t *testing.T) {
	build := func(ahead0, ahead1 int64, lag string) Finding {
		m := newModel("2.3.0").source("Orders", 2000).split("Orders", 0, "o-0", at0-2000, at1-2000).split("Orders", 0, "o-1", ahead0, ahead1)
		m.gauge("Source: Orders", 0, opOf("Orders")+".currentEmitEventTimeLag", lag, lag)
		f, ok := findingOf(m.window(1, at0-2500, at1-2500, "Source: Orders").judge(t), "future-record")
		if !ok || !f.Latent || f.Split != "o-1" || f.Severity != Warning {
			t.Fatalf("finding %+v", f)
		}
		return f
	}
	if f := build(at0+86_400_000, at0+86_400_000, "500"); !strings.Contains(f.Summary, "while its newest records are not") || f.Confidence != Certain {
		t.Error(f.Summary)
	}
	if f := build(at0+400_000, at1+400_000, "500"); !strings.Contains(f.Summary, "clock or zone of what writes to it") || f.Confidence != Likely {
		t.Error(f.Summary)
	}
}
