package rendertest

import (
	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// Ptr is a pointer to a value.
func Ptr[T any](v T) *T { return &v }

// Now is the clock of the reports, epoch ms: 2026-11-30T04:01:34.937Z.
const Now = 1796011294937

// Known is a watermark that is so many ms behind Now.
func Known(lag int64) flinkapi.Watermark { return flinkapi.KnownWatermark(Now - lag) }

// RichReport has four jobs, with everything that a report can hold.
func RichReport() *analyze.Report {
	return &analyze.Report{
		Schema: analyze.SchemaReport, Tool: analyze.Tool{Name: "tidemark", Version: "v0.0.0-test"},
		CapturedAt: "2026-11-30T04:01:34.937Z", CapturedMs: Now,
		Cluster:    analyze.Cluster{URL: "https://flink.example/proxy/app_1", FlinkVersion: "2.3.0"},
		Jobs:       []analyze.JobReport{stuckJob(), lateJob(), healthyJob(), unsureJob()},
		NotChecked: []catalog.NotChecked{{Code: "TM901", Reason: "/jobmanager/config: 403, these credentials may not read it; the refresh interval is taken as 10 s"}},
	}
}

func stuckJob() analyze.JobReport {
	idle := catalog.Fix{
		Text:       "Set withIdleness(…) or send a heartbeat.",
		DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
		SQL:        "SET 'table.exec.source.idle-timeout' = '60 s';",
	}
	window, sink := model.Ref{ID: "b2", Name: "Window10s"}, model.Ref{ID: "c3", Name: "Sink: Writer"}
	return analyze.JobReport{
		ID: "7a4b696c5e0ea1d72e4429bc72491451", Name: "orders-by-region", State: "RUNNING", Verdict: analyze.VerdictCritical,
		Headline: "event time stands still in 2 of 4 vertices", Samples: 2, SampleGapMs: 21_600,
		Findings: []catalog.Finding{{
			Code: "TM102", Cause: "idle-split", Severity: catalog.Critical, Confidence: catalog.Certain,
			Title:   "A silent split holds event time back",
			Summary: `Window10s gets no event time: source "Orders" subtask 1 waits for split orders-3 (no record since start)`,
			Symptom: Ptr(1), Place: model.Place{Vertex: &model.Ref{ID: "a1", Name: "Source: Orders"}, Operator: "Source: Orders", Subtasks: []int{1}, Split: "orders-3"},
			HeldBack: []model.Ref{window, sink},
			Evidence: []catalog.Evidence{
				{Subject: "split orders-3", Metric: "currentWatermark", Value: "-9223372036854775808", At: "2026-11-30T04:01:28.763Z"},
				{Subject: "split orders-2", Metric: "currentWatermark", Value: "2026-11-30T04:01:08.000Z -> 2026-11-30T04:01:29.000Z", At: "2026-11-30T04:01:28.763Z"},
			},
			Fix: idle, SinceMs: Ptr(int64(725_000)), BeganMs: Now - 725_000,
		}, {
			Code: "TM102", Cause: "idle-split", Severity: catalog.Warning, Confidence: catalog.Possible,
			Title: "A silent split holds event time back", Summary: "Source \"Orders\" subtask 0 may wait for one of 3 splits.",
			Place: model.Place{Vertex: &model.Ref{ID: "a1", Name: "Source: Orders"}}, Evidence: []catalog.Evidence{}, Fix: idle,
		}, {
			Code: "TM202", Cause: "future-record", Severity: catalog.Warning, Confidence: catalog.Likely,
			Title: "A split is ahead of the wall clock", Summary: "Split orders-0 is 10 years ahead of the wall clock.",
			Place: model.Place{Vertex: &model.Ref{ID: "a1", Name: "Source: Orders"}, Split: "orders-0"}, Latent: true,
			Evidence: []catalog.Evidence{{Subject: "split orders-0", Metric: "currentWatermark", Value: "2036-11-28T10:00:00.000Z"}},
			Fix:      catalog.Fix{Text: "Drop records from the future before the assigner."},
		}, {
			Code: "TM650", Cause: "known-bug", Severity: catalog.Info, Confidence: catalog.Possible, Issue: "FLINK-37670",
			Title: "A published Flink issue matches", Summary: "This version may keep finished splits in the minimum.",
			Evidence: []catalog.Evidence{}, Fix: catalog.Fix{Text: "Upgrade Flink."},
		}},
		Vertices: []analyze.VertexReport{
			{ID: "b2", Name: "Window10s", Kind: "operator", Parallelism: 2, Inputs: []string{"a1", "a0"}, Min: flinkapi.NoWatermark(), Out: flinkapi.NoWatermark(),
				Moving: Ptr(false), HeldBy: `source "Orders" subtask 1 split orders-3`,
				Subtasks: []analyze.SubtaskReport{{Index: 0, In: flinkapi.NoWatermark(), Out: flinkapi.NoWatermark()}}},
			{ID: "c3", Name: "Sink: Writer", Kind: "sink", Parallelism: 2, Inputs: []string{"b2"}, Min: flinkapi.NoWatermark(), Moving: Ptr(false), HeldBy: "Window10s"},
			{ID: "a0", Name: "Source: Rates", Kind: "source", Parallelism: 1, Min: Known(2_100), Out: Known(2_100), LagMs: Ptr(int64(2_100)), Moving: Ptr(true),
				Budget:   []model.LagPart{{Part: "bound", Ms: 1000, Certain: true}, {Part: "age of data", Ms: 1100}},
				Subtasks: []analyze.SubtaskReport{{Index: 0, Out: Known(2_100)}}},
			{ID: "a1", Name: "Source: Orders", Kind: "source", Parallelism: 2, Min: flinkapi.NoWatermark(), Out: flinkapi.NoWatermark(), Moving: Ptr(false), HeldBy: "TM102",
				Operators: []analyze.OperatorReport{{Name: "Source: Orders", Out: flinkapi.NoWatermark()}},
				Subtasks: []analyze.SubtaskReport{
					{Index: 0, Out: Known(-315_360_000_000), Splits: []analyze.SplitReport{{ID: "orders-0", Watermark: Known(-315_360_000_000), Idle: Ptr(false), Paused: Ptr(true)}}},
					{Index: 1, Out: flinkapi.NoWatermark(), Splits: []analyze.SplitReport{
						{ID: "orders-2", Watermark: Known(5_937), Idle: Ptr(false), Paused: Ptr(false)},
						{ID: "orders-3", Watermark: flinkapi.NoWatermark(), Idle: Ptr(true), Offset: Ptr(int64(-1))},
					}},
				}},
		},
		NotChecked: []catalog.NotChecked{{Code: "TM401", Reason: "numLateRecordsDropped of Window10s was read once only"}},
	}
}

func lateJob() analyze.JobReport {
	return analyze.JobReport{
		ID: "9c0ffee05e0ea1d72e4429bc72491451", Name: "late-by-design", State: "RUNNING", Verdict: analyze.VerdictWarning,
		Headline: "results come 32 s late, 30 s of it by the declared bound", Samples: 2, SampleGapMs: 20_000,
		Findings: []catalog.Finding{{
			Code: "TM301", Cause: "bound-too-large", Severity: catalog.Warning, Confidence: catalog.Likely, Title: "The bound is far above the disorder",
			Summary: "Source \"Clicks\" holds event time back by about 30 s, its records are 0.2 s out of order.", Symptom: Ptr(3),
			Place: model.Place{Vertex: &model.Ref{ID: "s", Name: "Source: Clicks"}}, Evidence: []catalog.Evidence{{Metric: "watermarkLag", Value: "32000"}},
			Fix: catalog.Fix{Text: "Declare a smaller bound."},
		}},
		Vertices: []analyze.VertexReport{
			{ID: "s", Name: "Source: Clicks", Kind: "source", Parallelism: 4, Min: Known(32_000), LagMs: Ptr(int64(32_000)), Moving: Ptr(true),
				Budget: []model.LagPart{{Part: "bound", Ms: 30_000}, {Part: "emission", Ms: 200, Certain: true}, {Part: "unexplained", Kind: model.PartRest, Ms: 1_800, Certain: true}}},
			{ID: "e", Name: "Sink: Archive", Kind: "sink", Parallelism: 1, Inputs: []string{"s"}, Min: flinkapi.EndWatermark(), Moving: nil},
		},
		NotChecked: []catalog.NotChecked{},
	}
}

func healthyJob() analyze.JobReport {
	return analyze.JobReport{ID: "00ffee005e0ea1d72e4429bc72491451", Name: "fine", State: "RUNNING", Verdict: analyze.VerdictHealthy,
		Headline: "event time advances everywhere", Samples: 2, SampleGapMs: 20_000}
}

func unsureJob() analyze.JobReport {
	return analyze.JobReport{ID: "11ffee005e0ea1d72e4429bc72491451", Name: "unsure", State: "RUNNING", Verdict: analyze.VerdictIncomplete,
		Headline: "the TaskManager's metrics could not be read", Samples: 1,
		Vertices:   []analyze.VertexReport{{ID: "x", Name: "Source: X", Kind: "source", Parallelism: 1, Min: flinkapi.FailedWatermark()}},
		NotChecked: []catalog.NotChecked{{Code: "TM901", Reason: "no metric of any vertex could be read"}}}
}

// HostileReport has the name wherever a report can hold foreign text.
func HostileReport(name string) *analyze.Report {
	r := RichReport()
	r.Cluster.URL, r.Cluster.FlinkVersion, r.Tool.Version = name, name, name
	r.NotChecked[0].Reason = name
	for i := range r.Jobs {
		j := &r.Jobs[i]
		j.Name, j.State, j.Headline = name, name, "job "+name+" stands still"
		for k := range j.Findings {
			f := &j.Findings[k]
			f.Summary, f.Title, f.Operator, f.Split, f.Cause = "source "+name+" waits for split "+name, name, name, name, name
			f.Fix = catalog.Fix{Text: "Look at " + name, DataStream: "code(\"" + name + "\")", SQL: "SELECT '" + name + "'"}
			f.HeldBack = append(f.HeldBack, model.Ref{ID: name, Name: name})
			f.Evidence = append(f.Evidence, catalog.Evidence{Subject: name, Metric: name, Value: name, At: name})
		}
		for k := range j.Vertices {
			v := &j.Vertices[k]
			v.Name, v.HeldBy = name, name
			v.Budget = append(v.Budget, model.LagPart{Part: name, Ms: 5})
			v.Operators = []analyze.OperatorReport{{Name: name, In: Known(5)}}
			for s := range v.Subtasks {
				v.Subtasks[s].Splits = append(v.Subtasks[s].Splits, analyze.SplitReport{ID: name, Watermark: Known(3)})
			}
		}
		j.NotChecked = append(j.NotChecked, catalog.NotChecked{Code: name, Reason: name})
	}
	return r
}
