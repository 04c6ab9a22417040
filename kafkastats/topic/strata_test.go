package topic

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
)

const minute, hour = int64(60_000), int64(3_600_000)

// stamped produces one record for each timestamp.
func stamped(t testing.TB, cl *kgo.Client, topic string, partition int32, stamps []int64) {
	t.Helper()
	var rs []*kgo.Record
	for _, at := range stamps {
		rs = append(rs, &kgo.Record{Topic: topic, Partition: partition, Value: []byte("{}"), Timestamp: time.UnixMilli(at)})
	}
	if err := cl.ProduceSync(context.Background(), rs...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// day is 24 hours of a partition that is busy in one of them: a record a minute, but a hundred a minute
// from the tenth hour to the eleventh.
func day(from int64) []int64 {
	var out []int64
	for m := range 24 * 60 * int64(1) {
		n := int64(1)
		if m/60 == 10 {
			n = 100
		}
		for i := range n {
			out = append(out, from+m*minute+i*minute/n)
		}
	}
	return out
}

func planned(t *testing.T, conn []kgo.Opt, s Sample) (Facts, Layout) {
	t.Helper()
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Plan(ctx(t), conn, f, s)
	if err != nil {
		t.Fatal(err)
	}
	return f, l
}

func TestSegmentsAreSpreadOverTimeNotOffsets(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 2})
	from := int64(1_796_000_000_000)
	stamps := day(from)
	stamped(t, cl, "orders", 0, stamps)
	stamped(t, cl, "orders", 1, stamps)
	f, l := planned(t, conn, Sample{Segments: 12, Records: 10, NowMs: from + 48*hour})
	if l.By != ByTime || l.Note != "" || len(l.Segments) != 12 {
		t.Fatalf("by %s %s, %d segments", l.By, l.Note, len(l.Segments))
	}
	last := map[int32]int64{}
	for i, segment := range l.Segments {
		for _, r := range segment {
			if r.From < last[r.Partition] || r.To > f.End[r.Partition] || r.To-r.From != 10 {
				t.Fatalf("segment %d: %+v after %v", i, r, last)
			}
			last[r.Partition] = r.To
			// Each begins in the first half of its own twelfth of the day.
			begin := stamps[r.From] - from - int64(i)*2*hour
			if begin < 0 || begin > hour+minute {
				t.Errorf("segment %d of partition %d begins %s into its two hours", i, r.Partition, time.Duration(begin)*time.Millisecond)
			}
		}
	}
	// By offset, nearly all of them would lie in the busy hour.
	busy := 0
	for _, a := range byOffset(f, 12, f.Start, f.End) {
		if h := (stamps[a[0]] - from) / hour; h == 10 {
			busy++
		}
	}
	if busy < 8 {
		t.Errorf("the stream does not show the difference: %d of 12 in the busy hour", busy)
	}
}

func TestSegmentsFallBackToOffsets(t *testing.T) {
	from := int64(1_796_000_000_000)
	spiked := day(from)
	spiked[5] = from + 24*hour - minute // late in the day, early in the partition
	shuffled := day(from)
	for i := range shuffled {
		shuffled[i] = from + (int64(i)*7919%1440)*minute
	}
	gap := append(day(from)[:20], day(from + 300*hour)[:2000]...)
	for name, v := range map[string]struct {
		stamps []int64
		s      Sample
		note   string
	}{
		"stamp of the future": {spiked, Sample{}, "out of order"},
		"no order at all":     {shuffled, Sample{}, "out of order"},
		"all at once":         {make([]int64, 500), Sample{}, "do not span a period"},
		"long silence":        {gap, Sample{}, "of 12 equal periods contain records"},
		"the last records":    {day(from), Sample{Part: record.Part{Last: 3000}}, "chosen by offset"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, cl := cluster(t, map[string]int32{"orders": 1})
			for i := range v.stamps {
				v.stamps[i] = max(v.stamps[i], 1_000_000)
			}
			stamped(t, cl, "orders", 0, v.stamps)
			v.s.Segments, v.s.Records, v.s.NowMs = 12, 10, from+1000*hour
			f, l := planned(t, conn, v.s)
			if l.By != ByOffset || !strings.Contains(l.Note, v.note) || len(l.Segments) != 12 {
				t.Fatalf("by %q because %q, %d segments", l.By, l.Note, len(l.Segments))
			}
			begin := f.End[0] - 3000
			if v.s.Last == 0 {
				begin = 0
			}
			for i, segment := range l.Segments {
				if want := begin + (f.End[0]-begin)*int64(i)/12; segment[0].From != want {
					t.Errorf("segment %d at offset %d, want %d", i, segment[0].From, want)
				}
			}
		})
	}
}

// The stamp of the future lies beyond the wall clock, so the hours before it still count.
func TestFutureStampDoesNotStretchTheTime(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	from := int64(1_796_000_000_000)
	stamps := day(from)
	stamps[len(stamps)-3] = from + 900*hour
	stamped(t, cl, "orders", 0, stamps)
	if _, l := planned(t, conn, Sample{Segments: 6, Records: 10, NowMs: from + 24*hour}); l.By != ByTime {
		t.Fatalf("by %s: %s", l.By, l.Note)
	}
}

