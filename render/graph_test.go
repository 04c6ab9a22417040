package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/analyze"
	"tidemark/analyze/account"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

func jobOf(edges map[string][]string, ids ...string) *analyze.JobReport {
	j := &analyze.JobReport{}
	for _, id := range ids {
		j.Vertices = append(j.Vertices, analyze.VertexReport{ID: id, Name: id, Inputs: edges[id]})
	}
	return j
}

func TestOrderedPutsInputsFirst(t *testing.T) {
	for _, c := range []struct {
		name  string
		edges map[string][]string
		ids   []string
		want  string
	}{
		{"chain backwards", map[string][]string{"c": {"b"}, "b": {"a"}}, []string{"c", "b", "a"}, "a b c"},
		{"join", map[string][]string{"j": {"l", "r"}}, []string{"j", "l", "r"}, "l r j"},
		{"diamond", map[string][]string{"b": {"a"}, "c": {"a"}, "d": {"c", "b"}}, []string{"d", "c", "b", "a"}, "a c b d"},
		{"two chains", map[string][]string{"c": {"a"}, "d": {"b"}}, []string{"a", "b", "c", "d"}, "a c b d"},
		{"circle", map[string][]string{"a": {"b"}, "b": {"a"}}, []string{"a", "b"}, "a b"},
		{"itself", map[string][]string{"a": {"a"}}, []string{"a"}, "a"},
		{"input unknown", map[string][]string{"a": {"gone"}}, []string{"a"}, "a"},
		{"none", nil, nil, ""},
	} {
		var got []string
		for i, n := range ordered(jobOf(c.edges, c.ids...)) {
			got = append(got, n.ID)
			if n.number != i+1 {
				t.Errorf("%s: %s has number %d, want %d", c.name, n.ID, n.number, i+1)
			}
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestNodesKnowDepthAndInputs(t *testing.T) {
	nodes := ordered(jobOf(map[string][]string{"b": {"a"}, "c": {"a"}, "d": {"c", "b"}}, "d", "c", "b", "a"))
	d := nodes[3]
	if d.depth != 2 || d.fromText() != "2, 3" || d.edge() != "  └ " {
		t.Errorf("depth %d, from %q, edge %q", d.depth, d.fromText(), d.edge())
	}
	if c := nodes[1]; c.fromText() != "" || c.edge() != "└ " {
		t.Errorf("a vertex below its only input says %q, %q", c.fromText(), c.edge())
	}
	if b := nodes[2]; b.fromText() != "1" {
		t.Errorf("a vertex that is not directly below its input says %q", b.fromText())
	}
}

func TestBudgetText(t *testing.T) {
	n := node{VertexReport: analyze.VertexReport{LagMs: ptr(int64(3000)), Budget: []model.LagPart{{Part: "bound", Ms: 2000}, {Part: "none", Ms: 0}, {Part: "unexplained", Kind: model.PartRest, Ms: 1000, Certain: true}}}}
	if got := n.budgetText(); got != "3 s = bound ~2 s + unexplained 1 s" {
		t.Errorf("got %q", got)
	}
	n.Budget = []model.LagPart{{Part: "age", Ms: 5000, Certain: true}, {Part: "unexplained", Kind: model.PartRest, Ms: -2000}}
	if got := n.budgetText(); got != "3 s = age 5 s - counted twice ~2 s" {
		t.Errorf("parts that overlap: %q", got)
	}
	n.Budget = n.Budget[1:]
	if got := n.budgetText(); got != "3 s, unexplained" {
		t.Errorf("nothing known: %q", got)
	}
	n.LagMs = ptr(int64(-3000))
	if got := n.budgetText(); got != "" {
		t.Errorf("ahead of the clock: %q", got)
	}
	n.LagMs = nil
	if got := n.budgetText(); got != "" {
		t.Errorf("a budget without a lag: %q", got)
	}
}

func TestLargeJobsShowWhatMatters(t *testing.T) {
	j := &analyze.JobReport{Name: "large", Verdict: analyze.VerdictCritical}
	for i := range 500 {
		v := analyze.VertexReport{ID: fmt.Sprint(i), Name: fmt.Sprintf("v%d", i), Parallelism: 512, Moving: ptr(true), Min: known(1)}
		if i%100 == 7 {
			v.Moving = ptr(false)
		}
		j.Vertices = append(j.Vertices, v)
	}
	out := string(rendered(t, Table, &analyze.Report{Jobs: []analyze.JobReport{*j}}, Options{}))
	for _, want := range []string{"v7 x512", "v407 x512", "495 more vertices whose watermark advances"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(out, "\n"); n > 20 {
		t.Errorf("%d lines", n)
	}
}

func TestLongNamesAreShortenedInsideSentences(t *testing.T) {
	long := "GroupWindowAggregate(groupBy=[region], window=[TumblingGroupWindow('w$, ts, 10000)], select=[region, SUM(amount) AS EXPR$0])"
	j := analyze.JobReport{Name: "sql", Vertices: []analyze.VertexReport{{ID: "a", Name: long}},
		Findings: []catalog.Finding{{Code: "TM101", Severity: catalog.Critical, Summary: long + " gets no event time", Place: model.Place{Vertex: &model.Ref{ID: "a", Name: long}}}}}
	out := string(rendered(t, Table, &analyze.Report{Jobs: []analyze.JobReport{j}}, Options{}))
	if strings.Contains(out, "TumblingGroupWindow") || !strings.Contains(strings.ReplaceAll(out, "\n ", ""), "gets no event time. [TM101]") {
		t.Errorf("got:\n%s", out)
	}
}

func TestALagIsNotCalledUnexplainedWhereAFindingAccountsForIt(t *testing.T) {
	lag := int64(118_000)
	for _, c := range []struct {
		claim account.Claim
		want  string
	}{
		{account.Claim{Claim: catalog.Lag, Good: true}, "lag 1 min 58 s: cause not found"},
		{account.Claim{Claim: catalog.Movement}, "lag 1 min 58 s: cause not found"},
		{account.Claim{Claim: catalog.Movement, By: "TM110"}, ""},
		{account.Claim{Claim: catalog.Lag, By: "TM503"}, ""},
		{account.Claim{Claim: catalog.Loss, By: "TM401"}, "lag 1 min 58 s: cause not found"},
	} {
		var n node
		n.LagMs, n.Budget, n.Account = &lag, []model.LagPart{{Kind: model.PartRest, Ms: lag}}, []account.Claim{c.claim}
		if got := n.mostly(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.claim, got, c.want)
		}
	}
}
