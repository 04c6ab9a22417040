package whatif

import (
	"testing"

	"tidemark/analyze/model"
	"tidemark/engine/twin/run"
)

// A record that was read before the first sample and waited in a buffer is counted after it, and one that
// waits at the second sample is not counted yet.
func TestLateRecordsOnTheirWay(t *testing.T) {
	source, window := &model.Vertex{ID: "source"}, &model.Vertex{ID: "window"}
	window.In = []*model.Edge{{From: source, To: window}}
	b := &base{}
	b.before.at, b.now.at = map[string]int64{"window": 10_000, "source": 10_000}, map[string]int64{"window": 20_000, "source": 20_000}
	d := &design{}
	var f playbacks
	for v := range variants {
		f[v] = &playback{at: map[int64]*run.Snapshot{}}
		for ms := int64(9000); ms <= 21_000; ms += 10 {
			f[v].at[ms] = &run.Snapshot{AtMs: ms}
		}
	}
	tenASecond := func(s *run.Snapshot) int64 { return s.AtMs / 100 }
	if got := b.rise(d, f, source, tenASecond); got.From != 100 || got.To != 100 {
		t.Errorf("at the source: %+v", got)
	}
	if got := b.rise(d, f, window, tenASecond); got.From != 99 || got.To != 101 {
		t.Errorf("behind an exchange: %+v", got)
	}
}
