package hist

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tidemark/internal/cases/property"
)

func TestIndexIsMonotoneAndTight(t *testing.T) {
	prev := -1
	for v := uint64(0); v < 1<<20; v++ {
		i := Index(v)
		if i != prev && i != prev+1 {
			t.Fatalf("Index(%d) = %d after %d", v, i, prev)
		}
		prev = i
		if v < Bottom(i) || v > Top(i) {
			t.Fatalf("%d is outside its bucket [%d, %d]", v, Bottom(i), Top(i))
		}
		if v <= 255 && Top(i) != v {
			t.Fatalf("bucket of %d is not exact: top %d", v, Top(i))
		}
		if float64(Top(i)-v) > 0.0079*float64(v) {
			t.Fatalf("bucket of %d reaches to %d: more than 0.79 %% wide", v, Top(i))
		}
	}
	if i := Index(math.MaxInt64); i != MaxIndex || Top(i) != math.MaxInt64 {
		t.Fatalf("last bucket is %d with top %d", i, Top(i))
	}
}

func values() *rapid.Generator[[]int64] {
	one := rapid.OneOf(rapid.Int64Range(-300, 300), rapid.Int64Range(-1e7, 1e7), rapid.Int64())
	return rapid.SliceOfN(one, 0, 200)
}

func of(vs []int64) *Histogram {
	h := &Histogram{}
	for _, v := range vs {
		h.Add(v)
	}
	return h
}

func TestQuantileIsNeverBelowExactAndAtMostOneStepAbove(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		vs := values().Draw(t, "values")
		k := uint64(rapid.IntRange(0, 220).Draw(t, "k"))
		h, e := of(vs), NewExact(&Budget{Left: DefaultBudget})
		for i := range vs {
			if vs[i] == math.MinInt64 {
				vs[i]++
			}
			e.Add(vs[i])
		}
		slices.Sort(vs)
		slices.Reverse(vs)
		got, ok := h.SmallestWithAbove(k)
		gotExact, okExact := e.SmallestWithAbove(k)
		if ok != (k < uint64(len(vs))) || ok != okExact {
			t.Fatalf("ok = %v, exact %v for k = %d of %d", ok, okExact, k, len(vs))
		}
		if !ok {
			return
		}
		want := vs[k]
		if gotExact != want {
			t.Fatalf("exact answer %d, want %d", gotExact, want)
		}
		if got < want || float64(got)-float64(want) > 0.0079*math.Abs(float64(want)) {
			t.Fatalf("answer %d for exact %d", got, want)
		}
		if h.Above(got) > k {
			t.Fatalf("%d values above the answer %d, allowed %d", h.Above(got), got, k)
		}
	})
}

func TestAboveIsExactAtBucketTops(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		vs := values().Draw(t, "values")
		h := of(vs)
		d := rapid.Int64Range(0, 1e8).Draw(t, "d")
		count := func(x int64) (n uint64) {
			for _, v := range vs {
				if v > x {
					n++
				}
			}
			return n
		}
		if top := int64(Top(Index(uint64(d)))); h.Above(top) != count(top) {
			t.Fatalf("Above(%d) = %d, want %d", top, h.Above(top), count(top))
		}
		if h.Above(d) < count(d) || h.Above(-d) < count(-d) {
			t.Fatalf("Above is too small at +-%d", d)
		}
	})
}

func TestMergeIsAdditionInAnyOrder(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := values().Draw(t, "a"), values().Draw(t, "b")
		all := of(append(slices.Clone(a), b...))
		ab, ba := of(a), of(b)
		ab.Merge(of(b))
		packed := of(a)
		packed.Pack()
		ba.Merge(packed)
		want := encode(t, all)
		if got := encode(t, ab); got != want {
			t.Fatalf("a+b %s, want %s", got, want)
		}
		if got := encode(t, ba); got != want {
			t.Fatalf("b+a %s, want %s", got, want)
		}
		var back Histogram
		if err := json.Unmarshal([]byte(want), &back); err != nil {
			t.Fatal(err)
		}
		if got := encode(t, &back); got != want {
			t.Fatalf("after a round trip %s, want %s", got, want)
		}
		back.Add(5)
		if back.Count() != all.Count()+1 {
			t.Fatalf("a histogram read back does not count on: %d", back.Count())
		}
	})
}

