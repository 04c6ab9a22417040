package account_test

import (
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/internal/jobtest"
)

// claims are the claims of one kind in a report, by the name of their vertex.
func claims(r analyze.JobReport, kind catalog.Claim) map[string]account.Claim {
	out := map[string]account.Claim{}
	for _, v := range r.Vertices {
		for _, c := range v.Account {
			if c.Claim == kind {
				out[v.Name] = c
			}
		}
	}
	return out
}

func cause(r analyze.JobReport, name string) (catalog.Finding, bool) {
	for _, f := range r.Findings {
		if f.Cause == name {
			return f, true
		}
	}
	return catalog.Finding{}, false
}

// A job that advances everywhere has good claims only, and an all-clear.
func TestEveryGoodClaimIsAnAllClear(t *testing.T) {
	r := analyze.Judge(jobtest.New("2.3.0").Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders").Build())
	if r.Verdict != analyze.VerdictHealthy || r.Incomplete {
		t.Errorf("verdict %s, incomplete %v: %v", r.Verdict, r.Incomplete, r.NotChecked)
	}
	for name, c := range claims(r, catalog.Movement) {
		if !c.Good || c.State != catalog.Advancing || c.By != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A standstill that no check explains is critical, with the place that the walk ends at.
func TestAStandstillWithoutACauseIsCritical(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000)
	m.Relay("Enrich", 1, jobtest.At0-90_000, jobtest.At0-90_000, "Source: Orders")
	r := analyze.Judge(m.Window(1, jobtest.At0-90_000, jobtest.At0-90_000, "Enrich").Build())
	f, ok := cause(r, "unexplained")
	if !ok || f.Severity != catalog.Critical || r.Verdict != analyze.VerdictCritical {
		t.Fatalf("verdict %s: %+v", r.Verdict, r.Findings)
	}
	if c := claims(r, catalog.Movement)["Window"]; c.Good || c.State != catalog.Standing || c.Holder == nil {
		t.Errorf("Window: %+v", c)
	}
}

// What inherits a standstill points to the finding about its holder, and makes no finding of its own.
func TestOneHolderOneFinding(t *testing.T) {
	r := analyze.Judge(jobtest.StuckSplit().Build())
	if _, ok := cause(r, "unexplained"); ok || len(r.Findings) != 1 || r.Findings[0].Code != "TM102" {
		t.Fatalf("findings %+v", r.Findings)
	}
	for _, v := range r.Vertices {
		for _, c := range v.Account {
			if c.Claim == catalog.Movement && !c.Good && c.By != "TM102" {
				t.Errorf("%s: %+v", v.Name, c)
			}
		}
		if v.Holder != nil && v.Holder.Vertex.ID == v.ID && !strings.HasPrefix(v.Name, "Source: ") {
			t.Errorf("%s is held by itself", v.Name)
		}
	}
}

// A run that is too young is not cleared and not blamed.
func TestAYoungStandstillIsIncomplete(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Uptime(50_000)
	m.Relay("Enrich", 1, jobtest.At0-40_000, jobtest.At0-40_000, "Source: Orders")
	r := analyze.Judge(m.Window(1, jobtest.At0-40_000, jobtest.At0-40_000, "Enrich").Build())
	if !r.Incomplete || r.Verdict != analyze.VerdictIncomplete {
		t.Errorf("verdict %s, incomplete %v: %v", r.Verdict, r.Incomplete, r.Findings)
	}
}

// Without the plan nobody knows what feeds what.
func TestWithoutAPlanNothingIsCleared(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000, 2000).Window(1, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
	for _, s := range m.Samples() {
		s.Plan.Nodes = nil
	}
	if r := analyze.Judge(m.Build()); !r.Incomplete {
		t.Errorf("verdict %s: %v", r.Verdict, r.NotChecked)
	}
}

// A lag above the limit that no finding explains is a warning, one that a declared rule explains is none.
func TestALagWithoutACauseIsAWarning(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000)
	m.Relay("Enrich", 1, jobtest.At0-300_000, jobtest.At1-300_000, "Source: Orders")
	r := analyze.Judge(m.Window(1, jobtest.At0-300_000, jobtest.At1-300_000, "Enrich").Build())
	f, ok := cause(r, "unexplained")
	if !ok || f.Severity != catalog.Warning || r.Verdict != analyze.VerdictWarning {
		t.Fatalf("verdict %s: %+v", r.Verdict, r.Findings)
	}
	if c := claims(r, catalog.Lag)["Enrich"]; c.Good || c.State != catalog.Owed {
		t.Errorf("Enrich: %+v", c)
	}
}

// without takes a gauge out of the later sample, or of both.
func without(m *jobtest.Job, vertex, id string, both bool) *jobtest.Job {
	for i, s := range m.Samples() {
		if i == 1 || both {
			delete(s.Vertices[m.Ids[vertex]].Metrics, id)
		}
	}
	return m
}

// A late counter that was there before, or that its siblings show, is not zero where it is missing.
func TestALostLateCounterIsNoZero(t *testing.T) {
	build := func() *jobtest.Job {
		m := jobtest.New("1.18.1").Source("Orders", 2000, 2000).Window(2, jobtest.At0-2500, jobtest.At1-2500, "Source: Orders")
		for i := range 2 {
			m.Gauge("Window", i, "Window.numLateRecordsDropped", "5", "5").Gauge("Window", i, "Window.numRecordsIn", "1000", "2000")
		}
		return m
	}
	first := "0.Window.numLateRecordsDropped"
	for name, c := range map[string]struct {
		job        *jobtest.Job
		incomplete bool
	}{
		"all there":       {build(), false},
		"lost later":      {without(build(), "Window", first, false), true},
		"never shown":     {without(build(), "Window", first, true), true},
		"it has ended":    {without(build(), "Window", first, true).SubtaskStatus("Window", 0, "FINISHED"), false},
		"read as a whole": {without(build(), "Window", first, true).Aggregate("Window", "Window.numLateRecordsDropped", 10, 10), false},
	} {
		if r := analyze.Judge(c.job.Build()); r.Incomplete != c.incomplete {
			t.Errorf("%s: incomplete %v, want %v: %v", name, r.Incomplete, c.incomplete, r.NotChecked)
		}
	}
	r := analyze.Judge(without(build(), "Window", first, true).Aggregate("Window", "Window.numLateRecordsDropped", 10, 200).Build())
	if _, ok := cause(r, "late-records"); !ok {
		t.Errorf("drops of subtasks that were not read one by one are not seen: %v", r.Findings)
	}
}

// Where nothing before a vertex shows a watermark, who holds it is not known: no fault is proven.
func TestAStandstillBehindNoWatermarkIsIncomplete(t *testing.T) {
	m := jobtest.New("2.3.0").Source("Orders", 2000).Relay("Normalize", 1, jobtest.NoMark, jobtest.NoMark, "Source: Orders|FORWARD")
	m.Window(1, jobtest.At0-2500, jobtest.At1-2500, "Normalize")
	without(m, "Source: Orders", "0."+jobtest.OpOf("Orders")+".currentOutputWatermark", true)
	without(m, "Normalize", "0.Normalize.currentOutputWatermark", true)
	if r := analyze.Judge(m.Build()); r.Verdict != analyze.VerdictIncomplete {
		t.Errorf("verdict %s: %v", r.Verdict, r.Findings)
	}
}
