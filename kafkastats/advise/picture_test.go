package advise

import (
	"fmt"
	"strings"
	"testing"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// bursts is one partition over two days in which every hour 3 has records 40 s late.
func bursts(n int64) []record.Point {
	var pairs [][2]int64
	for i := range n {
		at := epoch/measure.HourMs*measure.HourMs + i*172_800_000/n
		late := i * i % 701
		if at/measure.HourMs%24 == 3 && i%50 == 0 {
			late = 40_000
		}
		pairs = append(pairs, [2]int64{at, at - 100 - late})
	}
	return stream(0, pairs)
}

func TestDistributionIsTheDefinition(t *testing.T) {
	points := bursts(30_000)
	var disorder []int64
	top := points[0].Event
	for _, p := range points[1:] {
		disorder = append(disorder, top-p.Event)
		top = max(top, p.Event)
	}
	for name, o := range map[string]measure.Options{"exact": {}, "buckets": {Exact: &hist.Budget{Left: -1}}} {
		r := Recommend(measured(o, points), Options{Target: target(t, "0.1%")})
		var sum uint64
		last := int64(0)
		for i, b := range r.Distrib {
			var records, beyond uint64
			for _, d := range disorder {
				if d >= b.ToMs {
					beyond++
				} else if b.FromMs == nil && d < 0 || b.FromMs != nil && d >= *b.FromMs {
					records++
				}
			}
			if b.Records != records || b.Beyond != beyond || i > 0 && (b.FromMs == nil || *b.FromMs != last) {
				t.Errorf("%s: bin to %d ms has %d and %d beyond, want %d and %d", name, b.ToMs, b.Records, b.Beyond, records, beyond)
			}
			if share := float64(b.Beyond) / float64(r.Records); b.CI95[0] > share || b.CI95[1] < share {
				t.Errorf("%s: %g beyond %d ms is outside %v", name, share, b.ToMs, b.CI95)
			}
			sum, last = sum+b.Records, b.ToMs
		}
		if sum != uint64(len(disorder)) || r.Distrib[len(r.Distrib)-1].Beyond != 0 {
			t.Errorf("%s: %d records in all bins, want %d", name, sum, len(disorder))
		}
	}
}

func TestHoursOfDayAndWeekFoldTheMeasuredHours(t *testing.T) {
	r := advised(t, "0.1%", bursts(30_000))
	if len(r.Hours) != 24 || len(r.Week) != 48 {
		t.Fatalf("%d hours of the day, %d of the week", len(r.Hours), len(r.Week))
	}
	var n uint64
	for _, h := range r.Week {
		n += h.Records
		if bad := h.NeedMs > 20_000; bad != (h.Hour == 3) {
			t.Errorf("day %d hour %d needs %d ms", h.Day, h.Hour, h.NeedMs)
		}
		if !h.Thin {
			t.Errorf("%d records are enough for 0.1 %%", h.Records)
		}
	}
	if n != r.Records {
		t.Errorf("%d records in the week, %d in all", n, r.Records)
	}
	// 30 November 2026 is a Monday.
	if r.Week[0].Day != 1 || r.Week[47].Day != 3 && r.Week[47].Day != 2 {
		t.Errorf("the week runs from day %d to %d", r.Week[0].Day, r.Week[47].Day)
	}
	for _, h := range advised(t, "0.1%", bursts(3000)).Hours {
		if !h.Thin {
			t.Errorf("%d records of hour %d say something about 0.1 %%", h.Records, h.Hour)
		}
	}
}

func TestTransportRuleIsAQuantileOfTransport(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(1000) {
		pairs = append(pairs, [2]int64{epoch + i*1000, epoch + i*1000 - 7_200_000})
	}
	r := advised(t, "0.5%", stream(0, pairs))
	if r.Advice.TransportMs == nil || *r.Advice.TransportMs != 7_200_000 || r.Advice.DataStreamMs != 0 {
		t.Fatalf("rule %v, delay %d", r.Advice.TransportMs, r.Advice.DataStreamMs)
	}
	if want := "would hold every result back 2 h longer"; !strings.Contains(r.Review.WhyNotTransport, want) {
		t.Errorf("%s", r.Review.WhyNotTransport)
	}
	if r.Joint == nil || r.Joint.Records != 999 {
		t.Errorf("joint %+v", r.Joint)
	}
	none := advised(t, "0.5%", onlyEvents(epoch, epoch+1000, epoch+500))
	if none.Joint != nil || none.Advice.TransportMs != nil || none.Latency != nil || !strings.Contains(none.Review.WhyNotTransport, "cannot be measured") {
		t.Errorf("%+v", none.Review)
	}
	if !strings.Contains(fmt.Sprint(none.NotMeasured), "carry no arrival time") {
		t.Errorf("not measured: %v", none.NotMeasured)
	}
}

func TestPartitionsCountTheirOwnLateRecords(t *testing.T) {
	points := byArrival(bursts(5000), moved(bursts(5000), 1, 20_000))
	r := advised(t, "0.1%", points)
	for i, at := range r.Curve {
		var sum uint64
		for _, p := range r.Partitions {
			sum += p.LateByDelay[i]
		}
		if sum != at.LateN {
			t.Errorf("%d ms: partitions have %d late, the topic %d", at.DelayMs, sum, at.LateN)
		}
	}
	if l := r.Latency; l == nil || l.DelayMs+l.FrontierP99Ms+l.EmitMs+l.ProcessingMs != *r.Advice.LatencyP99Ms {
		t.Errorf("latency %+v is not %d", l, *r.Advice.LatencyP99Ms)
	}
}

// moved gives a stream to another partition, with arrivals later by ms.
func moved(points []record.Point, partition int32, ms int64) []record.Point {
	for i := range points {
		points[i].Partition, points[i].Arrival = partition, points[i].Arrival+ms
	}
	return points
}

func TestRoundingNeverSpendsWhatTheTargetLacks(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(20_000) {
		late := int64(0)
		if i%500 == 250 {
			late = 10_810
		}
		pairs = append(pairs, [2]int64{epoch + i*1000, epoch + i*1000 - late})
	}
	m := measured(measure.Options{}, stream(0, pairs))
	free := Recommend(m, Options{Target: target(t, "0.1%")})
	spent := free.Latency.FrontierP99Ms
	for _, room := range []int64{10_000, free.Advice.DataStreamMs, free.Advice.DataStreamMs + 1, free.Advice.RoundedMs, 60_000} {
		r := Recommend(m, Options{Target: target(t, "0.1%"), SLAMs: spent + room})
		if fits := r.Advice.Verdict == Fits; fits != (room >= free.Advice.DataStreamMs) || fits && (r.Advice.RoundedMs > room || r.Advice.RoundedMs < r.Advice.DataStreamMs) {
			t.Errorf("room for %d ms: %s with %d ms, needed %d", room, r.Advice.Verdict, r.Advice.RoundedMs, r.Advice.DataStreamMs)
		}
	}
}
