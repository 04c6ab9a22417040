package policy

import (
	"math"
	"strings"
	"testing"

	"tidemark/analyze"
	"tidemark/analyze/catalog"
	"tidemark/analyze/facts"
	"tidemark/analyze/lag"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

// job is a healthy job with one source, fixed or spoilt by change.
func job(change func(*Job)) Job {
	lagMs := int64(3000)
	j := Job{
		Report: analyze.JobReport{Name: "orders", State: "RUNNING", Verdict: analyze.VerdictHealthy,
			Vertices: []analyze.VertexReport{{ID: "v1", Name: "Source: Orders", Min: flinkapi.KnownWatermark(1), LagMs: &lagMs}}},
		Facts: facts.Facts{Running: true, Compared: true, UsesEventTime: model.UseYes, Names: []string{"Source: Orders", "Window", "Sink: Late"},
			Sources: []facts.SourceFacts{{Vertex: model.Ref{ID: "v1", Name: "Source: Orders"}, Name: "Orders", Used: model.UseYes, Parallelism: 2, Splits: 4, SplitsKnown: true,
				Delay: lag.Bound{Ms: 5000, Declared: true}, DelayKnown: true, AtSource: true, Out: flinkapi.KnownWatermark(1), NewestLagMs: 5000, NewestKnown: true,
				Idle: facts.IdleFact{State: facts.IdleSet, LowMs: 60_000, HighMs: 60_000}, Emission: facts.EmissionFact{IntervalMs: 200, Known: true},
				Alignment: facts.AlignmentFact{Known: true}}},
			Operators: []facts.OperatorFacts{{Vertex: model.Ref{ID: "v2", Name: "Window"}, Name: "Window", Kind: model.KindWindow, Drops: true, Counted: true,
				Dropped: model.Gauge{Before: 10, Now: 11}, Input: model.Gauge{Before: 0, Now: 1000}}}},
		Unmet: map[string]string{},
	}
	if change != nil {
		change(&j)
	}
	return j
}

func source(change func(*facts.SourceFacts)) func(*Job) {
	return func(j *Job) { change(&j.Facts.Sources[0]) }
}

func operator(change func(*facts.OperatorFacts)) func(*Job) {
	return func(j *Job) { change(&j.Facts.Operators[0]) }
}

func found(code, vertex string) func(*Job) {
	return func(j *Job) {
		j.Report.Findings = append(j.Report.Findings, catalog.Finding{Code: code, Cause: "x", Severity: catalog.Critical, Confidence: catalog.Certain, Summary: code + " is here", Place: model.Place{Vertex: &model.Ref{ID: vertex}}})
	}
}

// Each key at a fact that keeps it, breaks it, does not apply, or cannot be read: which is never passed.
func TestKeysJudgeWhatIsKnownAndNothingElse(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, keys string
		change     func(*Job)
		want       string // STATUS CODE, with ! where the run is incomplete by it
	}{
		{"delay equal", "delay: {declared: 5s}", nil, "passed TM852"},
		{"delay other", "delay: {declared: 4999ms}", nil, "failed TM852"},
		{"delay inferred near", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 5900} }), "passed TM852"},
		{"delay inferred far", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 7000} }), "failed TM852"},
		{"delay upper above", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 70_000, Upper: true} }), "skipped TM852!"},
		{"delay upper below", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 2000, Upper: true} }), "failed TM852"},
		{"delay unknown", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.DelayKnown = false }), "skipped TM852!"},
		{"source unused", "delay: {declared: 5s}", source(func(s *facts.SourceFacts) { s.Used = model.UseNo }), "skipped TM852"},
		{"not running", "delay: {declared: 5s}", func(j *Job) { j.Facts.Running, j.Report.State = false, "FAILED" }, "skipped TM852!"},
		{"batch", "delay: {declared: 5s}", func(j *Job) { j.Facts.Batch = true }, "skipped TM852!"},
		{"covered", "delay: {covers: p99, measured: 5s}", nil, "passed TM850"},
		{"not covered", "delay: {covers: p99, measured: 5001ms}", nil, "failed TM850"},
		{"covered, inferred near", "delay: {covers: p99, measured: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 4500} }), "skipped TM850!"},
		{"covered, inferred below", "delay: {covers: p99, measured: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 3000} }), "failed TM850"},
		{"covered, upper", "delay: {covers: p99, measured: 5s}", source(func(s *facts.SourceFacts) { s.Delay = lag.Bound{Ms: 9000, Upper: true} }), "skipped TM850!"},
		{"covered, unknown", "delay: {covers: p99, measured: 5s}", source(func(s *facts.SourceFacts) { s.DelayKnown = false }), "skipped TM850!"},
		{"declared is judged where the force is unknown", "delay: {declared: 6s, covers: p99, measured: 5s}", source(func(s *facts.SourceFacts) { s.DelayKnown = false }), "passed TM850"},
		{"ten times", "delay: {at-most: 10x, measured: 500ms}", nil, "passed TM851"},
		{"above ten times", "delay: {at-most: 10x, measured: 499ms}", nil, "failed TM851"},
		{"no need at all", "delay: {at-most: 50x, measured: 0s}", nil, "passed TM851"},
		{"upper above ten times", "delay: {at-most: 10x, measured: 100ms}", source(func(s *facts.SourceFacts) { s.Delay.Declared, s.Delay.Upper = false, true }), "skipped TM851!"},
		{"sla below the delay", "delay: {sla: 4s, measured: 1s}", nil, "failed TM853"},
		{"sla without arrivals", "delay: {sla: 40s, measured: 1s}", nil, "skipped TM853!"},

		{"idle set", "idleness: {required: true}", nil, "passed TM854"},
		{"idle unset", "idleness: {required: true}", source(func(s *facts.SourceFacts) { s.Idle = facts.IdleFact{State: facts.IdleUnset} }), "failed TM854"},
		{"idle unknown", "idleness: {required: true}", source(func(s *facts.SourceFacts) { s.Idle = facts.IdleFact{} }), "skipped TM854!"},
		{"idle refuted", "idleness: {required: true}", func(j *Job) {
			j.Facts.Sources[0].Idle = facts.IdleFact{}
			found("TM102", "v1")(j)
		}, "failed TM854"},
		{"idle range", "idleness: {min: 1m, max: 1m}", nil, "passed TM855"},
		{"idle below", "idleness: {min: 61s}", nil, "failed TM855"},
		{"idle above", "idleness: {max: 59s}", nil, "failed TM855"},
		{"idle range overlaps", "idleness: {max: 57s}", source(func(s *facts.SourceFacts) { s.Idle.LowMs = 54_000 }), "skipped TM855!"},
		{"idle length unknown", "idleness: {max: 57s}", source(func(s *facts.SourceFacts) { s.Idle.LowMs, s.Idle.HighMs = 0, 0 }), "skipped TM855!"},
		{"excused", "idleness: {excused: heartbeats}", nil, "passed TM854"},
		{"excuse refuted", "idleness: {excused: heartbeats}", found("TM105", "v1"), "failed TM854"},

		{"lag", "max-lag: 3s", nil, "passed TM856"},
		{"lag above", "max-lag: 2999ms", nil, "failed TM856"},
		{"lag of none", "max-lag: 3s", func(j *Job) {
			j.Report.Vertices[0].LagMs, j.Report.Vertices[0].Min = nil, flinkapi.NoWatermark()
		}, "skipped TM856!"},
		{"lag of none, explained", "max-lag: 3s", func(j *Job) {
			j.Report.Vertices[0].LagMs, j.Report.Vertices[0].Min = nil, flinkapi.NoWatermark()
			found("TM101", "v1")(j)
		}, "failed TM856"},
		{"lag while all is silent", "max-lag: 3s", found("TM106", "v1"), "skipped TM856!"},
		{"lag of no event time", "max-lag: 3s", func(j *Job) { j.Facts.UsesEventTime = model.UseNo }, "skipped TM856"},
		{"lag of a young job", "max-lag: 3s", func(j *Job) { j.Facts.WarmingUp = true }, "skipped TM856!"},

		{"late", "late: {share: 0.1%}", nil, "passed TM857"},
		{"late above", "late: {share: 0.09%}", nil, "failed TM857"},
		{"late, one fetch", "late: {share: 0.1%}", operator(func(o *facts.OperatorFacts) { o.Dropped.Before = nan }), "skipped TM857!"},
		{"late, no counter", "late: {share: 0.1%}", operator(func(o *facts.OperatorFacts) { o.Counted, o.Uncounted = false, true }), "skipped TM857!"},
		{"late, input unread", "late: {share: 0.1%}", operator(func(o *facts.OperatorFacts) { o.Input = model.Gauge{Before: nan, Now: nan} }), "skipped TM857!"},
		{"late, none", "late: {share: 0}", operator(func(o *facts.OperatorFacts) { o.Dropped.Now = 10 }), "passed TM857"},
		{"late, nobody drops", "late: {share: 0.1%}", func(j *Job) { j.Facts.Operators = nil }, "skipped TM857!"},
		{"dropped", "late: {dropped: 11}", nil, "passed TM858"},
		{"dropped above", "late: {dropped: 10}", nil, "failed TM858"},
		{"dropped unread", "late: {dropped: 10}", operator(func(o *facts.OperatorFacts) { o.Dropped = model.Gauge{Before: nan, Now: nan} }), "skipped TM858!"},

		{"parallelism", "parallelism: {at-most-partitions: true}", nil, "passed TM859"},
		{"parallelism above", "parallelism: {at-most-partitions: true}", source(func(s *facts.SourceFacts) { s.Splits = 1 }), "failed TM859"},
		{"parallelism unknown", "parallelism: {at-most-partitions: true}", source(func(s *facts.SourceFacts) { s.SplitsKnown = false }), "skipped TM859!"},
		{"parallelism written down", "parallelism: {at-most-partitions: true, partitions: 1}", source(func(s *facts.SourceFacts) { s.SplitsKnown = false }), "failed TM859"},

		{"aligned", "alignment: {required: always}", source(func(s *facts.SourceFacts) { s.Alignment.Aligned = true }), "passed TM860"},
		{"not aligned", "alignment: {required: always}", nil, "failed TM860"},
		{"alignment unknown", "alignment: {required: always}", source(func(s *facts.SourceFacts) { s.Alignment.Known = false }), "skipped TM860!"},
		{"no backlog", "alignment: {required: for-backfill}", nil, "skipped TM860"},
		{"backlog", "alignment: {required: for-backfill}", found("TM304", "v1"), "failed TM860"},
		{"backlog unknown", "alignment: {required: for-backfill}", func(j *Job) { j.Unmet["TM304"] = "no pendingRecords" }, "skipped TM860!"},
		{"drift unknown", "alignment: {max-drift: 5s}", source(func(s *facts.SourceFacts) { s.Alignment.Aligned = true }), "skipped TM861!"},
		{"drift about", "alignment: {max-drift: 5s}", source(func(s *facts.SourceFacts) {
			s.Alignment = facts.AlignmentFact{Known: true, Aligned: true, DriftLowMs: 3000, DriftHiMs: 7000}
		}), "skipped TM861!"},
		{"drift above", "alignment: {max-drift: 5s}", source(func(s *facts.SourceFacts) {
			s.Alignment = facts.AlignmentFact{Known: true, Aligned: true, DriftLowMs: 6000, DriftHiMs: 10_000}
		}), "failed TM861"},
		{"drift covers", "alignment: {drift-at-least-idle-timeout: true}", source(func(s *facts.SourceFacts) {
			s.Alignment = facts.AlignmentFact{Known: true, Aligned: true, DriftLowMs: 60_000, DriftHiMs: 60_000}
		}), "passed TM502"},
		{"drift does not cover", "alignment: {drift-at-least-idle-timeout: true}", source(func(s *facts.SourceFacts) {
			s.Alignment = facts.AlignmentFact{Known: true, Aligned: true, DriftLowMs: 59_999, DriftHiMs: 59_999}
		}), "failed TM502"},
		{"drift against nothing", "alignment: {drift-at-least-idle-timeout: true}", nil, "skipped TM502"},

		{"interval", "emission-interval: {min: 200ms, max: 200ms}", nil, "passed TM862"},
		{"interval below", "emission-interval: {min: 201ms}", nil, "failed TM862"},
		{"interval off", "emission-interval: {min: 1ms}", source(func(s *facts.SourceFacts) { s.Emission.IntervalMs = 0 }), "failed TM862"},
		{"emit unknown", "emission-interval: {strategy: on-event}", nil, "skipped TM862!"},

		{"unit", "event-time: {unit: ms}", nil, "passed TM864"},
		{"unit far", "event-time: {unit: ms}", source(func(s *facts.SourceFacts) { s.NewestLagMs = 90_000_000 }), "skipped TM864!"},
		{"unit refuted", "event-time: {unit: ms}", found("TM201", "v1"), "failed TM864"},
		{"unit unknown", "event-time: {unit: ms}", source(func(s *facts.SourceFacts) { s.NewestKnown = false }), "skipped TM864!"},
		{"zone", "event-time: {zone: UTC}", nil, "passed TM865"},
		{"zone far", "event-time: {zone: UTC}", source(func(s *facts.SourceFacts) { s.NewestLagMs = 900_000 }), "skipped TM865!"},
		{"zone with a large delay", "event-time: {zone: UTC}", source(func(s *facts.SourceFacts) { s.NewestLagMs, s.Delay.Ms = 900_000, 890_000 }), "passed TM865"},
		{"field of an expression", "event-time: {field: ts}", source(func(s *facts.SourceFacts) { s.Expr = "-(ts, 5000:INTERVAL SECOND)" }), "passed TM863"},
		{"field of another", "event-time: {field: t}", source(func(s *facts.SourceFacts) { s.Expr = "(ts - 5000:INTERVAL SECOND)" }), "failed TM863"},
		{"field computed", "event-time: {field: t}", source(func(s *facts.SourceFacts) { s.Expr = "-(TO_TIMESTAMP(ts), 5000:INTERVAL SECOND)" }), "skipped TM863!"},
		{"field unknown", "event-time: {field: t}", nil, "skipped TM863!"},

		{"counted", "lateness: {watched: counter}", nil, "passed TM868"},
		{"not counted", "lateness: {watched: counter}", operator(func(o *facts.OperatorFacts) { o.Counted, o.Uncounted = false, true }), "failed TM868"},
		{"side output", "lateness: {watched: side-output, sink: Late}", nil, "passed TM868"},
		{"no side output", "lateness: {watched: side-output, sink: Late2}", nil, "failed TM868"},
		{"nobody looks", "lateness: {watched: none, reason: they are sampled}", nil, "passed TM868"},

		{"strategy", "strategy: on-source", nil, "passed TM877"},
		{"strategy unseen", "strategy: on-source", source(func(s *facts.SourceFacts) { s.AtSource, s.Out = false, flinkapi.NoWatermark() }), "skipped TM877!"},
		{"strategy missing", "strategy: on-source", func(j *Job) {
			j.Facts.Sources[0].AtSource = false
			found("TM101", "v1")(j)
		}, "failed TM877"},

		{"other source", "source: Payments", nil, "failed TM875"},
		{"forbidden and judged", "forbid: [TM105]", nil, "passed TM105"},
		{"forbidden and not judged", "forbid: [TM105]", func(j *Job) { j.Unmet["TM105"] = "why" }, "skipped TM105!"},
		{"not judged", "max-lag: 1m", func(j *Job) { j.Unmet["TM105"] = "why" }, "skipped TM105"},
	} {
		holds(t, c.name, c.keys, c.change, c.want)
	}
}

