package kafkastats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// stream invents records: partitions in turn, a day of arrival time whatever their number, exponential
// delays. The same buffer is used for every record, as a source may.
type stream struct {
	records, partitions int
	broken              int // every so many-th record is no JSON; 0: none
}

func (s stream) Read(ctx context.Context, yield func(*record.Raw) error) error {
	r := rand.New(rand.NewPCG(3, 9))
	var value []byte
	offsets := make([]int64, s.partitions)
	for i := range s.records {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p := i % s.partitions
		at := int64(1_796_000_000_000) + int64(float64(i)*86_400_000/float64(s.records))
		value = append(value[:0], `{"id":`...)
		value = strconv.AppendInt(value, int64(i), 10)
		value = append(value, `,"event_time":`...)
		value = strconv.AppendInt(value, at-int64(r.ExpFloat64()*3000), 10)
		value = append(value, `,"note":"text that makes the record as long as records usually are"}`...)
		if s.broken > 0 && i%s.broken == s.broken-1 {
			value = append(value[:0], "oops"...)
		}
		raw := record.Raw{Topic: "orders", Partition: int32(p), Offset: offsets[p], Timestamp: at, Type: record.AppendTime, Value: value, First: offsets[p] == 0}
		offsets[p]++
		if err := yield(&raw); err != nil {
			return err
		}
	}
	return nil
}

func reading(t testing.TB, o Options) Options {
	t.Helper()
	e, err := decode.New(t.Context(), decode.Options{Format: decode.JSON, Field: "event_time"})
	if err != nil {
		t.Fatal(err)
	}
	o.Extractor = e
	return o
}

// direct is the same measurement without a goroutine, batches or anything held back.
func direct(t testing.TB, src record.Source, o Options) *measure.Measurement {
	t.Helper()
	o.Measure.MaxWaiting = headPoints
	c := measure.NewCollector(o.Measure)
	var points []record.Point
	if err := src.Read(t.Context(), func(r *record.Raw) error {
		p, _ := o.Extractor.Point(r)
		c.Expect(p.Partition)
		points = append(points, p)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		c.Add(p)
	}
	return c.Finish()
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCountingOnTheSideChangesNothing(t *testing.T) {
	for _, s := range cases.Some([]stream{{0, 1, 0}, {1, 1, 0}, {batchPoints, 3, 0}, {batchPoints + 1, 3, 0}, {cases.Of(5_000, 50_000), 8, 0}, {cases.Of(2_000, 20_000), 5, 7}, {headPoints + 5000, 2, 0}}, 4) {
		few := 2
		if s.records > headPoints {
			few = 1
		}
		for _, exact := range cases.Some([]bool{false, true}, few) {
			o := func() Options {
				m := measure.Options{Windows: []int64{60_000}, IdleMs: 30_000, EmitMs: 200}
				if exact {
					m.Exact = &hist.Budget{Left: 5000}
				}
				return reading(t, Options{Measure: m, MaxErrors: -1, Keep: 1000})
			}
			out, err := MeasureRecords(t.Context(), s, o())
			if err != nil || out.Incomplete != "" {
				t.Fatal(err, out.Incomplete)
			}
			if got, want := text(t, out.Measurement), text(t, direct(t, s, o())); got != want {
				t.Errorf("%+v exact %v: with the goroutine\n%.3000s\nwithout\n%.3000s", s, exact, got, want)
			}
			usable := s.records
			if s.broken > 0 {
				usable -= s.records / s.broken
			}
			if len(out.Kept) != min(usable, 1000) || out.KeptAll != (usable <= 1000) {
				t.Errorf("%+v: %d kept, all %v", s, len(out.Kept), out.KeptAll)
			}
		}
	}
}

func TestKeepHoldsTheFirstPointsWhateverTheirNumber(t *testing.T) {
	const n = 100_000
	out, err := MeasureRecords(t.Context(), stream{records: n, partitions: 4}, reading(t, Options{Keep: 90_000}))
	if err != nil || len(out.Kept) != 90_000 || out.KeptAll {
		t.Fatal(err, len(out.Kept), out.KeptAll)
	}
	for i, p := range out.Kept {
		if p.Partition != int32(i%4) || p.Offset != int64(i/4) {
			t.Fatalf("point %d is offset %d of partition %d", i, p.Offset, p.Partition)
		}
	}
}

func TestStoppingKeepsWhatWasRead(t *testing.T) {
	out, err := MeasureRecords(t.Context(), stream{records: 10_000, partitions: 2, broken: 10}, reading(t, Options{MaxErrors: 20}))
	if !errors.Is(err, ErrTooMany) || out.Measurement.Total().Records != 189 || len(out.Errors) != maxShownErrors || out.Incomplete == "" {
		t.Errorf("%v, %d records, %d errors named, incomplete %q", err, out.Measurement.Total().Records, len(out.Errors), out.Incomplete)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	out, err = MeasureRecords(ctx, stopped{stream{records: 1_000_000, partitions: 2}, func() {
		if n++; n == 5000 {
			cancel()
		}
	}}, reading(t, Options{}))
	if got := out.Measurement.Total().Records; err != nil || out.Incomplete != "interrupted" || got < 5000 || got > 7000 {
		t.Errorf("%v, %q, %d records", err, out.Incomplete, got)
	}
}

// stopped calls a function for every record.
type stopped struct {
	record.Source
	each func()
}

func (s stopped) Read(ctx context.Context, yield func(*record.Raw) error) error {
	return s.Source.Read(ctx, func(r *record.Raw) error {
		s.each()
		return yield(r)
	})
}

// However the records interleave, batches reach the collector in order.
func TestBatchesOfAnyInterleavingAddUp(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		var raws []record.Raw
		next := map[int32]int64{}
		for len(raws) < 9000 {
			p := int32(r.IntN(6))
			for range 1 + r.IntN(4000) {
				at := int64(1_796_000_000_000) + next[p]*10
				raws = append(raws, record.Raw{Partition: p, Offset: next[p], Timestamp: at, Type: record.AppendTime, First: next[p] == 0, Value: fmt.Appendf(nil, `{"event_time":%d}`, at-next[p]*7919%500)})
				next[p]++
			}
		}
		src := given(raws)
		out, err := MeasureRecords(t.Context(), src, reading(t, Options{}))
		if err != nil || text(t, out.Measurement) != text(t, direct(t, src, reading(t, Options{}))) {
			t.Fatal("order matters", seed, err)
		}
	}
}

type given []record.Raw

func (g given) Read(_ context.Context, yield func(*record.Raw) error) error {
	for i := range g {
		r := g[i]
		if err := yield(&r); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkMeasureRecords is decoding and counting without any broker. The reference yields the same
// records and does nothing with them.
func BenchmarkMeasureRecords(b *testing.B) {
	s := stream{records: 300_000, partitions: 8}
	perRecord := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.records), "ns/record")
	}
	b.Run("measured", func(b *testing.B) {
		for b.Loop() {
			if _, err := MeasureRecords(b.Context(), s, reading(b, Options{Keep: 100_000})); err != nil {
				b.Fatal(err)
			}
		}
		perRecord(b)
	})
	b.Run("yielded", func(b *testing.B) {
		for b.Loop() {
			if err := s.Read(b.Context(), func(*record.Raw) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
		perRecord(b)
	})
}
