package measure

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestJointBinsHoldTheirEdges(t *testing.T) {
	for _, v := range []int64{-5, -1, 0, 1, 3, 4, 5, 6, 7, 8, 11, 12, 255, 256, 361, 362, 363, 1000, 3_600_000, 1 << 39, 1 << 40, math.MaxInt64} {
		bin := jointBin(v)
		from, to := jointEdges(bin)
		if from != nil && v < *from || to != nil && v >= *to || bin > 0 && from == nil {
			t.Errorf("%d is in bin %d", v, bin)
		}
	}
	for bin := 2; bin < jointBins-1; bin++ {
		from, to := jointEdges(bin)
		if jointBin(*from) != bin || jointBin(*to-1) != bin || jointBin(*to) != bin+1 {
			t.Errorf("bin %d is [%d, %d): %d, %d, %d", bin, *from, *to, jointBin(*from), jointBin(*to-1), jointBin(*to))
		}
		// Equal on a log scale, as far as whole numbers allow.
		if wide := math.Log2(float64(*to) / float64(*from)); *from > 1000 && math.Abs(wide-0.5) > 0.001 {
			t.Errorf("bin %d is %.4f doublings wide", bin, wide)
		}
	}
}

func TestJointOfTwoHalvesIsThatOfTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var all, a, b Joint
	for i := range 5000 {
		transport, disorder := int64(r.ExpFloat64()*4000)-50, int64(r.ExpFloat64()*3000)-100
		all.add(transport, disorder)
		if i%3 == 0 {
			a.add(transport, disorder)
		} else {
			b.add(transport, disorder)
		}
	}
	var none Joint
	b.Merge(&none)
	none.Merge(&b)
	none.Merge(&a)
	if !reflect.DeepEqual(none.Cells(), all.Cells()) || none.Count() != 5000 {
		t.Fatalf("%d records", none.Count())
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var back Joint
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, all) {
		t.Fatal("reading back gives another")
	}
}

func TestJointRefusesWhatItDidNotWrite(t *testing.T) {
	for _, text := range []string{`[1]`, `[6400,1]`, `[5,0]`, `[5,1,5,1]`, `[7,1,5,1]`, `{}`, `[-1,2]`, `[1,18446744073709551615,2,1]`} {
		var j Joint
		if err := json.Unmarshal([]byte(text), &j); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
