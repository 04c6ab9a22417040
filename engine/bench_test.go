package engine

import (
	"math"
	"testing"
	"time"
)

// schedule is what both benchmarks run: 8 splits in turn, event times rising
// with a jitter, the clock one millisecond on every 128 records. GoldenBench.java
// runs the same through Flink's own classes.
type schedule struct {
	splits []int32
	times  []int64
}

func newSchedule(n int) schedule {
	s := schedule{make([]int32, n), make([]int64, n)}
	seed := uint64(88172645463325252)
	for i := range n {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		s.splits[i] = int32(seed>>5) & 7
		s.times[i] = 1_700_000_000_000 + int64(i)/16 - int64(seed>>40)%2000
	}
	return s
}

// BenchmarkSource is one source subtask with 8 splits, bounded out-of-orderness
// of 5 s, idleness of 60 s and emission every 200 ms: the figure to hold against
// GoldenBench. It must not allocate. "single" hands records over one by one,
// "batch" as a fetch of 128.
func BenchmarkSource(b *testing.B) {
	b.Run("single", func(b *testing.B) {
		benchmarkSource(b, func(s *Source, splits []int32, times []int64) error {
			for i, split := range splits {
				if err := s.Record(int(split), times[i]); err != nil {
					return err
				}
			}
			return nil
		})
	})
	b.Run("batch", func(b *testing.B) {
		benchmarkSource(b, (*Source).Records)
	})
}

func benchmarkSource(b *testing.B, read func(*Source, []int32, []int64) error) {
	const n, fetch = 1 << 20, 128
	sched := newSchedule(n)
	out := &countOutput{}
	source, err := NewSource(SourceConfig{Strategy: Strategy{BoundMs: 5000, IdleMs: 60000, IntervalMs: 200}}, out)
	if err != nil {
		b.Fatal(err)
	}
	for range 8 {
		source.AddSplit()
	}
	b.ReportAllocs()
	clock, best := int64(0), time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		for i := 0; i < n; i += fetch {
			clock++
			if err := source.AdvanceTo(clock); err != nil {
				b.Fatal(err)
			}
			if err := read(source, sched.splits[i:i+fetch], sched.times[i:i+fetch]); err != nil {
				b.Fatal(err)
			}
		}
		best = min(best, time.Since(start))
	}
	// The best round, as GoldenBench reports it: other work on the machine only adds.
	b.ReportMetric(n/best.Seconds()/1e6, "Mrecords/s")
	if out.watermarks == 0 {
		b.Fatal("no watermark came out")
	}
}

type countOutput struct {
	watermarks, statuses int
	last                 int64
}

func (c *countOutput) EmitWatermark(ts int64) { c.watermarks++; c.last = ts }
func (c *countOutput) EmitStatus(bool)        { c.statuses++ }

// BenchmarkReplay is a million records through four strategies with a window.
func BenchmarkReplay(b *testing.B) {
	const n = 1_000_000
	sched := newSchedule(n)
	b.ReportAllocs()
	for b.Loop() {
		for _, bound := range []int64{0, 500, 1000, 5000} {
			r, err := NewReplayer(ReplayConfig{
				Strategy: Strategy{BoundMs: bound, IntervalMs: 200, IdleMs: 30000}, Splits: 8, Parallelism: 4,
				Windows: []WindowSpec{{SizeMs: 10_000}},
			})
			if err != nil {
				b.Fatal(err)
			}
			for i := range n {
				if err := r.Add(Record{sched.splits[i], 1_700_000_000_000 + int64(i)/16, sched.times[i]}); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Finish(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/4x1M")
}
