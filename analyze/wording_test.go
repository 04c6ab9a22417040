package analyze

import (
	"slices"
	"testing"

	"tidemark/analyze/checks"
	"tidemark/analyze/model"
	"tidemark/flinkapi"
)

func TestGapsNameTheVertexAndTheMetric(t *testing.T) {
	j := &model.Job{Vertices: []*model.Vertex{{ID: "v1", Name: "Source: Orders"}}}
	late := []string{"0.W.numLateRecordsDropped", "1.W.numLateRecordsDropped", "0.W.numRecordsIn"}
	gaps := unanswered(j, []flinkapi.Gap{
		{Vertex: "v1", Endpoint: flinkapi.MetricIDList, Status: 404, Cause: "Unable to load requested file /bad-request."},
		{Vertex: "v1", Endpoint: flinkapi.MetricIDList, Status: 404, Cause: "Unable to load requested file /bad-request.", Sample: 1},
		{Vertex: "gone", Endpoint: flinkapi.VertexAnswer, Status: 403, Cause: "no"},
		{Vertex: "v1", Endpoint: flinkapi.MetricValues, IDs: late, Status: 200, Cause: "not in the answer"},
		{Endpoint: flinkapi.JobExceptions, Status: 500, Cause: "x"},
	})
	var got []string
	for _, n := range gaps {
		got = append(got, n.Reason)
	}
	if at := gaps[0].Place; at == nil || at.Vertex.ID != "v1" || gaps[1].Place != nil {
		t.Errorf("the places are %v and %v", at, gaps[1].Place)
	}
	if got, want := gaps[0].Untold, `Whether the watermark of "Orders" advances is unknown: its metrics could not be read: the request was longer than Flink accepts; read the job again`; got != want {
		t.Errorf("a headline says %q", got)
	}
	want := []string{
		`"Source: Orders": metrics: HTTP 404: the request line was longer than the 4,096 bytes that Flink accepts`,
		"gone: subtasks: HTTP 403, no",
		`"Source: Orders": numLateRecordsDropped, numRecordsIn: not in the answer`,
		"exceptions: HTTP 500, x",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWithMillisWritesANumberOnce(t *testing.T) {
	if got := checks.WithMillis("1796011309805999 ms", 1796011309805999); got != "1796011309805999 ms" {
		t.Errorf("got %q", got)
	}
	if got := checks.WithMillis("1970-01-21T18:53:29.308Z", 1796009308); got != "1970-01-21T18:53:29.308Z (1796009308 ms)" {
		t.Errorf("got %q", got)
	}
}

func TestFailedTaskWithoutAName(t *testing.T) {
	if model.FailedTask("") != "job" || model.FailedTask("Map (1/2)") != `"Map (1/2)"` {
		t.Errorf("%s, %s", model.FailedTask(""), model.FailedTask("Map (1/2)"))
	}
}

func TestAGaugeIsFailedWhereItsAnswerFailed(t *testing.T) {
	failed := &model.Vertex{Sample: &flinkapi.VertexSample{Missing: []flinkapi.Gap{{Endpoint: flinkapi.MetricValues, Status: 404}}}}
	other := &model.Vertex{Sample: &flinkapi.VertexSample{Missing: []flinkapi.Gap{{Endpoint: flinkapi.VertexPressure, Status: 500}}}}
	var absent flinkapi.Watermark
	if got := orFailed(failed, absent).State(); got != flinkapi.Failed {
		t.Errorf("an answer that failed leaves %s", got)
	}
	if got := orFailed(failed, flinkapi.KnownWatermark(7)); !got.IsKnown() {
		t.Errorf("a value that was read became %s", got)
	}
	for _, v := range []*model.Vertex{other, {}} {
		if got := orFailed(v, absent).State(); got != flinkapi.Absent {
			t.Errorf("got %s", got)
		}
	}
}
