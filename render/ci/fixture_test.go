package ci

import (
	"fmt"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/drill"
	"tidemark/analyze/model"
	"tidemark/analyze/policy"
	"tidemark/analyze/series"
	"tidemark/flinkapi"
)

const (
	fixturePolicy = "deploy/tidemark policy.yaml"
	fixtureSQL    = "sql/enrich.sql"
)

var idleFix = catalog.Fix{
	Text:       "Set withIdleness(…) or send a heartbeat.",
	DataStream: "WatermarkStrategy.<Order>forBoundedOutOfOrderness(Duration.ofSeconds(5))\n    .withIdleness(Duration.ofMinutes(1))",
	SQL:        "SET 'table.exec.source.idle-timeout' = '60 s';",
}

// sampleRun has every status, every kind of subject, and everything a result can hold.
func sampleRun() *policy.Run {
	orders := policy.Subject{Kind: "job", Name: "orders-by-region"}
	source := orders
	source.Vertex, source.Operator = &model.Ref{ID: "a1", Name: "Source: Orders"}, "Source: Orders"
	source.Subtasks, source.Split = []int{1}, "orders-3"
	return &policy.Run{
		Schema: policy.SchemaCheck, Tool: analyze.Tool{Name: "tidemark", Version: "v0.0.0-test"},
		At: "2026-11-30T04:01:34.937Z", AtMs: 1796011294937, Policy: fixturePolicy, FailOn: "warning", Outcome: policy.OutcomeFailed,
		Sources: []policy.Source{
			{Kind: "recording", Name: "staging.jsonl.gz", Note: "2 samples over 21.6 s"},
			{Kind: "sql", Name: fixtureSQL},
		},
		Results: []policy.Result{
			{Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back", Status: policy.Failed, Severity: catalog.Critical, Confidence: catalog.Certain,
				Subject: source, Message: `Window10s gets no event time: source "Orders" subtask 1 waits for split orders-3 (no record since start)`,
				Location: policy.Location{File: fixturePolicy, Line: 14, Column: 7}, Fix: idleFix, Fingerprint: "f-idle",
				Evidence: []catalog.Evidence{
					{Subject: "split orders-3", Metric: "currentWatermark", Value: "-9223372036854775808", At: "2026-11-30T04:01:28.763Z"},
					{Subject: "Orders subtask 1", Metric: "sourceIdleTime", Value: "286481"}}},
			{Code: "TM301", Cause: "bound-too-large", Title: "The bound is far above the disorder", Key: "delay.at_most", Status: policy.Failed, Severity: catalog.Warning, Confidence: catalog.Likely,
				Subject: orders, Message: "The declared delay of 10 min is 120 times the measured p99.9 of 5 s, and the policy allows 10 times",
				Location: policy.Location{File: fixturePolicy, Line: 9, Column: 12}, Fix: catalog.Fix{Text: "Declare about 8 s."}, Fingerprint: "f-bound"},
			{Code: "TM306", Cause: "old-data", Title: "Records arrive old", Status: policy.Failed, Severity: catalog.Info,
				Subject: orders, Message: "Records arrive 12 min old with nothing pending", Location: policy.Location{File: fixturePolicy, Line: 4},
				Fix: catalog.Fix{Text: "Look at the producers."}, Fingerprint: "f-old"},
			{Code: "TM401", Cause: "late-records", Title: "Records are dropped as late", Key: "late.share", Status: policy.Skipped, Severity: catalog.Critical, Essential: true,
				Subject: orders, Reason: "the recording has one sample: a share of late records needs two", Location: policy.Location{File: fixturePolicy, Line: 11, Column: 5}, Fingerprint: "f-late"},
			{Code: "TM502", Cause: "drift-below-idle", Title: "Alignment drift below the idle timeout", Status: policy.Passed, Severity: catalog.Warning,
				Subject: orders, Message: "No alignment is declared.", Location: policy.Location{File: fixturePolicy, Line: 12, Column: 5}, Fingerprint: "f-drift"},
			{Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back", Status: policy.Suppressed, Severity: catalog.Critical, Confidence: catalog.Likely,
				Subject: policy.Subject{Kind: "job", Name: "payments"}, Message: "Split payments-0 has been silent for 3 h", Location: policy.Location{File: fixturePolicy, Line: 22, Column: 3}, Fix: idleFix,
				Suppression: &catalog.Acceptance{Reason: "the partition is retired in January, see the runbook", Until: "2027-01-31", Location: policy.Location{File: fixturePolicy, Line: 40, Column: 5}}, Fingerprint: "f-payments"},
			{Code: "TM603", Cause: "no-event-time", Title: "No operator uses event time", Status: policy.Passed, Severity: catalog.Info,
				Subject: policy.Subject{Kind: "job", Name: "payments"}, Message: "2 operators use event time.", Fingerprint: "f-uses"},
			{Code: "TM601", Cause: "rowtime-lost", Title: "An operator drops the time attribute", Status: policy.Failed, Severity: catalog.Critical, Confidence: catalog.Certain,
				Subject: policy.Subject{Kind: "query", Name: "default_catalog.default_database.enriched", Operator: "Join(joinType=[InnerJoin])"},
				Message: "A regular join drops the time attribute before the window of INSERT INTO enriched", Location: policy.Location{File: fixtureSQL, Line: 31, Column: 1},
				Fix: catalog.Fix{Text: "Join in an interval of event time.", SQL: "... AND p.ts BETWEEN o.ts - INTERVAL '1' HOUR AND o.ts"}, Fingerprint: "f-join"},
			{Code: "TM604", Cause: "idleness-not-set", Title: "No idle timeout", Key: "idle.required", Status: policy.Failed, Severity: catalog.Warning,
				Subject: policy.Subject{Kind: "table", Name: "orders"}, Message: "Table orders declares a watermark and no idle timeout, which the policy requires",
				Location: policy.Location{File: fixtureSQL, Line: 3, Column: 9}, Fix: idleFix, Fingerprint: "f-table"},
			{Code: "TM202", Cause: "future-record", Title: "A split is ahead of the wall clock", Status: policy.Skipped, Severity: catalog.Warning,
				Subject: policy.Subject{Kind: "replay", Name: "expect-1"}, Reason: "records of a replay have no wall clock", Fingerprint: "f-replay"},
		},
		LeftOut:    2,
		LeftOutOf:  map[catalog.Severity]int{catalog.Info: 2},
		Incomplete: []string{"late.share of job orders-by-region: the recording has one sample."},
	}
}

