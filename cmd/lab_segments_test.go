//go:build lab

package cmd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/advise"
)

// labClient needs TIDEMARK_LAB_KAFKA, and gives a client and a prefix for topics of this run alone.
func labClient(t *testing.T) (addr string, cl *kgo.Client, prefix string) {
	t.Helper()
	addr = benchBroker(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(t, err)
	t.Cleanup(cl.Close)
	return addr, cl, fmt.Sprintf("segments-%d-", time.Now().UnixNano())
}

func labAsk(t *testing.T, addr, topic string, args ...string) advise.Recommendation {
	t.Helper()
	out, e, err := run(t, newRecommend, "json", "", append([]string{topic, "--brokers", addr}, args...)...)
	if code(err) > 1 || code(err) < 0 {
		t.Fatal(err, e)
	}
	return decodeRecommendation(t, out)
}

// recent puts planted records into the hours before now: the broker refuses the future.
func recent(ps []planted) []planted {
	shift := time.Now().Add(-3*time.Hour).UnixMilli() - ps[0].at
	out := slices.Clone(ps)
	for i := range out {
		out[i].at += shift
		out[i].event += shift
	}
	return out
}

// With the Kafka timestamp as event time, a range in the middle is measured as if all before it had been
// read: the broker's time index gives the very maximum, out of order or not, burst or not.
func TestLabLookupPrimesExactly(t *testing.T) {
	addr, cl, prefix := labClient(t)
	name := prefix + "create"
	labTopic(t, cl, name, 3, nil)
	streams := make([][]planted, 3)
	for p := range streams {
		r := rand.New(rand.NewPCG(uint64(p), 4))
		streams[p] = recent(plant(30_000, uint64(p), func(*rand.Rand) int64 { return 0 }))
		for i := range streams[p] {
			streams[p][i].at -= int64(r.ExpFloat64() * 2000)
			if p == 1 && i > 9000 && i < 16_000 {
				streams[p][i].at -= 3_600_000
			}
			streams[p][i].event = streams[p][i].at
		}
		labProduce(t, cl, name, int32(p), streams[p], "")
	}
	// The first offset at or after a moment, and from there on the disorder against all that came before.
	from := streams[0][12_000].at
	from -= from % 1000
	var ds []int64
	n := 0
	for _, ps := range streams {
		begin := slices.IndexFunc(ps, func(x planted) bool { return x.at >= from })
		top := ps[0].event
		for i, x := range ps {
			if i >= begin {
				n++
				ds = append(ds, top-x.event)
			}
			top = max(top, x.event)
		}
	}
	slices.Sort(ds)
	slices.Reverse(ds)
	r := labAsk(t, addr, name, "--format", "timestamp", "--exact", "--from", time.UnixMilli(from).UTC().Format(time.RFC3339), "--future-tolerance", "2h")
	if want := max(0, ds[n/1000]); r.Records != uint64(n) || r.Advice.DataStreamMs != want {
		t.Errorf("%d ms for %d records, want %d for %d", r.Advice.DataStreamMs, r.Records, want, n)
	}
	if diff := cmp.Diff([]advise.Segment{{Primed: map[string]int{"lookup": 3}}}, r.Sampling.Segments); diff != "" {
		t.Error(diff)
	}
}

// A LogAppendTime topic: one partition's second segment begins inside a burst that is longer than the
// pre-roll, which the append time of its siblings shows.
func TestLabAppendTimePrimesInsideABurst(t *testing.T) {
	addr, cl, prefix := labClient(t)
	name, appended := prefix+"append", "LogAppendTime"
	labTopic(t, cl, name, 4, map[string]*string{"message.timestamp.type": &appended})
	const length, old = 6000, 3_600_000
	for chunk := 0; chunk < length; chunk += 500 {
		var rs []*kgo.Record
		for p := range int32(4) {
			for i := chunk; i < chunk+500; i++ {
				event := time.Now().UnixMilli() - 50
				if p == 1 && i >= 1500 && i < 5000 {
					event -= old
				}
				rs = append(rs, &kgo.Record{Topic: name, Partition: p, Value: fmt.Appendf(nil, `{"id":%d,"event_time":%d}`, i, event)})
			}
		}
		must(t, cl.ProduceSync(context.Background(), rs...).FirstErr())
	}
	r := labAsk(t, addr, name, "--field", "event_time", "--exact", "--last", "20000", "--segments", "2", "--target-late", "10%")
	want := []advise.Segment{{Primed: map[string]int{"pre-roll": 4}}, {Primed: map[string]int{"append-time": 1, "pre-roll": 3}}}
	if diff := cmp.Diff(want, r.Sampling.Segments); diff != "" || r.Sampling.By != "offset" {
		t.Errorf("by %s: %s", r.Sampling.By, diff)
	}
	if r.Advice.AsDeployed == nil || r.Advice.AsDeployed.Late > r.Advice.Late.Fraction {
		t.Errorf("as deployed %+v beside %+v", r.Advice.AsDeployed, r.Advice.Late)
	}
	late := uint64(0)
	for _, p := range r.Curve {
		if p.DelayMs == 1_200_000 {
			late = p.LateN
		}
	}
	if late != 3500 || r.Records != 20_000 {
		t.Errorf("%d of %d records are an hour late, want 3500", late, r.Records)
	}
	if by := labAsk(t, addr, name, "--field", "event_time", "--segments", "2").Sampling; by.By != "time" {
		t.Errorf("segments of a LogAppendTime topic by %s: %s", by.By, by.Note)
	}
}

func TestLabSegmentsByTimeOrNot(t *testing.T) {
	addr, cl, prefix := labClient(t)
	ordered := recent(plant(20_000, 1, func(r *rand.Rand) int64 { return r.Int64N(2000) }))
	spiked := slices.Clone(ordered)
	spiked[7].at = ordered[len(ordered)-1].at
	for name, v := range map[string]struct {
		stream []planted
		by     string
	}{"ordered": {ordered, "time"}, "spiked": {spiked, "offset"}} {
		labTopic(t, cl, prefix+name, 1, nil)
		labProduce(t, cl, prefix+name, 0, v.stream, "")
		r := labAsk(t, addr, prefix+name, "--field", "event_time", "--segments", "6")
		if r.Sampling.By != v.by || (v.by == "offset") != strings.Contains(r.Sampling.Note, "out of order") || len(r.Sampling.Segments) != 6 {
			t.Errorf("%s: %s", name, r.Sampling)
		}
	}
}
