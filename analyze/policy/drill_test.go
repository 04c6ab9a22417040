package policy

import (
	"testing"

	"tidemark/analyze/drill"
	"tidemark/analyze/facts"
	"tidemark/analyze/model"
)

func seen(v float64) drill.Number { return drill.Number{Value: &v} }

// replayed is a replay of the one source of job, an hour behind, that runs on at 7x.
func replayed(change func(*drill.Result)) func(*Job) {
	return func(j *Job) {
		r := &drill.Result{
			Sources:      []drill.SourceResult{{Of: model.Ref{ID: "v1", Name: "Orders"}, Speed: seen(7), Records: seen(400), CatchUp: seen(600_000), Apart: seen(30_000)}},
			SourcesApart: seen(20_000), CheckpointSize: seen(1 << 30), SizeGrowth: seen(2), CheckpointMs: seen(9000), DurationGrowth: seen(1.5), FailedCheckpoints: seen(1),
			Drops: []drill.Drops{{Of: model.Ref{ID: "v2", Name: "Window"}, Operator: "Window", Dropped: seen(10), Share: seen(0.001)}},
		}
		if change != nil {
			change(r)
		}
		j.Drill = r
	}
}

// Each limit of a drill at what keeps it, breaks it, does not apply, or was not seen: which is never passed.
func TestDrillIsJudgedByWhatWasSeen(t *testing.T) {
	catchUp := func(n drill.Number) func(*Job) {
		return replayed(func(r *drill.Result) { r.Sources[0].CatchUp = n })
	}
	for _, c := range []struct {
		keys   string
		change func(*Job)
		want   string
	}{
		{"speed: 7x", replayed(nil), "passed TM881"},
		{"speed: 7.1x", replayed(nil), "failed TM881"},
		{"records: 400", replayed(nil), "passed TM881"},
		{"records: 401", replayed(nil), "failed TM881"},
		{"catch-up: 10m", replayed(nil), "passed TM882"},
		{"catch-up: 9m59s", replayed(nil), "failed TM882"},
		{"catch-up: 10m", catchUp(drill.Unknown("no replay was seen")), "skipped TM882!"},
		{"catch-up: 10m", catchUp(drill.Number{Never: true, Why: "it is slow"}), "failed TM882"},
		{"split-spread: 30s", replayed(nil), "passed TM883"},
		{"split-spread: 29s", replayed(nil), "failed TM883"},
		{"split-spread: 29s", replayed(func(r *drill.Result) { r.Sources[0].Apart = drill.Number{Moot: true, Why: "one split"} }), "skipped TM883"},
		{"source-spread: 20s", replayed(nil), "passed TM884"},
		{"source-spread: 19s", replayed(nil), "failed TM884"},
		{"checkpoint-size: 1 GB", replayed(nil), "passed TM885"},
		{"checkpoint-size: 1023 MB", replayed(nil), "failed TM885"},
		{"checkpoint-size: 1 GB", replayed(func(r *drill.Result) { r.CheckpointSize = drill.Unknown("no checkpoint") }), "skipped TM885!"},
		{"checkpoint-size-growth: 2x", replayed(nil), "passed TM885"},
		{"checkpoint-size-growth: 1.9x", replayed(nil), "failed TM885"},
		{"checkpoint-duration: 9s", replayed(nil), "passed TM886"},
		{"checkpoint-duration: 8s", replayed(nil), "failed TM886"},
		{"checkpoint-duration-growth: 1.4x", replayed(nil), "failed TM886"},
		{"failed-checkpoints: 1", replayed(nil), "passed TM886"},
		{"failed-checkpoints: 0", replayed(nil), "failed TM886"},
		{"dropped: 10", replayed(nil), "passed TM887"},
		{"dropped: 9", replayed(nil), "failed TM887"},
		{"dropped-share: 0.1%", replayed(nil), "passed TM887"},
		{"dropped-share: 0.09%", replayed(nil), "failed TM887"},
		{"dropped: 0", replayed(func(r *drill.Result) { r.Drops = nil }), "skipped TM887!"},
		{"speed: 2x", nil, "skipped TM881!"},
		{"speed: 2x", func(j *Job) { replayed(nil)(j); j.Facts.Running, j.Report.State = false, "FAILED" }, "skipped TM881!"},
		{"speed: 2x", func(j *Job) {
			replayed(nil)(j)
			source(func(s *facts.SourceFacts) { s.Vertex.ID = "other" })(j)
		}, "skipped TM881!"},
	} {
		holds(t, c.keys, "drill: {"+c.keys+"}", c.change, c.want)
	}
}
