package advise

import (
	"math"
	"slices"
	"testing"

	"tidemark/internal/cases"
	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// epoch keeps invented streams in our days, so that a zero is not taken for a default value.
const epoch = int64(1_796_000_000_000)

// stream builds one partition from (arrival, event) pairs, arrivals as LogAppendTime.
func stream(partition int32, pairs [][2]int64) []record.Point {
	out := make([]record.Point, len(pairs))
	for i, p := range pairs {
		out[i] = record.Point{Partition: partition, Offset: int64(i), Arrival: p[0], Event: p[1], Type: record.AppendTime, First: i == 0}
	}
	return out
}

// onlyEvents builds one partition whose arrival is not known.
func onlyEvents(events ...int64) []record.Point {
	out := make([]record.Point, len(events))
	for i, e := range events {
		out[i] = record.Point{Offset: int64(i), Event: e, Type: record.NoTimestamp, First: i == 0}
	}
	return out
}

func byArrival(streams ...[]record.Point) []record.Point {
	all := slices.Concat(streams...)
	slices.SortStableFunc(all, func(a, b record.Point) int { return int(a.Arrival - b.Arrival) })
	return all
}

func measured(o measure.Options, points []record.Point) *measure.Measurement {
	if o.Exact == nil {
		o.Exact = &hist.Budget{Left: hist.DefaultBudget}
	}
	c := measure.NewCollector(o)
	for i, p := range points {
		if i == 0 || p.Partition != points[i-1].Partition {
			c.Expect(p.Partition)
		}
	}
	for _, p := range points {
		c.Add(p)
	}
	return c.Finish()
}

func target(t *testing.T, text string) Target {
	t.Helper()
	x, err := ParseTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func advised(t *testing.T, eps string, points []record.Point) Recommendation {
	t.Helper()
	return Recommend(measured(measure.Options{}, points), Options{Target: target(t, eps), EmitMs: 200})
}

// lateOf is the definition, by brute force: records at or behind the watermark when they arrive.
func lateOf(points []record.Point, d int64, sql bool) (late uint64) {
	const none = math.MinInt64
	var running []int64 // by partition
	for _, p := range points {
		for int(p.Partition) >= len(running) {
			running = append(running, none)
		}
		top := running[p.Partition]
		if top != none {
			wm := top - d
			if !sql {
				wm--
			}
			if p.Event <= wm {
				late++
			}
		}
		running[p.Partition] = max(top, p.Event)
	}
	return late
}

func TestVectorsOfOnePartition(t *testing.T) {
	var four []int64
	for i := range int64(990) {
		four = append(four, epoch+i*1000)
	}
	top := four[len(four)-1]
	for range 5 {
		four = append(four, top-100)
	}
	for range 4 {
		four = append(four, top-2000)
	}
	four = append(four, top-60_000)
	var one []int64
	for i := range int64(10) {
		one = append(one, i*1000)
	}
	fifteen := make([]int64, 0, 10_000)
	for i := range int64(9500) {
		fifteen = append(fifteen, epoch+i)
	}
	for j := range int64(500) {
		fifteen = append(fifteen, epoch+9499-(600_000+13_200*j))
	}
	for _, v := range []struct {
		name    string
		events  []int64
		eps     string
		ds, sql int64
	}{
		{"1 ascending", one, "0%", 0, 0},
		{"2 all equal", []int64{1000, 1000, 1000}, "0%", 0, 1},
		{"3 one back", []int64{10_000, 5000}, "0%", 5000, 5001},
		{"4 at 1 %", four, "1%", 0, 0},
		{"4 at 0.5 %", four, "0.5%", 100, 101},
		{"4 at 0.1 %", four, "0.1%", 2000, 2001},
		{"4 at 0", four, "0%", 60_000, 60_001},
		{"15 at 5 %", fifteen, "5%", 0, 0},
		{"15 at 1 %", fifteen, "1%", 5_866_800, 5_866_801},
		{"15 at 0.5 %", fifteen, "p99.5", 6_526_800, 6_526_801},
		{"23", []int64{100, 99, 98, 101, 97}, "0%", 4, 5},
	} {
		t.Run(v.name, func(t *testing.T) {
			ps := onlyEvents(v.events...)
			r := advised(t, v.eps, ps)
			if r.Advice.DataStreamMs != v.ds || r.Advice.SQLMs != v.sql {
				t.Fatalf("datastream %d, sql %d; want %d, %d", r.Advice.DataStreamMs, r.Advice.SQLMs, v.ds, v.sql)
			}
			allowed := target(t, v.eps).Allowed(uint64(len(ps)))
			for _, side := range []struct {
				d   int64
				sql bool
			}{{v.ds, false}, {v.sql, true}} {
				if n := lateOf(ps, side.d, side.sql); n > allowed {
					t.Errorf("%d late at %d ms (sql %v), allowed %d", n, side.d, side.sql, allowed)
				}
				if n := lateOf(ps, side.d-1, side.sql); side.d > 0 && n <= allowed && !(side.sql && side.d == 1) {
					t.Errorf("%d ms (sql %v) is not minimal: %d late one below", side.d, side.sql, n)
				}
			}
		})
	}
}

func TestVector1Counts(t *testing.T) {
	r := advised(t, "0%", onlyEvents(0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000))
	if r.Counters.NewMax != 10 || r.Counters.Ties != 0 {
		t.Fatalf("%d new maxima, %d ties", r.Counters.NewMax, r.Counters.Ties)
	}
}

func TestVectors2And3And23OneBelow(t *testing.T) {
	for _, v := range []struct {
		events []int64
		d      int64
		sql    bool
		late   uint64
	}{
		{[]int64{1000, 1000, 1000}, 0, true, 2},
		{[]int64{1000, 1000, 1000}, 0, false, 0},
		{[]int64{10_000, 5000}, 4999, false, 1},
		{[]int64{10_000, 5000}, 5000, true, 1},
		{[]int64{100, 99, 98, 101, 97}, 0, false, 3},
	} {
		ps := onlyEvents(v.events...)
		own := measured(measure.Options{}, ps).Total().Own
		edge := v.d
		if v.sql {
			edge--
		}
		if got := own.Above(edge); got != v.late || lateOf(ps, v.d, v.sql) != v.late {
			t.Errorf("%v at %d (sql %v): %d late, brute force %d, want %d", v.events, v.d, v.sql, got, lateOf(ps, v.d, v.sql), v.late)
		}
	}
}

// Periodic emission: the watermark in force is that of the last tick. Only ever fewer late.
func TestVector23Periodic(t *testing.T) {
	events := []int64{100, 99, 98, 101, 97}
	periodic := func(tick int64) (late int) {
		top, wm := int64(math.MinInt64), int64(math.MinInt64)
		for i, e := range events {
			if at := int64(10 + i); at == tick {
				wm = top - 1
			}
			if e <= wm {
				late++
			}
			top = max(top, e)
		}
		return late
	}
	if a, b := periodic(99), periodic(12); a != 0 || b != 2 {
		t.Fatalf("no tick %d late, tick at 12 %d late", a, b)
	}
	if r := advised(t, "0%", onlyEvents(events...)); r.Advice.DataStreamMs != 4 {
		t.Fatalf("recommended %d whatever the tick, want 4", r.Advice.DataStreamMs)
	}
}

func TestVector5ConstantLagIsNoDelay(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(1000) {
		pairs = append(pairs, [2]int64{epoch + i*1000 + 7_200_000, epoch + i*1000})
	}
	m := measured(measure.Options{}, stream(0, pairs))
	r := Recommend(m, Options{Target: target(t, "0.5%"), SLAMs: 3_600_000, EmitMs: 200})
	if r.Transport.P50 > 7_200_000*101/100 || r.Transport.P50 < 7_200_000 || r.Transport.P995 != 7_200_000 {
		t.Errorf("transport %+v", r.Transport)
	}
	if r.Advice.DataStreamMs != 0 || r.Advice.Verdict != LatencyInfeasible {
		t.Errorf("delay %d, verdict %s (%s), findings %+v", r.Advice.DataStreamMs, r.Advice.Verdict, r.Advice.Reason, r.Findings)
	}
}

func TestVector6CreateTimeIsEventTime(t *testing.T) {
	ps := []record.Point{{Offset: 0, Arrival: 10_000, Event: 10_000}, {Offset: 1, Arrival: 5000, Event: 5000}}
	r := advised(t, "0%", ps)
	if r.Advice.DataStreamMs != 5000 || r.Transport != nil || !hasCause(r.Findings, CauseSameAsKafka) {
		t.Fatalf("delay %d, transport %v, findings %+v", r.Advice.DataStreamMs, r.Transport, r.Findings)
	}
}

func TestVector7IngestionTime(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(1000) {
		pairs = append(pairs, [2]int64{epoch + i/10*50, epoch + i/10*50})
	}
	m := measured(measure.Options{}, stream(0, pairs))
	r := Recommend(m, Options{Target: target(t, "0.1%"), EventTime: EventTime{Field: "timestamp"}})
	if r.Advice.DataStreamMs != 0 || r.Advice.SQLMs != 1 || r.Disorder.Max != 0 || !hasCause(r.Findings, CauseIngestion) {
		t.Fatalf("datastream %d, sql %d, findings %+v", r.Advice.DataStreamMs, r.Advice.SQLMs, r.Findings)
	}
}

func TestVector11OneFutureRecord(t *testing.T) {
	const n, year = 1_000_000, 365 * 24 * measure.HourMs
	c := measure.NewCollector(measure.Options{})
	for i := range int64(n) {
		p := record.Point{Offset: i, Arrival: epoch + i, Event: epoch + i, Type: record.AppendTime}
		if i == 500_000 {
			p.Event += year
		}
		c.Add(p)
	}
	m := c.Finish()
	r := Recommend(m, Options{Target: target(t, "0.5%")})
	asIs := m.Total().DisorderAsIs()
	if late := float64(asIs.Above(3_600_000)) / n; math.Abs(late-0.499999) > 1e-9 {
		t.Errorf("as it is %.6f late at 1 h", late)
	}
	const naive = 31_535_994_999
	if got, _ := asIs.SmallestWithAbove(n / 200); got < naive || float64(got) > naive*1.0079 {
		t.Errorf("naive p99.5 %d, want %d", got, int64(naive))
	}
	if r.Counters.Future != 1 || r.Advice.DataStreamMs != 0 || r.Advice.Verdict != FixTimestamps || !hasCause(r.Findings, CauseFuture) {
		t.Errorf("quarantined %d, delay %d, verdict %s", r.Counters.Future, r.Advice.DataStreamMs, r.Advice.Verdict)
	}
}

func TestVector15Plateau(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(9500) {
		pairs = append(pairs, [2]int64{epoch + i, epoch + i})
	}
	for j := range int64(500) {
		pairs = append(pairs, [2]int64{epoch + 9500 + j, epoch + 9499 - (600_000 + 13_200*j)})
	}
	m := measured(measure.Options{}, stream(0, pairs))
	r := Recommend(m, Options{Target: target(t, "1%"), SLAMs: 300_000, EmitMs: 200})
	own := m.Total().Own
	if a, b, c := own.Above(300_000), own.Above(599_999), own.Above(600_000); a != 500 || b != 500 || c != 499 {
		t.Errorf("late %d, %d, %d", a, b, c)
	}
	if r.Advice.Verdict != WrongKnob || r.Advice.RoundedMs != 0 || r.Advice.DataStreamMs != 5_866_800 {
		t.Errorf("verdict %s, rounded %d, need %d", r.Advice.Verdict, r.Advice.RoundedMs, r.Advice.DataStreamMs)
	}
}

func TestVector18CompactionRefusesDisorderTransactionsDoNot(t *testing.T) {
	var ps []record.Point
	for i := range int64(10_000) {
		if i%10 < 7 {
			ps = append(ps, record.Point{Offset: i, Arrival: epoch + i, Event: epoch + i - 5, Type: record.AppendTime})
		}
	}
	m := measured(measure.Options{}, ps)
	for _, v := range []struct {
		facts   TopicFacts
		cause   string
		verdict Verdict
	}{
		{TopicFacts{Known: true, CleanupPolicy: "compact"}, CauseCompacted, InsufficientEvidence},
		{TopicFacts{Known: true, CleanupPolicy: "delete"}, CauseNotContiguous, InsufficientEvidence},
		{TopicFacts{Known: true, CleanupPolicy: "delete", Transactions: true}, CauseTransactions, Fits},
	} {
		r := Recommend(m, Options{Target: target(t, "1%"), Facts: v.facts})
		if r.Advice.Verdict != v.verdict || !hasCause(r.Findings, v.cause) || r.Transport == nil {
			t.Errorf("%+v: verdict %s, findings %+v", v.facts, r.Advice.Verdict, r.Findings)
		}
	}
}

func TestVector19UpperBounds(t *testing.T) {
	for n, want := range map[uint64]float64{500: 0.00597, 598: 0.0049971, 2995: 0.0009997} {
		if got := NoneSeenUpper(n); math.Abs(got-want) > want*0.002 {
			t.Errorf("n = %d: %.7f, want %.7f", n, got, want)
		}
	}
	for target, want := range map[float64]uint64{0.01: 299, 0.005: 598, 0.001: 2995, 0.0001: 29_956} {
		if got := RecordsNeeded(target); got != want {
			t.Errorf("target %g needs %d, want %d", target, got, want)
		}
	}
	var events []int64
	for i := range int64(500) {
		events = append(events, epoch+i*1000)
	}
	if r := advised(t, "0.5%", onlyEvents(events...)); r.Advice.Verdict != InsufficientEvidence || r.Advice.GuaranteedMs != nil || !r.Advice.Late.Independent {
		t.Errorf("500 records certify 0.5 %%: %+v", r.Advice)
	}
}

func TestVector20OneBurstIsOneObservation(t *testing.T) {
	c := measure.NewCollector(measure.Options{})
	for i := range int64(1_000_000) {
		event := epoch + i
		if i >= 370_000 && i < 375_000 {
			event -= 1000_000
		}
		c.Add(record.Point{Offset: i, Arrival: epoch + i, Event: event, Type: record.AppendTime})
	}
	r := Recommend(c.Finish(), Options{Target: target(t, "1%")})
	late := r.Advice.Late
	if r.Advice.Verdict != InsufficientEvidence || late.Records != 5000 || late.Episodes != 1 || late.Fraction != 0.005 {
		t.Fatalf("verdict %s, %+v", r.Advice.Verdict, late)
	}
	if late.DesignEff < 3000 || late.CI95[1] < 0.02 {
		t.Errorf("design effect %.0f, interval %v: a binomial interval of 0.486 to 0.514 %% must not be printed", late.DesignEff, late.CI95)
	}
}

func TestVector21OneBadHour(t *testing.T) {
	day := epoch - epoch%(24*measure.HourMs)
	c := measure.NewCollector(measure.Options{})
	noon := measure.NewCollector(measure.Options{})
	n := int64(cases.Of(10_000, 100_000))
	gap := measure.HourMs / n
	var offset int64
	for hour := range int64(24) {
		for i := range n {
			at := day + hour*measure.HourMs + i*gap
			event := at
			switch {
			case hour == 2 && i > 0:
				event = day + 2*measure.HourMs - gap - 1_800_000
			case i%100 == 99:
				event = at - gap - 800
			}
			p := record.Point{Offset: offset, Arrival: at, Event: event, Type: record.AppendTime}
			offset++
			c.Add(p)
			if hour == 12 {
				noon.Add(p)
			}
		}
	}
	m := c.Finish()
	o := Options{Target: target(t, "0.5%")}
	if got := Recommend(noon.Finish(), o).Advice.DataStreamMs; got != 803 && got != 800 {
		t.Errorf("noon alone says %d, want the bucket of 800", got)
	}
	r := Recommend(m, o)
	if got := r.Advice.DataStreamMs; got < 1_800_000 || float64(got) > 1.0079*1_800_000 {
		t.Errorf("the whole day needs %d", got)
	}
	if r.Advice.Verdict != WrongKnob || r.Advice.RoundedMs < 800 || r.Advice.RoundedMs > 810 {
		t.Errorf("verdict %s, offered %d, want 800 and separate handling", r.Advice.Verdict, r.Advice.RoundedMs)
	}
	if math.Abs(r.Advice.Late.Fraction-0.041667) > 0.00001 {
		t.Errorf("late at the offered delay %.6f", r.Advice.Late.Fraction)
	}
	if i := slices.IndexFunc(r.Hours, func(h Hour) bool { return h.NeedMs > 10_000 }); i < 0 || r.Hours[i].Hour != 2 || !hasCause(r.Findings, CauseSeason) {
		t.Errorf("the bad hour is not named: %+v", r.Findings)
	}
}

func TestVector27NoProgress(t *testing.T) {
	var pairs [][2]int64
	for i := range int64(1000) {
		pairs = append(pairs, [2]int64{epoch + i*1000, epoch})
	}
	r := advised(t, "0.5%", stream(0, pairs))
	if r.Advice.Verdict != NoProgress || r.Counters.Ties != 999 {
		t.Fatalf("verdict %s, ties %d", r.Advice.Verdict, r.Counters.Ties)
	}
}

func TestVector29Unusable(t *testing.T) {
	var ps []record.Point
	for i := range int64(1000) {
		ps = append(ps, record.Point{Offset: i, Arrival: epoch + i*1000, Event: epoch + i*1000, Type: record.AppendTime})
	}
	ps[300].Event = -1
	ps[500].State = record.Missing
	ps[700].State = record.Undecodable
	r := advised(t, "0.5%", ps)
	if r.Counters.Unusable() != 3 || r.Records != 997 || r.Advice.DataStreamMs != 0 || !hasCause(r.Findings, CauseUnusable) {
		t.Fatalf("%+v, delay %d", r.Counters, r.Advice.DataStreamMs)
	}
}

func TestVector31TransactionsDoNotChangeDisorder(t *testing.T) {
	var plain, marked []record.Point
	var offset int64
	for i := range int64(20_000) {
		event := epoch + i - (i%7)*100
		plain = append(plain, record.Point{Offset: i, Arrival: epoch + i, Event: event, Type: record.AppendTime})
		if i%1000 == 999 {
			offset++ // the commit marker
		}
		marked = append(marked, record.Point{Offset: offset, Arrival: epoch + i, Event: event, Type: record.AppendTime})
		offset++
	}
	a := advised(t, "0.1%", plain)
	b := Recommend(measured(measure.Options{}, marked), Options{Target: target(t, "0.1%"), EmitMs: 200, Facts: TopicFacts{Known: true, Transactions: true}})
	if a.Advice.DataStreamMs != b.Advice.DataStreamMs || !hasCause(b.Findings, CauseTransactions) {
		t.Fatalf("%d without, %d with transactions; findings %+v", a.Advice.DataStreamMs, b.Advice.DataStreamMs, b.Findings)
	}
}
