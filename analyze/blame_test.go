package analyze

import (
	"sort"
	"strings"
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/internal/jobtest"
)

func namesOf(refs []model.Ref) string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Name)
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// One cause gives one finding, which lists exactly the vertices that it holds back.
func TestBlameAcrossExchanges(t *testing.T) {
	j := judge(jobtest.StuckSplit(), t)
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

// The holder is found by following the smallest input upstream, to the subtask and the split.
func TestHolderOf(t *testing.T) {
	job := jobtest.StuckSplit().Build()
	h := job.HolderOf(job.Vertices[len(job.Vertices)-1])
	if h.Vertex.Name != "Source: Orders" || h.Subtask == nil || h.Subtask.Index != 1 || h.Split == nil || h.Split.ID != "silent-0" {
		t.Errorf("holder is %s", h)
	}
	m := jobtest.New("2.3.0").Source("Orders", 2000).Source("Old", 90_000).Window(1, jobtest.At0-90_000, jobtest.At1-90_000, "Source: Orders", "Source: Old")
	job = m.Build()
	if h = job.HolderOf(job.Vertices[len(job.Vertices)-1]); h.Vertex.Name != "Source: Old" {
		t.Errorf("holder of a union is %s", h)
	}
}

// Flink has no cycles, but a broken file may: every walk must end.
func TestWalksEnd(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Relay("A", 1, jobtest.At0-5000, jobtest.At1-5000, "Source: Orders")
	m.Relay("B", 1, jobtest.At0-5000, jobtest.At1-5000, "A")
	for _, s := range m.Samples() {
		for i := range s.Plan.Nodes {
			if s.Plan.Nodes[i].ID == m.Ids["A"] {
				s.Plan.Nodes[i].Inputs = append(s.Plan.Nodes[i].Inputs, flinkapi.PlanInput{ID: m.Ids["B"], ShipStrategy: "HASH"})
			}
		}
	}
	if j := judge(m, t); len(j.Vertices) != 3 {
		t.Errorf("%d vertices", len(j.Vertices))
	}
}

// The parts of a lag add up to it, for every shape of job.
func TestBudgetAddsUp(t *testing.T) {
	for name, m := range map[string]*jobtest.Job{
		"a bound":       jobtest.New("2.3.0").Source("Orders", 600_000).Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "400", "500").Window(1, jobtest.At0-601_000, jobtest.At1-601_000, "Source: Orders"),
		"a queue":       jobtest.New("2.3.0").Source("Orders", 2000).Window(1, jobtest.At0-90_000, jobtest.At1-90_000, "Source: Orders").Gauge("Window", 0, "busyTimeMsPerSecond", "1000", "1000"),
		"a hold":        jobtest.New("2.3.0").Source("o[1]", 2000).IntervalJoin(20_000).Window(1, jobtest.At0-25_000, jobtest.At1-25_000, "IntervalJoin[3]"),
		"a slow split":  jobtest.New("2.3.0").Source("Orders", 122_000).Split("Orders", 0, "o-0", jobtest.At0-122_000, jobtest.At1-122_000).Split("Orders", 0, "o-1", jobtest.At0-2000, jobtest.At1-2000).Window(1, jobtest.At0-123_000, jobtest.At1-123_000, "Source: Orders"),
		"ahead of time": jobtest.New("2.3.0").Source("Orders", -3_600_000).Window(1, jobtest.At0+3_600_000, jobtest.At1+3_600_000, "Source: Orders"),
		"no reason":     jobtest.New("2.3.0").Source("Orders", 2000, 2000).Window(1, jobtest.At0-3_000_000, jobtest.At1-3_000_000, "Source: Orders"),
	} {
		j := judge(m, t) // checkReport adds the parts up
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

// The budget names the parts that were built into the job.
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
	j := judge(jobtest.New("2.3.0").Source("o[1]", 2000).IntervalJoin(20_000).Window(1, jobtest.At0-25_000, jobtest.At1-25_000, "IntervalJoin[3]"), t)
	if got := part(j, "Window", `hold of "IntervalJoin[3]"`); got != 20_000 {
		t.Errorf("the hold is %d ms", got)
	}
	if got := part(j, "Window", `queue before "Window"`); got != 2000 {
		t.Errorf("the queue is %d ms", got)
	}
	j = judge(jobtest.New("2.3.0").Source("Orders", 122_000).Split("Orders", 0, "o-0", jobtest.At0-122_000, jobtest.At1-122_000).Split("Orders", 0, "o-1", jobtest.At0-2000, jobtest.At1-2000).
		Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", "500", "500").Window(1, jobtest.At0-122_000, jobtest.At1-122_000, "Source: Orders"), t)
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

// A finished subtask has sent end of input, whatever the metric cache still shows.
func TestFinishedSubtaskHoldsNobody(t *testing.T) {
	build := func(status string) JobReport {
		m := jobtest.New("2.3.0").Source("Files", 2000, 2000, 2000).Emits("Files", 2, jobtest.At0-300_000, jobtest.At0-300_000).Reads("Files", 2, 500, 500)
		m.Gauge("Source: Files", 2, jobtest.OpOf("Files")+".sourceIdleTime", "280000", "300000")
		m.SubtaskStatus("Source: Files", 2, status)
		return judge(m.Window(1, jobtest.At0-300_000, jobtest.At0-300_000, "Source: Files"), t)
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
	build := func(ahead0, ahead1 int64, lag string) catalog.Finding {
		m := jobtest.New("2.3.0").Source("Orders", 2000).Split("Orders", 0, "o-0", jobtest.At0-2000, jobtest.At1-2000).Split("Orders", 0, "o-1", ahead0, ahead1)
		m.Gauge("Source: Orders", 0, jobtest.OpOf("Orders")+".currentEmitEventTimeLag", lag, lag)
		f, ok := findingOf(judge(m.Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders"), t), "future-record")
		if !ok || !f.Latent || f.Split != "o-1" || f.Severity != catalog.Warning {
			t.Fatalf("finding %+v", f)
		}
		return f
	}
	if f := build(jobtest.At0+86_400_000, jobtest.At0+86_400_000, "500"); !strings.Contains(f.Summary, "while its newest records are not") || f.Confidence != catalog.Certain {
		t.Error(f.Summary)
	}
	if f := build(jobtest.At0+400_000, jobtest.At1+400_000, "500"); !strings.Contains(f.Summary, "clock or zone of what writes to it") || f.Confidence != catalog.Likely {
		t.Error(f.Summary)
	}
}

// A holder is upstream of the vertex; a finding on another branch does not count. Of several, a finding at the vertex
// itself comes first, then one between it and the source, then the source.
func TestWhoIsWaitedForIsOnTheWay(t *testing.T) {
	for file, want := range map[string]string{
		"checks/alignment-stall/fires.aligned-stall-1.18.1": `"Payments" subtask 0 split one-shot-1 [TM501]`,
		"faults/hot-key":              `"Enrich" subtask 0 [TM303]`,
		"faults/backpressure-full":    "[TM303]",
		"faults/max-without-finished": "[TM108]",
	} {
		vertices := Triage(captureFile(t, "../testdata/"+file+".jsonl.gz"), Options{}).Jobs[0].Vertices
		if got := vertices[len(vertices)-1].HeldBy; got != want {
			t.Errorf("%s: waits for %s, want %s", file, got, want)
		}
	}
}
