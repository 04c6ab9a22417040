package run

import (
	"fmt"
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

// chain is a job of n vertices, two subtasks each: a source of four splits, functions, and a window.
func chain(n int, perSplit int, everyMs float64) *job.Job {
	const start = 1_796_000_000_000
	src := &job.Source{Strategy: job.Strategy{Strategy: engine.Strategy{BoundMs: 2000, IntervalMs: 200}}}
	for p := range 4 {
		var log records.Log
		for i := range perSplit {
			at := start + int64(float64(i)*everyMs) + int64(p)
			log = append(log, job.Record{ArrivalMs: at, EventMs: at - int64(i*7919%1500), Key: int64(i % 100)})
		}
		src.Splits = append(src.Splits, job.Split{Topic: "t", Partition: p, Subtask: p % 2, Records: log})
	}
	j := &job.Job{Name: "chain", Flink: engine.Latest, StartsMs: []int64{start - 1000}, Operators: []job.Operator{{Name: "Source", Parallelism: 2, Source: src}}}
	for i := 1; i < n; i++ {
		op := job.Operator{Name: fmt.Sprintf("Map%d", i), Parallelism: 2, Inputs: []job.Input{{Ship: engine.Hash, From: []int{i - 1}}}}
		if i == n-1 {
			op.Name, op.Work = "Window", job.Work{Kind: job.Window, Window: engine.WindowSpec{SizeMs: 10_000}}
		}
		j.Operators = append(j.Operators, op)
	}
	return j
}

// A million records in 15 min through ten vertices, as what-if plays a job. The reference is the same
// records through the window alone: what a record costs next to its way through the job.
func BenchmarkTenVertices(b *testing.B) {
	for _, n := range []int{2, 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			j := chain(n, 250_000, 3.6)
			end := j.StartsMs[0] + 905_000
			b.ReportAllocs()
			for b.Loop() {
				shots, err := Play(j, Watch{}, end)
				if err != nil {
					b.Fatal(err)
				}
				if got := shots[0].Operators[n-1].Subtasks[0].Received + shots[0].Operators[n-1].Subtasks[1].Received; got != 1_000_000 {
					b.Fatalf("%d records arrived", got)
				}
			}
		})
	}
}
