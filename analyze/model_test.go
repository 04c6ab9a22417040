package analyze

import (
	"testing"

	"tidemark/internal/jobtest"
)

func judge(m *jobtest.Job, t testing.TB) JobReport {
	t.Helper()
	j := Judge(m.Build())
	if tt, ok := t.(*testing.T); ok {
		checkReport(tt, j)
	}
	return j
}

// The unchanged test job must be healthy, or tests that change it mean nothing.
func TestModelIsHealthy(t *testing.T) {
	for _, version := range []string{"1.17.2", "1.20.3", "2.3.0", ""} {
		j := judge(jobtest.New(version).Source("Orders", 2000, 2500).Window(2, jobtest.At0-3000, jobtest.At1-3000, "Source: Orders"), t)
		if j.Verdict != VerdictHealthy || j.Samples != 2 || j.SampleGapMs != jobtest.Gap {
			t.Errorf("%q: %s, %d samples %d ms apart: %v %v", version, j.Verdict, j.Samples, j.SampleGapMs, placesOf(j.Findings), j.NotChecked)
		}
	}
}
