package analyze

import (
	"testing"

	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
)

// Neither the lag during an outage nor the silence that caused it counts as usual.
func TestUsualLeavesOutagesOut(t *testing.T) {
	var u Usual
	lag := func(ms int64) []VertexReport { return []VertexReport{{LagMs: &ms}} }
	at := int64(1_000_000)
	read := func(v Verdict, lagMs int64, findings ...catalog.Finding) {
		u.Add(JobReport{Verdict: v, Vertices: lag(lagMs), Findings: findings}, at)
		at += 10_000
	}
	for i := range 30 {
		read(VerdictHealthy, 2000+int64(i))
	}
	began := at
	read(VerdictHealthy, 12_000) // it stands still already, but no finding says so yet
	for i := range 11 {
		since := int64(i+1) * 10_000
		read(VerdictCritical, 600_000, catalog.Finding{Code: "TM102", Severity: catalog.Critical, SinceMs: &since})
	}
	ended := at
	for range 10 {
		read(VerdictInfo, 3000)
	}
	dropping := catalog.Finding{Code: "TM401", Severity: catalog.Warning}
	read(VerdictInfo, 3_600_000, catalog.Finding{Code: "TM304", Severity: catalog.Info}) // a replay
	read(VerdictWarning, 90_000, dropping, dropping)                                     // of two windows, and one reading
	p99, largest, ok := u.Lag()
	if !ok || largest != 3000 || p99 != 3000 || u.LeftOut != 14 || u.Readings != 54 || u.Dropping != 1 || u.DroppingTimes != 1 {
		t.Errorf("lag %d, largest %d, %v; %d of %d left out, %d dropping", p99, largest, ok, u.LeftOut, u.Readings, u.Dropping)
	}
	u.AddSilences("a-0", [][]int64{{1_000_000, 1_010_000, 1_050_000, 1_060_000, began - 5_000, ended + 20_000, ended + 30_000}}, 10_000)
	u.AddSilences("a-1", [][]int64{{1_000_000, 1_010_000, 1_020_000}, {1_900_000, 1_910_000}}, 10_000) // the job did not run in between
	longest, timeout, ok := u.Silent()
	if !ok || longest.Split != "a-0" || longest.Count != 2 || longest.LeftOut != 1 || longest.HalfMs != 40_000 || longest.LongestMs != began-5_000-1_060_000 || timeout != model.IdleTimeoutFor(longest.LongestMs) {
		t.Errorf("silences %+v, timeout %d", longest, timeout)
	}
	var young Usual
	for range leastReadings - 1 {
		young.Add(JobReport{Verdict: VerdictHealthy, Vertices: lag(1)}, at)
	}
	if _, _, ok := young.Lag(); ok {
		t.Error("too few readings are taken for usual")
	}
}
