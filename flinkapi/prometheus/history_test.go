package prometheus_test

import (
	"strings"
	"testing"
	"time"

	"tidemark/analyze/series"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/cases"
	"tidemark/internal/promtest"
)

// In a lab of eleven jobs faults were planted one after the other. The history of four of them shows each fault to within
// one scrape, and names what changed.
func TestOnsetOfWhatWasPlanted(t *testing.T) {
	rec, walks := open(t, "testdata/history-2.3.0.rest.jsonl.gz"), map[string]*series.Timeline{}
	for _, c := range cases.Some([]struct {
		name, job, planted, place string // "" = an event of the job
		kind                      series.EventKind
		says                      string
		within                    time.Duration // of a scrape of 5 s; a job that restarts is looked at twice
	}{
		{"a partition stops", "dca83c10", "23:55:28", "stops-1", "", "", 6 * time.Second},
		{"a source falls behind", "6bcb45c0", "23:56:18", "behind-2", "", "", 6 * time.Second},
		{"a record of the future", "dbb13486", "23:56:58", "poison4-3", "", "", 6 * time.Second},
		{"a redeploy", "lab-healthy", "23:58:02", "", series.Deployment, "submitted again", 16 * time.Second},
		{"a TaskManager is killed", "dca83c10", "23:59:01", "", series.TaskManager, "no subtask runs on", 11 * time.Second},
		{"a TaskManager is killed, and there is no room elsewhere", "lab-healthy", "23:59:01", "", series.TaskManager, "no subtask runs on", 11 * time.Second},
		{"the job goes on when there is one again", "lab-healthy", "23:59:59", "", series.Restart, "is running again", 6 * time.Second},
	}, 2) {
		planted := when(t, c.planted).UnixMilli()
		tl := walks[c.job]
		if tl == nil {
			server := &promtest.Server{Series: promtest.Load(t, "testdata/history-2.3.0.series.jsonl.gz"), Stale: 12 * time.Second}
			_, tl = walked(t, server, prometheus.Stretch{Since: when(t, "23:54:00"),
				Reading: prometheus.Reading{Jobs: []string{c.job}, At: when(t, "23:59:59").Add(80 * time.Second), Graph: prometheus.RecordedGraph{Recording: rec}}})
			walks[c.job] = tl
		}
		var found []series.Interval
		for _, tr := range tl.Tracks {
			for _, trouble := range tr.Troubles() {
				if c.place != "" && tr.At.Split == c.place {
					found = append(found, trouble.Changes[0].Since)
				}
			}
		}
		for _, e := range tl.Events {
			if c.place == "" && e.Kind == c.kind && strings.Contains(e.Text, c.says) {
				found = append(found, e.At)
			}
		}
		hit := false
		for _, at := range found {
			hit = hit || at.UntilMs-at.AfterMs <= c.within.Milliseconds() && at.AfterMs <= planted+6000 && at.UntilMs >= planted-6000
		}
		if !hit {
			t.Errorf("%s at %s: nothing in", c.name, c.planted)
			for _, at := range found {
				t.Logf("  %s to %s", time.UnixMilli(at.AfterMs).UTC().Format(time.TimeOnly), time.UnixMilli(at.UntilMs).UTC().Format(time.TimeOnly))
			}
			for _, e := range tl.Events {
				t.Logf("  event %s %s %s", time.UnixMilli(e.At.UntilMs).UTC().Format(time.TimeOnly), e.Kind, e.Text)
			}
		}
	}
}
