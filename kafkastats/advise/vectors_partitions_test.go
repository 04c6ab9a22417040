package advise

import (
	"math"
	"testing"

	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// lateTogether is the definition for one generator behind all partitions, in order of arrival.
func lateTogether(points []record.Point, d int64, sql bool) (late uint64) {
	top := int64(math.MinInt64)
	for _, p := range points {
		if wm := top - d; top != math.MinInt64 && (p.Event < wm || p.Event == wm && sql) {
			late++
		}
		top = max(top, p.Event)
	}
	return late
}

func TestVector8SkewIsNotDisorder(t *testing.T) {
	var p0, p1 [][2]int64
	for i := range int64(600) {
		p0 = append(p0, [2]int64{epoch + i*1000, epoch + i*1000})
		p1 = append(p1, [2]int64{epoch + i*1000 + 1, epoch + i*1000 - 20_000})
	}
	ps := byArrival(stream(0, p0), stream(1, p1))
	m := measured(measure.Options{}, ps)
	r := Recommend(m, Options{Target: target(t, "0%"), EmitMs: 200})
	if r.Advice.DataStreamMs != 0 || r.Advice.SQLMs != 0 || r.Advice.GlobalMs == nil || *r.Advice.GlobalMs != 20_000 {
		t.Fatalf("per partition %d and %d, one generator %v", r.Advice.DataStreamMs, r.Advice.SQLMs, r.Advice.GlobalMs)
	}
	if lateOf(ps, 0, false) != 0 || m.Total().Own.Above(0) != 0 {
		t.Error("a record of a partition in order is late behind its own generator")
	}
	if *r.Advice.LatencyP99Ms < 20_000 {
		t.Errorf("result latency %d, want at least the 20 s of the laggard", *r.Advice.LatencyP99Ms)
	}
	for _, v := range []struct {
		d    int64
		sql  bool
		late uint64
	}{{0, false, 600}, {19_999, false, 600}, {20_000, false, 0}, {1, true, 600}, {20_000, true, 600}, {20_001, true, 0}} {
		edge := v.d
		if v.sql {
			edge--
		}
		got, brute := m.TopicTotal().Global.Above(edge), lateTogether(ps, v.d, v.sql)
		if got != v.late || brute != v.late {
			t.Errorf("one generator at %d ms (sql %v): %d late, brute force %d, want %d of 1200", v.d, v.sql, got, brute, v.late)
		}
	}
	if share := float64(m.TopicTotal().Global.Above(19_999)) / float64(r.Records); share != 0.5 {
		t.Errorf("%.4f late at 19999 ms, want half", share)
	}
}

func TestVector9LaggardMasksDisorder(t *testing.T) {
	var p0, p1 [][2]int64
	for i := range int64(3000) {
		event := epoch + i*1000
		if i%10 == 9 {
			event -= 3000
		}
		p0 = append(p0, [2]int64{epoch + i*1000, event})
		p1 = append(p1, [2]int64{epoch + i*1000 + 1, epoch + i*1000 - 10_000})
	}
	r := Recommend(measured(measure.Options{}, byArrival(stream(0, p0), stream(1, p1))), Options{Target: target(t, "0.1%")})
	if r.Advice.DataStreamMs != 2000 || *r.Advice.MergedLate != 0 || !hasCause(r.Findings, CauseMasked) {
		t.Fatalf("delay %d, late today %v, findings %+v", r.Advice.DataStreamMs, *r.Advice.MergedLate, r.Findings)
	}
}

func TestVector10IdlePartitionWakes(t *testing.T) {
	var p0 [][2]int64
	for at := int64(0); at <= 300_000; at += 1000 {
		p0 = append(p0, [2]int64{epoch + at, epoch + at - 100})
	}
	p1 := [][2]int64{{epoch, epoch - 2000}, {epoch + 300_500, epoch + 300_500 - 2000}}
	ps := byArrival(stream(0, p0), stream(1, p1))
	o := Options{Target: target(t, "0%")}
	if r := Recommend(measured(measure.Options{}, ps), o); r.Advice.DataStreamMs != 0 || r.Advice.SQLMs != 0 {
		t.Errorf("without an idle timeout %d and %d, want 0", r.Advice.DataStreamMs, r.Advice.SQLMs)
	}
	m := measured(measure.Options{IdleMs: 60_000}, ps)
	if r := Recommend(m, o); r.Advice.DataStreamMs != 1400 || r.Advice.SQLMs != 1401 {
		t.Errorf("with an idle timeout %d and %d, want 1400 and 1401", r.Advice.DataStreamMs, r.Advice.SQLMs)
	}
	idle := m.TopicTotal().MergedIdle
	if late, onTime := idle.Above(1399), idle.Above(1400); late != 1 || onTime != 0 {
		t.Errorf("%d late at 1399 ms and %d at 1400 ms, want 1 and 0", late, onTime)
	}
	// With a timeout the silence does not reach, the partition still holds the frontier.
	if late := measured(measure.Options{IdleMs: 301_000}, ps).TopicTotal().MergedIdle.Above(0); late != 0 {
		t.Errorf("%d late although the partition was never idle", late)
	}
}