// emptyRun is a run to which no rule applies.
func emptyRun() *policy.Run {
	return &policy.Run{Schema: policy.SchemaCheck, Tool: analyze.Tool{Name: "tidemark", Version: "v0.0.0-test"},
		At: "2026-11-30T04:01:34.937Z", AtMs: 1796011294937, Policy: "tidemark.yaml", FailOn: "warning", Outcome: policy.OutcomePassed}
}

// passedRun has a mild failure, below --fail-on, and a suppressed one next to what passed.
func passedRun() *policy.Run {
	run := sampleRun()
	run.Outcome, run.FailOn, run.Incomplete, run.LeftOut, run.LeftOutOf = policy.OutcomePassed, "critical", nil, 0, nil
	var kept []policy.Result
	for _, r := range run.Results {
		if r.Status == policy.Passed || r.Status == policy.Suppressed || r.Code == "TM301" {
			kept = append(kept, r)
		}
	}
	run.Results = kept
	return run
}

// incompleteRun failed at nothing but could not look everywhere; it says why only as a whole.
func incompleteRun() *policy.Run {
	run := emptyRun()
	run.Outcome = policy.OutcomeIncomplete
	run.Incomplete = []string{"No job matches \"billing-*\".", "The gateway at http://gateway:8083 does not answer."}
	return run
}

// manyRun has n failed results at several subjects, every third of another severity.
func manyRun(n int) *policy.Run {
	run := emptyRun()
	run.Outcome = policy.OutcomeFailed
	for i := range n {
		run.Results = append(run.Results, policy.Result{
			Code: "TM102", Cause: "idle-split", Title: "A silent split holds event time back", Status: policy.Failed,
			Severity: []catalog.Severity{catalog.Critical, catalog.Warning, catalog.Info}[i%3],
			Subject:  policy.Subject{Kind: "job", Name: fmt.Sprintf("job-%d", i/50), Split: fmt.Sprintf("orders-%d", i)},
			Message:  fmt.Sprintf("Split orders-%d holds event time back", i), Location: policy.Location{File: "tidemark.yaml", Line: i + 1, Column: 3},
			Fix: idleFix, Fingerprint: fmt.Sprintf("f-%d", i)})
	}
	return run
}

// watched is a replay of an hour in which a split stopped; names are those of everything foreign.
func watched(name string) policy.Watched {
	t := &series.Timeline{EveryMs: 60_000, Tracks: []*series.Track{}, Events: []series.Event{}}
	run := &drill.Run{Sources: []*drill.Source{{Of: model.Ref{ID: name, Name: name}, Splits: 2}}, Droppers: []*drill.Dropper{{Of: model.Ref{ID: name, Name: name}, Operator: name}}}
	for i := range int64(30) {
		at := 1_796_011_294_937 + i*60_000
		event := min(at-3_600_000+i*5*60_000, at-2_000)
		place := model.Point{Vertex: &model.Ref{ID: name, Name: name}, Split: name}
		t.Read(place, series.Reading{AtMs: at, Watermark: flinkapi.KnownWatermark(min(event, 1_796_011_294_937))})
		run.Sources[0].Event = append(run.Sources[0].Event, drill.Point{AtMs: at, V: float64(event)})
	}
	t.Note(series.Event{At: series.Exactly(1_796_011_294_937), Kind: series.Restart, Of: &model.Point{Vertex: &model.Ref{ID: name, Name: name}}, Text: name})
	result := run.Result()
	return policy.Watched{Job: name, ID: name, Timeline: t, Drill: &result}
}

// hostileRun is the sample with a hostile name wherever foreign text can occur.
func hostileRun(name string) *policy.Run {
	run := sampleRun()
	run.Policy, run.Incomplete = name, []string{name}
	run.Watched = []policy.Watched{watched(name)}
	for i := range run.Sources {
		run.Sources[i] = policy.Source{Kind: "recording", Name: name, Note: name}
	}
	for i := range run.Results {
		r := &run.Results[i]
		r.Subject = policy.Subject{Kind: r.Subject.Kind, Name: name, Vertex: &model.Ref{ID: name, Name: name}, Operator: name, Split: name}
		r.Title, r.Message, r.Key, r.Reason = name, name, name, name
		r.Evidence = []catalog.Evidence{{Subject: name, Metric: name, Value: name, At: name}}
		r.Fix = catalog.Fix{Text: name, DataStream: name, SQL: name}
		r.Location.File = name
		r.Fingerprint = fmt.Sprint(name, i)
		if r.Suppression != nil {
			r.Suppression = &catalog.Acceptance{Reason: name, Until: name, Location: policy.Location{File: name, Line: 1}}
		}
		if i == 1 {
			r.Code, r.Cause = name, name // a check that this version does not know
		}
	}
	return run
}
