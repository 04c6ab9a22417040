package policy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

func TestAcknowledgeMovesWhatASuppressionMeans(t *testing.T) {
	p, err := Parse("p.yaml", []byte(`version: 1
suppress:
- {check: idle-split, job: "ord*", split: orders-3, reason: opens in January, until: 2026-12-31}
- {check: TM401, vertex: Window, reason: agreed, until: 2026-11-01}
- {check: TM401, vertex: Window, reason: agreed once more, until: 2026-12-01}
- {check: TM105, reason: old, until: 2026-11-29}
`))
	if err != nil {
		t.Fatal(err)
	}
	at := func(code, vertex, split string) catalog.Finding {
		f := catalog.NewFinding(code, nil)
		f.Vertex, f.Split = &model.Ref{ID: vertex, Name: vertex}, split
		return f
	}
	all := []catalog.Finding{at("TM102", "Source: Orders", "orders-3"), at("TM102", "Source: Orders", "orders-2"), at("TM401", "Window", ""), at("TM401", "Join", ""), at("TM105", "A", ""), at("TM105", "B", "")}
	day := time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	mark := Acknowledge([]*Policy{p}, func() int64 { return day.UnixMilli() })
	judged := func(name string) (open, accepted []string, last string) {
		j := analyze.JobReport{Name: name, Findings: slices.Clone(all)}
		mark(&j)
		for _, f := range j.Findings {
			open, last = append(open, f.Code+" "+f.Split), f.Summary
		}
		for _, a := range j.Acknowledged {
			accepted = append(accepted, a.Code+" "+a.Split+a.Until+" "+a.Reason)
		}
		return open, accepted, last
	}
	open, accepted, last := judged("orders")
	// What has expired counts, and is said once although two findings would have been accepted.
	if want := "TM102 orders-2,TM401 ,TM105 ,TM105 ,TM873 "; strings.Join(open, ",") != want {
		t.Errorf("open: %q, want %q", open, want)
	}
	if want := "TM102 orders-32026-12-31 opens in January,TM401 2026-12-01 agreed once more"; strings.Join(accepted, ",") != want {
		t.Errorf("accepted: %q, want %q", accepted, want)
	}
	if want := "p.yaml:6:3: the suppression of quiet-input expired on 2026-11-29: old"; last != want {
		t.Errorf("%q, want %q", last, want)
	}
	if _, accepted, _ := judged("payments"); len(accepted) != 1 {
		t.Errorf("of another job: %q", accepted)
	}
	day = day.Add(time.Minute) // the last day of the first is still to come, that of the third as well
	if _, accepted, _ := judged("orders"); len(accepted) != 2 {
		t.Errorf("a day later: %q", accepted)
	}
	day = day.AddDate(0, 0, 1)
	if _, accepted, _ := judged("orders"); len(accepted) != 1 {
		t.Errorf("after 2026-12-01: %q", accepted)
	}
}