// holds judges keys at the job; want is STATUS CODE, with ! where the run is incomplete by it.
func holds(t *testing.T, name, keys string, change func(*Job), want string) {
	t.Helper()
	p := parsed(t, "version: 1\njobs:\n  - {name: orders, owner: x, "+keys+"}\n")
	in := Input{Jobs: []Job{job(change)}, JobsRead: true, Measured: map[*Measured]Measurement{}}
	if d := p.Jobs[0].Delay; d != nil && d.Measured != nil {
		in.Measured[d.Measured] = Measurement{Source: "the policy", NeedMs: d.Measured.Value.Ms, NeedSQLMs: d.Measured.Value.Ms}
	}
	run, err := Evaluate([]*Policy{p}, in)
	if err != nil {
		t.Fatal(name, err)
	}
	status, essential := strings.CutSuffix(want, "!")
	hit := false
	for _, r := range run.Results {
		hit = hit || string(r.Status)+" "+r.Code == status && r.Essential == essential
	}
	if !hit {
		t.Errorf("%s: no %s in", name, want)
		for _, r := range run.Results {
			if r.Key != "" {
				t.Logf("  %s %s %v %s", r.Status, r.Code, r.Essential, r.Message)
			}
		}
	}
	if essential && run.Outcome == OutcomePassed {
		t.Errorf("%s: passed though a demand was not judged", name)
	}
}

