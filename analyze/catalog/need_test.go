package catalog

import "testing"

func TestNeedsRead(t *testing.T) {
	for want, n := range map[string]Need{
		"plan":                         Plan.need(),
		"plan or exceptions":           Or(Plan, Exceptions),
		"plan, or several subtasks":    Or(Plan, Named("several subtasks")).Apart(),
		"plan, uptime or backpressure": Or(Plan, Uptime, BusyTime.As("backpressure")),
		"split metrics to name it":     SplitMetrics.As("split metrics to name it").Helps(),
	} {
		if n.String() != want {
			t.Errorf("%q, want %q", n.String(), want)
		}
	}
	if BusyTime.Text == "backpressure" || Plan.need().Optional || !Plan.Helps().Optional {
		t.Error("another name changes the reading itself, or only helpful needs are optional")
	}
}
