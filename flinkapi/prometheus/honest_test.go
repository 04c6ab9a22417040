package prometheus_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/flinkapi"
	"tidemark/flinkapi/prometheus"
	"tidemark/internal/promtest"
)

// plain is a job of whose source partition stops-1 fell silent at 20:15:44, among two jobs of one name.
const plain = "dc4224b8aa9c1606c88ce0f711ba6b4b"

func when(t testing.TB, clock string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, "2026-11-30T"+clock+"Z")
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// scraped is the recorded history of lab-plain, a copy for each test.
func scraped(t testing.TB) *promtest.Server {
	return &promtest.Server{Series: promtest.Load(t, "testdata/plain-2.3.0.series.jsonl.gz"), Stale: 12 * time.Second}
}

func graph(t testing.TB) prometheus.Graph {
	return prometheus.RecordedGraph{Recording: open(t, "testdata/jobs-2.3.0.rest.jsonl.gz")}
}

// judged is the verdict on the job that was asked for.
func judged(t *testing.T, s *promtest.Server, r prometheus.Reading) analyze.JobReport {
	t.Helper()
	if r.Jobs == nil {
		r.Jobs = []string{plain}
	}
	c, err := client(t, s, nil).Capture(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	report := analyze.Triage(c, analyze.Options{})
	if len(report.Jobs) != 1 {
		t.Fatalf("%d jobs", len(report.Jobs))
	}
	return report.Jobs[0]
}

func TestThePastIsJudged(t *testing.T) {
	before := judged(t, scraped(t), prometheus.Reading{At: when(t, "20:14:00"), Graph: graph(t)})
	if before.Verdict != analyze.VerdictHealthy || before.Incomplete || len(before.Findings) > 0 {
		t.Errorf("before it stopped: %s %v", before.Verdict, before.NotChecked)
	}
	after := judged(t, scraped(t), prometheus.Reading{At: when(t, "20:20:00"), Graph: graph(t)})
	if after.Verdict != analyze.VerdictCritical || len(after.Findings) == 0 || after.Findings[0].Split != "stops-1" || after.Name != "lab-plain" {
		t.Errorf("after it stopped: %s %v", after.Verdict, places(after))
	}
}

// each is a way in which Prometheus lacks something, and what must be reported then.
func TestWhatPrometheusCannotKnowIsSaid(t *testing.T) {
	ofTasks := func(s promtest.Series) bool { return strings.Contains(s.Labels["__name__"], "_taskmanager_") }
	cut := func(all []promtest.Series, of func(promtest.Series) bool, from, until int64) {
		for i, s := range all {
			if !of(s) {
				continue
			}
			kept := promtest.Series{Labels: s.Labels}
			for k, at := range s.T {
				if at < from || at > until {
					kept.T, kept.V = append(kept.T, at), append(kept.V, s.V[k])
				}
			}
			all[i] = kept
		}
	}
	healthy := "20:14:00"
	for _, tc := range []struct {
		name   string
		change func(*promtest.Server)
		want   string
	}{
		{"a warning", func(s *promtest.Server) { s.Warnings = []string{"store gateway-1 is down"} }, "store gateway-1 is down"},
		{"a partial answer", func(s *promtest.Server) { s.Partial = true }, "the result is partial"},
		{"no task is scraped any more", func(s *promtest.Server) {
			cut(s.Series, ofTasks, when(t, "20:13:40").UnixMilli(), when(t, "20:30:00").UnixMilli())
		}, "list"},
		{"half of the subtasks are not scraped", func(s *promtest.Server) {
			cut(s.Series, func(s promtest.Series) bool { return ofTasks(s) && s.Labels["subtask_index"] == "1" }, when(t, "20:13:40").UnixMilli(), when(t, "20:30:00").UnixMilli())
		}, "currentInputWatermark"},
		{"nothing but the newest scrape", func(s *promtest.Server) {
			cut(s.Series, func(promtest.Series) bool { return true }, 0, when(t, "20:13:54").UnixMilli())
		}, "one metric fetch only"},
		{"a gap before the newest scrape", func(s *promtest.Server) {
			cut(s.Series, func(promtest.Series) bool { return true }, when(t, "20:13:20").UnixMilli(), when(t, "20:13:54").UnixMilli())
		}, "one metric fetch only"},
		{"a PushGateway that keeps the last values", func(s *promtest.Server) {
			for i, one := range s.Series {
				s.Series[i].V = slices.Clone(one.V)
				for k, at := range one.T {
					if at > when(t, "20:13:00").UnixMilli() && k > 0 {
						s.Series[i].V[k] = s.Series[i].V[k-1]
					}
				}
			}
		}, "metrics are frozen"},
		{"an input watermark that is not reported", func(s *promtest.Server) {
			s.Series = slices.DeleteFunc(s.Series, func(s promtest.Series) bool {
				return s.Labels["__name__"] == "flink_taskmanager_job_task_currentInputWatermark" && s.Labels["subtask_index"] == "0"
			})
		}, "watermark"},
	} {
		server := scraped(t)
		tc.change(server)
		j := judged(t, server, prometheus.Reading{At: when(t, healthy), Graph: graph(t)})
		said := fmt.Sprint(j.Headline, j.NotChecked)
		if j.Verdict != analyze.VerdictIncomplete || !strings.Contains(said, tc.want) {
			t.Errorf("%s: %s, %s", tc.name, j.Verdict, said)
		}
	}
}

func TestAnInstantWithoutSamplesIsNoVerdict(t *testing.T) {
	c := client(t, scraped(t), nil)
	for _, tc := range []struct {
		at   string
		want string
	}{
		{"23:00:00", "the nearest stretch before it ends at 2026-11-30T20:"},
		{"19:00:00", "there are samples from 2026-11-30T20:1"},
	} {
		_, err := c.Capture(context.Background(), prometheus.Reading{Jobs: []string{"lab-plain"}, At: when(t, tc.at)})
		var none *prometheus.NoSamplesError
		if !errors.As(err, &none) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("at %s: %v", tc.at, err)
		}
	}
	_, err := c.Capture(context.Background(), prometheus.Reading{Jobs: []string{"lab-plane"}, At: when(t, "20:14:00")})
	var missing *flinkapi.ErrNoJob
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "lab_plain") {
		t.Errorf("a name that does not exist: %v", err)
	}
	if _, err = client(t, &promtest.Server{}, nil).Capture(context.Background(), prometheus.Reading{At: when(t, "20:14:00")}); err == nil || !strings.Contains(err.Error(), "PrometheusReporter") {
		t.Errorf("a server without Flink: %v", err)
	}
}

