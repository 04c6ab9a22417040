package whatif

import (
	"fmt"
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// A million records in 15 min through ten vertices: unchanged, and with one and two changes.
func BenchmarkAMillionRecords(b *testing.B) {
	const start, end = 1_796_000_000_000, 1_796_000_900_000
	src := &job.Source{Strategy: job.Strategy{Strategy: engine.Strategy{BoundMs: 2000, IntervalMs: 200}}}
	for p := range 4 {
		src.Splits = append(src.Splits, job.Split{Topic: "t", Partition: p, Subtask: p % 2,
			Records: records.Schedule{Seed: uint64(p), Keys: 100, Phases: []records.Phase{{FromMs: start, ToMs: end + 5000, EveryMs: 3.6, LateMs: 1500}}}})
	}
	w := &job.Job{Name: "chain", ID: "c0ffee00000000000000000000000000", Flink: engine.Latest, StartsMs: []int64{start - 1000}, Operators: []job.Operator{{Name: "Source: Orders", Parallelism: 2, Source: src}}}
	for i := range 9 {
		op := job.Operator{Name: fmt.Sprintf("Map%d", i), Parallelism: 2, Inputs: []job.Input{{Ship: engine.Hash, From: []int{i}}}}
		if i == 8 {
			op.Name, op.Text = "TumblingEventTimeWindows", "TumblingEventTimeWindows(10000), EventTimeTrigger"
			op.Work = job.Work{Kind: job.Window, Window: engine.WindowSpec{SizeMs: 10_000}}
		}
		w.Operators = append(w.Operators, op)
	}
	x, logs := stage(b, w, end-15_000, end)
	for _, change := range [][]string{nil, {"Orders.delay=1s"}, {"a: Orders.delay=1s", "b: Orders.delay=20s"}} {
		columns := 1 + len(change)
		b.Run(fmt.Sprint("columns=", columns), func(b *testing.B) {
			set, err := ParseSettings("set", change)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				res, err := Answer(x, logs, 900_000, set, nil)
				if err != nil || !res.Reproduces() || len(res.Columns) != columns || res.Judged.Records < 950_000 {
					b.Fatalf("%v %+v", err, res)
				}
			}
		})
	}
}
