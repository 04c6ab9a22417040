package render

import (
	"bytes"
	"strings"
	"testing"

	"tidemark/analyze"
)

// The state of a split that is both idle and paused is not cut.
func TestWatermarksOfAnIdlePausedSplitFit(t *testing.T) {
	yes := true
	r := richReport()
	r.Jobs[0].Vertices[0].Subtasks = []analyze.SubtaskReport{{Splits: []analyze.SplitReport{
		{ID: strings.Repeat("orders", 20) + "-1", Idle: &yes, Paused: &yes}, {ID: "o-2", Watermark: r.Jobs[0].Vertices[0].Min, Idle: &yes, Paused: &yes},
	}}}
	var b bytes.Buffer
	if err := Watermarks(r).Write(&b, Table, Options{}); err != nil {
		t.Fatal(err)
	}
	narrow(t, b.String(), 80)
	if !strings.Contains(b.String(), "idle paused") {
		t.Errorf("the state is cut:\n%s", b.String())
	}
}