// The job ended a minute ago: Prometheus still finds it, and nothing is judged.
func TestAJobThatHadEnded(t *testing.T) {
	server := scraped(t)
	end := when(t, "20:14:00").UnixMilli()
	for i, s := range server.Series {
		n := 0
		for n < len(s.T) && s.T[n] <= end {
			n++
		}
		server.Series[i].T, server.Series[i].V = s.T[:n], s.V[:n]
	}
	j := judged(t, server, prometheus.Reading{At: when(t, "20:15:00"), Graph: graph(t)})
	if j.Verdict != analyze.VerdictIncomplete || !strings.Contains(fmt.Sprint(j.Headline, j.NotChecked), "its last sample is from 2026-11-30T20:1") {
		t.Errorf("%s: %s %v", j.Verdict, j.Headline, j.NotChecked)
	}
}

// A name may have several ids: each is read. The graph of another id is never used, even if the name is the same.
func TestTheGraphOfAnotherIDIsNotUsed(t *testing.T) {
	both, err := client(t, scraped(t), nil).Capture(context.Background(), prometheus.Reading{Jobs: []string{"lab-plain"}, At: when(t, "20:14:00"), Graph: graph(t)})
	if err != nil || len(both.Jobs) != 2 {
		t.Fatal(both, err)
	}
	server := scraped(t)
	other := strings.Repeat("ab", 16)
	for i, s := range server.Series {
		if s.Labels["job_id"] == plain {
			server.Series[i].Labels = maps.Clone(s.Labels)
			server.Series[i].Labels["job_id"] = other
		}
	}
	j := judged(t, server, prometheus.Reading{Jobs: []string{other}, At: when(t, "20:14:00"), Graph: graph(t)})
	said := fmt.Sprint(j.NotChecked)
	if j.Verdict != analyze.VerdictIncomplete || !strings.Contains(said, "has the same name and another id") || j.Name != "lab_plain" {
		t.Errorf("%s %q: %s", j.Verdict, j.Name, said)
	}
}

// Labels that are not cleaned, a JobManager that is not scraped, and another job that the matchers select.
func TestOtherWaysToScrape(t *testing.T) {
	raw := scraped(t)
	for i, s := range raw.Series {
		l := maps.Clone(s.Labels)
		l["job_name"] = "lab-plain"
		if l["operator_name"] == "Source:_Orders" {
			l["operator_name"] = "Source: Orders"
		}
		if rest, ok := strings.CutPrefix(l["split"], "stops_"); ok {
			l["split"] = "stops-" + rest
		}
		raw.Series[i].Labels = l
	}
	if j := judged(t, raw, prometheus.Reading{At: when(t, "20:20:00"), Graph: graph(t)}); j.Verdict != analyze.VerdictCritical || j.Findings[0].Split != "stops-1" {
		t.Errorf("raw labels: %s %v", j.Verdict, places(j))
	}
	tasks := scraped(t)
	tasks.Series = slices.DeleteFunc(tasks.Series, func(s promtest.Series) bool { return strings.HasPrefix(s.Labels["__name__"], "flink_jobmanager_") })
	if j := judged(t, tasks, prometheus.Reading{At: when(t, "20:20:00"), Graph: graph(t)}); j.Verdict != analyze.VerdictCritical || j.State != "RUNNING" {
		t.Errorf("tasks alone: %s %s %v", j.State, j.Verdict, places(j))
	}
	two := scraped(t)
	for i, s := range two.Series {
		two.Series[i].Labels = maps.Clone(s.Labels)
		two.Series[i].Labels["cluster"] = map[bool]string{true: "a", false: "b"}[s.Labels["job_id"] == plain]
	}
	c := client(t, two, func(o *prometheus.Options) { o.Match = []string{`cluster="a"`} })
	got, err := c.Capture(context.Background(), prometheus.Reading{At: when(t, "20:14:00")})
	if err != nil || len(got.Jobs) != 1 || got.Jobs[0].ID != plain {
		t.Errorf("with a matcher: %v %v", got, err)
	}
	for _, q := range two.Queries() {
		if !strings.Contains(q, `cluster="a"`) {
			t.Errorf("asked without the matcher: %s", q)
		}
	}
}