func TestStaggerStaysInTheFirstHalf(t *testing.T) {
	seen := map[int64]bool{}
	for i := range int64(1000) {
		at := stagger(i, 7200)
		if at < 0 || at > 3600 || i == 0 && at != 0 {
			t.Fatalf("start %d moved by %d of 7200", i, at)
		}
		seen[at/360] = true
	}
	if len(seen) < 10 {
		t.Errorf("only %d of 10 parts are ever met", len(seen))
	}
}

// The broker's time index must give the very maximum that reading everything before would.
func TestLookupFindsTheMaximumBeforeARange(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 3})
	base := int64(1_796_000_000_000)
	var streams [3][]int64
	for p := range streams {
		for i := range int64(6000) {
			at := base + i*1000
			if i%97 < 40 {
				at -= i * 7919 % 900_000 // up to 15 minutes old
			}
			if i > 2000 && i < 5500 && p == 1 {
				at = base - hour + i // a burst longer than any pre-roll
			}
			streams[p] = append(streams[p], at)
		}
		stamped(t, cl, "orders", int32(p), streams[p])
	}
	f, err := Describe(ctx(t), conn, "orders", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []int64{1, 777, 3000, 5400, 5999} {
		at := map[int32]int64{0: from, 1: from, 2: from}
		end := map[int32]int64{0: 6000, 1: 6000, 2: 6000}
		l := Layout{Segments: [][]Range{ranges(f, at, end)}}
		if err := Prime(ctx(t), conn, f, l, false, 1_800_000); err != nil {
			t.Fatal(err)
		}
		for _, r := range l.Segments[0] {
			var want int64
			for _, x := range streams[r.Partition][:from] {
				want = max(want, x)
			}
			if r.Primed != PrimedByLookup || r.MaxMs != want || r.PreRoll != r.From {
				t.Errorf("partition %d from %d: %+v, largest before is %d", r.Partition, from, r, want)
			}
		}
	}
}

func TestLookupIsNotBelievedWithoutAWitness(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	base := int64(1_796_000_000_000)
	var stamps []int64
	for i := range int64(3000) {
		stamps = append(stamps, base+i*1000)
	}
	stamps[500] += 900 * hour // nothing behind it comes near
	stamped(t, cl, "orders", 0, stamps)
	f, l := planned(t, conn, Sample{Part: record.Part{FromMs: base + 2_000_000, ToMs: base + 2_500_000}})
	l.Segments[0][0].From, l.Segments[0][0].PreRoll, l.Segments[0][0].To = 2000, 1, 2500
	before := l.Segments[0][0]
	if err := Prime(ctx(t), conn, f, l, false, 300_000); err != nil {
		t.Fatal(err)
	}
	if got := l.Segments[0][0]; got != before {
		t.Errorf("primed as %+v by a stamp that no record confirms", got)
	}
	whole := Layout{Segments: [][]Range{{{Partition: 0, To: 3000, Primed: PrimedByStart}}}}
	if err := Prime(ctx(t), conn, f, whole, false, 300_000); err != nil || whole.Segments[0][0].Primed != PrimedByStart {
		t.Errorf("%v %+v: nothing comes before", err, whole.Segments[0][0])
	}
}

// A marker of a transaction has a timestamp of its own, which is no event time.
func TestLookupDoesNotTakeAMarkerForARecord(t *testing.T) {
	conn, cl := cluster(t, map[string]int32{"orders": 1})
	txcl, err := kgo.NewClient(append(conn, kgo.TransactionalID("t1"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer txcl.Close()
	base := int64(1_600_000_000_000) // long ago: the marker is stamped now
	var stamps []int64
	for i := range int64(100) {
		stamps = append(stamps, base+i)
	}
	if err := txcl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	stamped(t, txcl, "orders", 0, stamps)
	if err := txcl.EndTransaction(ctx(t), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	stamped(t, cl, "orders", 0, []int64{base + 101, base + 102})
	f, err := Describe(ctx(t), conn, "orders", true)
	if err != nil {
		t.Fatal(err)
	}
	l := Layout{Segments: [][]Range{{{Partition: 0, From: 101, To: 103, Primed: PrimedByPreRoll}}}}
	if err := Prime(ctx(t), conn, f, l, true, 300_000); err != nil {
		t.Fatal(err)
	}
	if r := l.Segments[0][0]; r.Primed == PrimedByLookup && r.MaxMs != base+99 {
		t.Errorf("%+v, the largest record before is %d", r, base+99)
	}
	n := 0
	if _, err := Read(ctx(t), Options{Conn: conn, Topic: "orders", TopicID: f.ID, Ranges: l.Segments[0], ReadCommitted: true}, func(*record.Raw) error { n++; return nil }); err != nil || n < 2 {
		t.Errorf("%d records, %v", n, err)
	}
}