func TestOutcomes(t *testing.T) {
	const rule = "version: 1\njobs:\n  - {name: orders, owner: x, %}\n"
	for _, c := range []struct {
		name, keys, failOn string
		least              catalog.Severity
		change             func(*Job)
		want               Outcome
	}{
		{"clean", "max-lag: 1m", "", "", nil, OutcomePassed},
		{"warning fails by default", "max-lag: 1s", "", "", nil, OutcomeFailed},
		{"warning below critical", "max-lag: 1s", "critical", "", nil, OutcomePassed},
		{"nothing fails", "max-lag: 1s, forbid: [TM102]", "none", "", found("TM102", "v1"), OutcomePassed},
		{"left out, still failed", "max-lag: 1s", "", catalog.Critical, nil, OutcomeFailed},
		{"forbidden counts whatever its severity", "forbid: [TM402]", "critical", "", found("TM402", "v1"), OutcomeFailed},
		{"warned of fails nothing", "warn: [TM102]", "", "", found("TM102", "v1"), OutcomePassed},
		{"failed beats incomplete", "max-lag: 1s, idleness: {required: true}", "", "", source(func(s *facts.SourceFacts) { s.Idle = facts.IdleFact{} }), OutcomeFailed},
		{"incomplete is no pass", "idleness: {required: true}", "none", "", source(func(s *facts.SourceFacts) { s.Idle = facts.IdleFact{} }), OutcomeIncomplete},
		{"a young job", "warn: []", "", "", func(j *Job) { j.Facts.WarmingUp = true }, OutcomeIncomplete},
		{"a job that does not run", "warn: []", "", "", func(j *Job) { j.Facts.Running = false }, OutcomeIncomplete},
		{"metrics are missing", "warn: []", "", "", func(j *Job) {
			j.Essential, j.Report.NotChecked = true, []catalog.NotChecked{{Code: "TM904", Reason: "no watermark metrics"}}
		}, OutcomeIncomplete},
	} {
		p := parsed(t, strings.Replace(rule, "%", c.keys, 1))
		run, err := Evaluate([]*Policy{p}, Input{Jobs: []Job{job(c.change)}, JobsRead: true, FailOn: c.failOn, MinSeverity: c.least})
		if err != nil || run.Outcome != c.want {
			t.Errorf("%s: %s, want %s; %v %q", c.name, run.Outcome, c.want, err, run.Incomplete)
		}
		if c.least == catalog.Critical && (run.LeftOut != 1 || run.LeftOutOf[catalog.Warning] != 1 || len(run.Results) == 0) {
			t.Errorf("%s: %d left out", c.name, run.LeftOut)
		}
	}
}

// A fingerprint names a result over runs: it does not follow values, lines, subtasks or ids.
func TestFingerprintsAreStable(t *testing.T) {
	prints := func(text string, change func(*Job)) map[string]bool {
		run, err := Evaluate([]*Policy{parsed(t, text)}, Input{Jobs: []Job{job(change)}, JobsRead: true})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, r := range run.Results {
			out[r.Fingerprint] = true
		}
		if len(out) != len(run.Results) {
			t.Errorf("%d fingerprints of %d results", len(out), len(run.Results))
		}
		return out
	}
	a := prints("version: 1\njobs:\n  - {name: orders, owner: x, max-lag: 1s, late: {share: 1%}}\n", nil)
	b := prints("# moved\n\nversion: 1\njobs:\n  - name: orders\n    owner: y\n    max-lag: 2s\n    late: {share: 0.01%}\n", func(j *Job) {
		lag := int64(99_000)
		j.Report.Vertices[0].LagMs, j.Report.Vertices[0].ID = &lag, "other"
		j.Facts.Sources[0].Vertex.ID = "other"
	})
	for f := range a {
		if !b[f] {
			t.Errorf("%s is gone", f)
		}
	}
}