func TestARangeIsItsIntegers(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		vs := values().Draw(t, "before")
		if rapid.Bool().Draw(t, "hot") {
			vs = append(vs, slices.Repeat([]int64{1, 200, 5000, 60_000}, 50)...)
		}
		ranged, single := of(vs), of(vs)
		for range rapid.IntRange(1, 4).Draw(t, "ranges") {
			lo := rapid.OneOf(rapid.Int64Range(-300, 300), rapid.Int64Range(-100_000, 100_000), rapid.Just(int64(math.MaxInt64-5000))).Draw(t, "lo")
			hi := lo + rapid.Int64Range(0, 5000).Draw(t, "wide")
			ranged.AddRange(lo, hi)
			for v := lo; v < hi; v++ {
				single.Add(v)
			}
		}
		if got, want := encode(t, ranged), encode(t, single); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

func encode(t interface{ Fatal(...any) }, h *Histogram) string {
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestExactFallsBackWhenTheBudgetIsUsedUp(t *testing.T) {
	b := &Budget{Left: 3}
	h := NewExact(b)
	for _, v := range []int64{1000, 1001, 1001, 1003, 1004} {
		h.Add(v)
	}
	if h.Exact() || !b.Exhausted || b.Left != 3 {
		t.Fatalf("exact %v, budget %+v", h.Exact(), *b)
	}
	if x, _ := h.SmallestWithAbove(0); x != 1004 {
		t.Fatalf("top value %d, want the maximum, which is always exact", x)
	}
}

func TestCountersAndEdges(t *testing.T) {
	h := of([]int64{-5, 0, 0, 7, 300, math.MinInt64})
	got := []uint64{h.Count(), h.Negative(), h.Zero(), h.Positive(), h.Above(-6), h.Above(-1), h.Above(0)}
	if diff := cmp.Diff([]uint64{6, 2, 2, 2, 5, 4, 2}, got); diff != "" {
		t.Fatal(diff)
	}
	if h.Min() != -math.MaxInt64 || h.Max() != 300 {
		t.Fatalf("min %d max %d", h.Min(), h.Max())
	}
	if q := h.Quantile(1, 2); q != 0 {
		t.Fatalf("median %d", q)
	}
	if q := (&Histogram{}).Quantile(999, 1000); q != 0 {
		t.Fatalf("quantile of nothing %d", q)
	}
}

func TestReadRefusesContradictions(t *testing.T) {
	for name, in := range map[string]string{
		"other bits":    `{"sub_bits":8,"n":0,"min":0,"max":0}`,
		"odd":           `{"sub_bits":7,"n":1,"min":1,"max":1,"pos":[1]}`,
		"unsorted":      `{"sub_bits":7,"n":2,"min":1,"max":2,"pos":[2,1,1,1]}`,
		"beyond":        `{"sub_bits":7,"n":1,"min":1,"max":2,"pos":[999999,1]}`,
		"wrong sum":     `{"sub_bits":7,"n":2,"min":1,"max":1,"pos":[1,1]}`,
		"wrong max":     `{"sub_bits":7,"n":1,"min":1,"max":900,"pos":[1,1]}`,
		"wrong min":     `{"sub_bits":7,"n":1,"min":-9,"max":-1,"neg":[1,1]}`,
		"empty bucket":  `{"sub_bits":7,"n":0,"min":0,"max":0,"pos":[1,0]}`,
		"min above max": `{"sub_bits":7,"n":1,"min":3,"max":1,"pos":[1,1]}`,
		"not json":      `{`,
	} {
		var h Histogram
		if err := json.Unmarshal([]byte(in), &h); err == nil {
			t.Errorf("%s: read without complaint: %s", name, in)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"sub_bits":7,"n":3,"zero":1,"min":-1,"max":300,"pos":[278,1],"neg":[1,1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Histogram
		if json.Unmarshal(b, &h) != nil {
			return
		}
		if x, ok := h.SmallestWithAbove(0); ok && h.Above(x) != 0 {
			t.Fatalf("values above the maximum %d", x)
		}
		again, err := json.Marshal(&h)
		if err != nil {
			t.Fatal(err)
		}
		var back Histogram
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("own output %s is refused: %v", again, err)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	var h Histogram
	v := int64(1)
	for b.Loop() {
		v = (v*6364136223846793005 + 1442695040888963407) & 0xfffff
		h.Add(v)
	}
}

func BenchmarkAddRange(b *testing.B) {
	var h Histogram
	for v := range int64(1 << 20) {
		h.Add(v)
	}
	for b.Loop() {
		h.AddRange(700, 600_000)
	}
}

func TestCloneOfAnEmptyExactHistogramStaysExact(t *testing.T) {
	h := NewExact(&Budget{Left: 10})
	c := h.Clone()
	c.Add(1000)
	c.Add(1001)
	if !c.Exact() || c.Above(1000) != 1 || h.Count() != 0 {
		t.Fatalf("exact %v, %d above 1000", c.Exact(), c.Above(1000))
	}
}
