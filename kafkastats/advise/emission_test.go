package advise

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// dense is two partitions of a record every 4 ms with exponential delays.
func dense(seed uint64, n int) []record.Point {
	r := rand.New(rand.NewPCG(seed, 3))
	var streams [2][][2]int64
	for i := range n {
		for p := range streams {
			at := epoch + int64(i)*4 + int64(p)
			streams[p] = append(streams[p], [2]int64{at, at - int64(r.ExpFloat64()*300)})
		}
	}
	return byArrival(stream(0, streams[0]), stream(1, streams[1]))
}

// The estimate explains; it must never move the recommendation, and never exceed the guaranteed share.
func TestEmissionNeverMovesTheRecommendation(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ps := dense(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(50, 900).Draw(t, "n"))
		tgt, err := ParseTarget(rapid.SampledFrom([]string{"p99", "p99.9", "5%"}).Draw(t, "target"))
		if err != nil {
			t.Fatal(err)
		}
		emit := rapid.SampledFrom([]int64{1, 200, 3000}).Draw(t, "emit")
		o := Options{Target: tgt, EmitMs: emit}
		with, without := Recommend(measured(measure.Options{EmitMs: emit}, ps), o), Recommend(measured(measure.Options{}, ps), o)
		e := with.Advice.AsDeployed
		if without.Advice.AsDeployed != nil || e == nil || e.DelayMs != with.Advice.RoundedMs || e.EmitMs != emit {
			t.Fatalf("with %+v, without %+v", e, without.Advice.AsDeployed)
		}
		if e.LeastRecords > e.LateRecords || e.LateRecords > e.MostRecords || e.Late > e.OnEvent || e.LateRecords > float64(with.Advice.Late.Records) {
			t.Fatalf("%+v against %+v", e, with.Advice.Late)
		}
		if math.Abs(e.Late*float64(with.Records)-e.LateRecords) > 1e-6 {
			t.Fatalf("share %v of %d is not %v", e.Late, with.Records, e.LateRecords)
		}
		for i, p := range with.Curve {
			if p.Deployed != nil && *p.Deployed > p.Late {
				t.Fatalf("at %d ms %v as deployed, %v at most", p.DelayMs, *p.Deployed, p.Late)
			}
			with.Curve[i].Deployed = nil
		}
		a, b := with.Advice, without.Advice
		if a.DataStreamMs != b.DataStreamMs || a.SQLMs != b.SQLMs || a.RoundedMs != b.RoundedMs || a.Verdict != b.Verdict || a.Late != b.Late {
			t.Fatalf("the estimate changed the advice:\n%+v\n%+v", a, b)
		}
	})
}

func TestEmissionIsAbsentWhereArrivalIsNotKnown(t *testing.T) {
	ps := dense(1, 300)
	o := Options{Target: target(t, "p99"), EmitMs: 200}
	ps[400].Type = record.CreateTime
	if e := Recommend(measured(measure.Options{EmitMs: 200}, ps), o).Advice.AsDeployed; e != nil {
		t.Errorf("one record of unknown arrival, and still %+v", e)
	}
}
