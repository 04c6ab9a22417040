package run

import (
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/job"
)

type nowhere struct{}

func (nowhere) EmitWatermark(int64)            {}
func (nowhere) EmitStatus(bool)                {}
func (nowhere) Record(int, int64, int64) error { return nil }

// What waits is counted when it comes and when it goes, and at most.
func TestWhatIsHeldIsCounted(t *testing.T) {
	for name, work := range map[string]job.Work{
		"match":         {Kind: job.Wait, Buffer: engine.Match},
		"sort":          {Kind: job.Wait, Buffer: engine.Sort},
		"temporal join": {Kind: job.TemporalJoin},
		"window":        {Kind: job.Window, Window: engine.WindowSpec{Shape: engine.Tumbling, SizeMs: 10}},
	} {
		r := &run{}
		k := &task{op: &job.Operator{Work: work}, now: func() int64 { return 0 }}
		w, err := r.newWork(k.op, engine.Context{Out: nowhere{}, Now: k.now, Emit: func(int64, int64) {}}, k)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ts := int64(5); ts < 35; ts += 10 {
			if err := w.Record(0, 1, ts); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if k.open != 3 || k.peak != 3 {
			t.Errorf("%s: %d held, %d at most, want 3 and 3", name, k.open, k.peak)
		}
		if w.EmitWatermark(19); k.open != 1 || k.peak != 3 {
			t.Errorf("%s: %d held behind a watermark, %d at most, want 1 and 3", name, k.open, k.peak)
		}
	}
}
