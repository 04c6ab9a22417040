package prom

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
	"tidemark/render/internal/rendertest"
	"tidemark/render/safe"
)

func exposition(t *testing.T, e Exposition) []parsedSeries {
	t.Helper()
	var all []parsedSeries
	for _, open := range []bool{true, false} {
		e.OpenMetrics = open
		var b bytes.Buffer
		if err := Metrics(&b, e); err != nil {
			t.Fatal(err)
		}
		parsed, err := parseExposition(b.String(), open)
		if err != nil {
			t.Fatalf("open=%v: %v\n%s", open, err, b.String())
		}
		all = parsed
	}
	return all
}

func find(all []parsedSeries, name string, pairs ...string) []float64 {
	var values []float64
	for _, s := range all {
		fits := s.name == name
		for i := 0; i < len(pairs); i += 2 {
			fits = fits && s.labels[pairs[i]] == pairs[i+1]
		}
		if fits {
			values = append(values, s.value)
		}
	}
	return values
}

func vertexAt(name string, w flinkapi.Watermark, lag *int64) analyze.VertexReport {
	return analyze.VertexReport{ID: name, Name: name, Min: w, LagMs: lag}
}

func TestALagIsAbsentWhereThereIsNoWatermark(t *testing.T) {
	lie := ptr(int64(9_223_372_036_854_775_807)) // what a careless report might hold
	r := &analyze.Report{CapturedAt: "2026-11-30T04:01:53.757Z", Jobs: []analyze.JobReport{{ID: "j", Name: "orders", Verdict: analyze.VerdictCritical, Vertices: []analyze.VertexReport{
		vertexAt("known", flinkapi.KnownWatermark(1_796_000_000_000), ptr(int64(2841))), vertexAt("ahead", flinkapi.KnownWatermark(1_796_000_000_000), ptr(int64(-3_600_000))),
		vertexAt("known, no lag", flinkapi.KnownWatermark(1), nil), vertexAt("none", flinkapi.NoWatermark(), lie), vertexAt("end", flinkapi.EndWatermark(), lie),
		vertexAt("absent", flinkapi.AbsentWatermark(), lie), vertexAt("failed", flinkapi.FailedWatermark(), lie),
	}}}}
	all := exposition(t, Exposition{Report: r, Up: true, LastCapture: time.Unix(1_796_011_400, 0), CaptureTime: 12 * time.Second, Captures: 3, Failures: 1, Version: "v1"})
	const lag = "tidemark_event_time_lag_seconds"
	if got := find(all, lag); len(got) != 2 || !slices.Equal(find(all, lag, "vertex", "known"), []float64{2.841}) || !slices.Equal(find(all, lag, "vertex", "ahead"), []float64{-3600}) {
		t.Errorf("lags %v", got)
	}
	for _, s := range states {
		vertex := string(s)
		if got := find(all, "tidemark_event_time_state", "vertex", vertex, "state", vertex); !slices.Equal(got, []float64{1}) {
			t.Errorf("state of %s: %v", vertex, got)
		}
		if sum := find(all, "tidemark_event_time_state", "vertex", vertex); len(sum) != 5 {
			t.Errorf("%d states of %s", len(sum), vertex)
		}
	}
	for name, want := range map[string]float64{
		"tidemark_up": 1, "tidemark_captures_total": 3, "tidemark_capture_failures_total": 1, "tidemark_last_capture_duration_seconds": 12,
		"tidemark_last_capture_timestamp_seconds": 1_796_011_400, "tidemark_captured_at_timestamp_seconds": 1_796_011_313.757,
	} {
		if got := find(all, name); !slices.Equal(got, []float64{want}) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, v := range verdicts {
		if got := find(all, "tidemark_job_verdict", "job", "orders", "verdict", string(v)); !slices.Equal(got, []float64{truth(v == analyze.VerdictCritical)}) {
			t.Errorf("verdict %s: %v", v, got)
		}
	}
	for _, s := range all {
		if s.value > 1e12 || s.value < -1e12 {
			t.Errorf("a huge value: %+v", s)
		}
	}
}

func TestFindingsAreSeries(t *testing.T) {
	r := richReport()
	all := exposition(t, Exposition{Report: r, Up: true})
	for _, j := range r.Jobs {
		for _, f := range j.Findings {
			vertex := ""
			if f.Vertex != nil {
				vertex = f.Vertex.Name
			}
			if got := find(all, "tidemark_finding", "job", j.Name, "code", f.Code, "cause", f.Cause, "severity", string(f.Severity), "vertex", vertex); !slices.Equal(got, []float64{1}) {
				t.Errorf("%s of %s: %v", f.Code, j.Name, got)
			}
		}
		if got := find(all, "tidemark_not_checked", "job_id", j.ID); !slices.Equal(got, []float64{float64(len(j.NotChecked))}) {
			t.Errorf("not checked of %s: %v", j.Name, got)
		}
	}
}

func TestOneCauseOfManySplitsIsOneSeries(t *testing.T) {
	f := catalog.Finding{Code: "TM102", Cause: "idle-split", Severity: catalog.Critical, Place: model.Place{Vertex: &model.Ref{ID: "v", Name: "Orders"}}}
	other := f
	other.Split = "orders-7"
	job := analyze.JobReport{ID: "j", Name: "orders", Findings: []catalog.Finding{f, other}}
	all := exposition(t, Exposition{Report: &analyze.Report{Jobs: []analyze.JobReport{job, job}}}) // as from two recordings of a job
	if got := find(all, "tidemark_finding"); len(got) != 1 {
		t.Errorf("%d series", len(got))
	}
}

func TestWithoutAReportOnlyTheExporterItselfIsSeen(t *testing.T) {
	all := exposition(t, Exposition{Captures: 4, Failures: 4, Version: "v1"})
	for _, s := range all {
		if !slices.Contains([]string{"tidemark_up", "tidemark_build", "tidemark_captures", "tidemark_captures_total", "tidemark_capture_failures_total"}, s.name) {
			t.Errorf("%+v", s)
		}
	}
	if got := find(all, "tidemark_up"); !slices.Equal(got, []float64{0}) {
		t.Errorf("up is %v", got)
	}
}

func TestHostileNamesBecomeHarmlessLabels(t *testing.T) {
	names := append([]string{"a\\", `quote " and \n`, "line\nfeed", "} 1\ntidemark_up 0", strings.Repeat("x", 10_000), "\xff\xfe"}, rendertest.Names...)
	for _, name := range names {
		all := exposition(t, Exposition{Report: hostileReport(name), Up: true})
		if got := find(all, "tidemark_up"); !slices.Equal(got, []float64{1}) {
			t.Errorf("%.30q: up is %v", name, got)
		}
		for _, s := range all {
			for l, v := range s.labels {
				if bad := rendertest.Acted(v); len(bad) > 0 || safe.Width(v) > maxLabel {
					t.Errorf("%.30q: label %s has %q or is too long: %d", name, l, bad, safe.Width(v))
				}
			}
		}
	}
}

func TestMetricsOfAWriterThatFails(t *testing.T) {
	if err := Metrics(brokenWriter{}, Exposition{}); err == nil {
		t.Error("no error")
	}
}
