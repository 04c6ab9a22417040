//go:build slow

package rest_test

import (
	"math"
	"strings"
	"testing"

	"tidemark/engine"
	"tidemark/flinkapi"
)

type differ struct {
	t        *testing.T
	limit    tolerance
	n        int
	furthest int64
}

func (d *differ) sample(i int, want, got map[gauge]int64) {
	d.t.Helper()
	for g, w := range want {
		x, ok := got[g]
		switch {
		case !ok:
			d.t.Errorf("sample %d: %s %s is not answered, recorded %d", i, g.vertex, g.id, w)
			continue
		case strings.HasSuffix(g.id, "numLateRecordsDropped"):
			continue // a busy lab counts at the start; the rise is compared
		case w == x:
		case w == engine.None || x == engine.None || w == engine.End || x == engine.End:
			d.t.Errorf("sample %d: %s %s is %d, recorded %d", i, g.vertex, g.id, x, w)
			continue
		case strings.HasSuffix(g.id, "Watermark"):
			d.distance(i, g, x-w)
			continue
		case x-w > d.limit.offsets || w-x > d.limit.offsets:
			d.t.Errorf("sample %d: %s %s is %d, recorded %d", i, g.vertex, g.id, x, w)
			continue
		}
		d.n++
	}
	for g := range got {
		if _, ok := want[g]; !ok {
			d.t.Errorf("sample %d: %s %s is answered, and not recorded", i, g.vertex, g.id)
		}
	}
}

func (d *differ) distance(i int, g gauge, ms int64) {
	if ms < 0 {
		ms = -ms
	}
	d.furthest = max(d.furthest, ms)
	if d.n++; ms > d.limit.total() {
		d.t.Errorf("sample %d: %s %s is off by %d ms, limit %s", i, g.vertex, g.id, ms, d.limit)
	}
}

// rises compares the late records of the time between the samples, within five standard deviations
// of a counter.
func (d *differ) rises(want, got []*flinkapi.Sample) {
	d.t.Helper()
	late := func(s []*flinkapi.Sample) int64 {
		n := int64(0)
		for i, sign := range []int64{-1, 1} {
			for g, v := range gauges(s[i]) {
				if strings.HasSuffix(g.id, "numLateRecordsDropped") {
					n += sign * v
				}
			}
		}
		return n
	}
	w, x := late(want), late(got)
	if limit := 5*math.Sqrt(float64(w+x)) + 1; math.Abs(float64(w-x)) > limit {
		d.t.Errorf("%d late records between the samples, recorded %d, limit %.0f", x, w, limit)
	} else if w+x > 0 {
		d.t.Logf("%d late records between the samples, recorded %d", x, w)
	}
}
