package measure

import (
	"math"
	"math/rand/v2"
	"testing"
)

// blocksOf holds n records in each block, of which so many have a disorder of 5 s.
func blocksOf(n uint64, over []float64) *Blocks {
	b := &Blocks{}
	for i, late := range over {
		h := b.at(int64(i))
		h.AddN(5000, uint64(late))
		h.AddN(-1, n-uint64(late))
	}
	return b
}

// One burst of 5000 in 100 blocks is one observation: its records weigh as much as one.
func TestOneBurstIsOneObservation(t *testing.T) {
	over := make([]float64, 100)
	over[37] = 5000
	s, ok := blocksOf(10_000, over).Spread(1000)
	if !ok || s.Effect < 4900 || s.Effect > 5300 {
		t.Fatalf("%+v", s)
	}
}

// The design effect is what a process with a known memory has: a first-order chain that keeps 0.8 of its
// state a block spreads its mean (1+0.8)/(1-0.8) = 9 times as far as independent blocks.
func TestSpreadFindsAKnownMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var with, without float64
	const runs = 200
	for range runs {
		chain, noise := make([]float64, 128), make([]float64, 128)
		state := r.NormFloat64()
		for i := range chain {
			state = 0.8*state + 0.6*r.NormFloat64()
			chain[i] = math.Round(1000 + 200*state)
			noise[i] = math.Round(1000 + 200*r.NormFloat64())
		}
		a, _ := blocksOf(100_000, chain).Spread(1000)
		b, _ := blocksOf(100_000, noise).Spread(1000)
		with, without = with+a.Stretch/runs, without+b.Stretch/runs
	}
	if with < 7 || with > 11 || without > 1.3 {
		t.Fatalf("%.2f blocks weigh as much as one with memory, %.2f without; want 9 and 1", with, without)
	}
}

func TestChangesTellShapesApart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, v := range []struct {
		name string
		mean func(x float64) float64
		want Shape
	}{
		{"a rise", func(x float64) float64 { return 100 + 200*x }, Trend},
		{"a jump near the end", func(x float64) float64 {
			if x >= 0.9 {
				return 500
			}
			return 100
		}, LastTenth},
		{"a hump", func(x float64) float64 { return 100 + 200*math.Sin(math.Pi*x) }, Wave},
		{"nothing", func(float64) float64 { return 100 }, ""},
	} {
		over := make([]float64, 100)
		for i := range over {
			over[i] = math.Round(v.mean((float64(i)+0.5)/100) + 10*r.NormFloat64())
		}
		var best Change
		for _, c := range blocksOf(10_000, over).Changes(1000) {
			if math.Abs(c.Score) > math.Abs(best.Score) {
				best = c
			}
		}
		if found := math.Abs(best.Score) >= 4; found != (v.want != "") || found && best.Shape != v.want {
			t.Errorf("%s: %+v", v.name, best)
		}
	}
}

func TestStretchesAndSplitLoseNoRecord(t *testing.T) {
	b := blocksOf(10, []float64{1, 2, 3, 0, 5, 6, 7})
	delete(b.Own, 3)
	var late, all uint64
	parts := b.Stretches(1000, 3)
	for _, p := range parts {
		late, all = late+p.Late, all+p.Records
	}
	if len(parts) != 3 || late != 24 || all != 60 || parts[2].FromMs != 6000 || parts[2].ToMs != 9000 {
		t.Fatalf("%+v", parts)
	}
	before, after := b.Split(0.7)
	if n, m := before.Sum().Count(), after.Sum().Count(); n != 50 || m != 10 {
		t.Fatalf("%d and %d", n, m)
	}
}
