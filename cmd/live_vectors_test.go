//go:build lab

package cmd_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tidemark/internal/units"
	"tidemark/kafkastats/advise"
)

// The worked examples of the estimator on a real job: each with the delay tidemark states, where nothing may
// be late, and one millisecond less. The numbers wanted are arithmetic on the records, by hand.
//
// Emission is on every record: only then is the count a matter of the records alone. Where an example is about
// the interval itself, one job ticks once an hour and one is shown its tick by the order of writing.
var vectorCases = []lateCase{
	{name: "v2_0", vector: "v2", delay: 0, want: 0, tells: own, window: true},
	{name: "v2_sql_0", vector: "v2", sql: true, delay: 0, want: 2, tells: own, window: true},
	{name: "v2_sql_1", vector: "v2", sql: true, delay: 1, want: 0, tells: own, window: true},

	{name: "v3_5000", vector: "v3", delay: 5000, want: 0, tells: own, window: true},
	{name: "v3_4999", vector: "v3", delay: 4999, want: 1, tells: own, window: true},
	{name: "v3_sql_5001", vector: "v3", sql: true, delay: 5001, want: 0, tells: own, window: true},
	{name: "v3_sql_5000", vector: "v3", sql: true, delay: 5000, want: 1, tells: own, window: true},

	{name: "v8_0", vector: "v8", delay: 0, want: 0, tells: own, window: true},
	{name: "v8_sql_0", vector: "v8", sql: true, delay: 0, want: 0, tells: own, window: true},
	{name: "v8_after_0", vector: "v8", delay: 0, options: "after=1", want: 600, tells: global, window: true},
	{name: "v8_after_19999", vector: "v8", delay: 19_999, options: "after=1", want: 600, tells: global, window: true},
	{name: "v8_after_20000", vector: "v8", delay: 20_000, options: "after=1", want: 0, tells: global, window: true},
	{name: "v8_after_sql_20000", vector: "v8", sql: true, delay: 20_000, options: "after=1|watermark=ts - " + units.Interval(20_000), want: 600, tells: global, window: true},
	{name: "v8_after_sql_20001", vector: "v8", sql: true, delay: 20_001, options: "after=1|watermark=ts - " + units.Interval(20_001), want: 0, tells: global, window: true},

	// The job's idle timeout is 2 s and not 60 s: wall clock is not what is compared.
	{name: "v10_0", vector: "v10", delay: 0, want: 0, tells: own, window: true},
	{name: "v10_idle_1399", vector: "v10", delay: 1399, options: "idle=2000", want: 1, tells: idle, window: true},
	{name: "v10_idle_1400", vector: "v10", delay: 1400, options: "idle=2000", want: 0, tells: idle, window: true},
	{name: "v10_idle_sql_1400", vector: "v10", sql: true, delay: 1400, options: "idle=2000", want: 1, tells: idle, window: true},
	{name: "v10_idle_sql_1401", vector: "v10", sql: true, delay: 1401, options: "idle=2000", want: 0, tells: idle, window: true},

	// A million windows of 1 ms would be a test of the heap: these are counted where a record meets the watermark.
	{name: "v11_hour", vector: "v11", delay: 3_600_000, want: 499_999, tells: asIs},
	{name: "v11_naive", vector: "v11", delay: 31_535_994_999, want: 5000, tells: asIs},
	{name: "v11_naive_less", vector: "v11", delay: 31_535_994_998, want: 5001, tells: asIs},
	{name: "v11_kept_out", vector: "v11", delay: 0, options: "future=300000", want: 0, tells: own},
	{name: "v11_replaced", vector: "v11", delay: 0, options: "arrival=300000", want: 0, tells: own},
	{name: "v11_sql_hour", vector: "v11", sql: true, delay: 3_600_000, want: 499_999, tells: asIs},
	{name: "v11_sql_naive", vector: "v11", sql: true, delay: 31_535_995_000, want: 5000, tells: asIs},
	{name: "v11_sql_kept_out", vector: "v11", sql: true, delay: 0, options: "clamp=300000", want: 0, tells: own},

	{name: "v23_0", vector: "v23", delay: 0, want: 3, tells: own, window: true},
	{name: "v23_3", vector: "v23", delay: 3, want: 1, tells: own, window: true},
	{name: "v23_4", vector: "v23", delay: 4, want: 0, tells: own, window: true},
	{name: "v23_sql_1", vector: "v23", sql: true, delay: 1, want: 3, tells: own, window: true},
	{name: "v23_sql_4", vector: "v23", sql: true, delay: 4, want: 1, tells: own, window: true},
	{name: "v23_sql_5", vector: "v23", sql: true, delay: 5, want: 0, tells: own, window: true},
	{name: "v23_tick", vector: "v23tick", delay: 0, options: "emit=periodic", want: 2, tells: periodic(12-200, 200), window: true},
	{name: "v23_tick_sql", vector: "v23tick", sql: true, delay: 1, options: "emit=periodic", want: 2, tells: periodic(12-200, 200), window: true},
	{name: "v23_no_tick", vector: "v23", delay: 0, options: "emit=periodic", job: "hourly", want: 0, tells: periodic(10, 3_600_000), window: true},
	{name: "v23_no_tick_sql", vector: "v23", sql: true, delay: 1, options: "emit=periodic", job: "hourly", want: 0, tells: periodic(10, 3_600_000), window: true},
}

// TestVectorsOnRealFlink compares, for every example and delay, what the example says, what tidemark computes
// from the topic and what Flink's own counter shows.
func TestVectorsOnRealFlink(t *testing.T) {
	lab := openLab(t)
	r := &lateRun{lab: lab, kafka: lab.kafka(), topics: map[string]string{}}
	cases := slices.Clone(vectorCases)
	for i := range cases {
		if cases[i].job == "" {
			cases[i].job = "each"
		}
	}
	p := newProducer(t, r.kafka)
	base := time.Now().Add(-time.Hour).UnixMilli()
	first, second, last := vectorEvents(base)
	// A job's first record loads its classes, which takes longer than an interval: a tick must not fall there.
	// One more record, older than all, takes that on itself.
	first["v23tick"], second["v23tick"] = slices.Insert(first["v23"], 0, event{0, 9, 1}), second["v23"]
	records := map[string]int64{}
	for name, events := range first {
		partitions := int32(1)
		if name == "v8" || name == "v10" {
			partitions = 2
		}
		r.topics[name] = p.topic(t, name, partitions, "CreateTime")
		if name == "v23tick" {
			p.write(t, r.topics[name], events[0])
		} else {
			p.write(t, r.topics[name], events...)
		}
		records[name] = int64(len(events) + len(second[name]) + len(last[name]))
	}
	r.begin(t, cases, map[string]string{"each": "200ms", "hourly": "3600000ms"}, "1")

	staged := func(name string) (out []lateCase) {
		for _, c := range cases {
			if c.vector == name {
				out = append(out, c)
			}
		}
		return out
	}
	seen := func(n int64, names ...string) bool {
		for _, name := range names {
			for _, c := range staged(name) {
				if seen, _, ok := r.counted(t, c); !ok || seen != n {
					return false
				}
			}
		}
		return true
	}
	until(t, "the first records", 2*time.Minute, func() bool { return seen(2, "v10", "v23") && seen(1, "v23tick") })
	p.write(t, r.topics["v23tick"], first["v23tick"][1:]...)
	// The tick of the last example: the watermark of 100 and 99 is in force before 98 is written. Before 1.19.2
	// and 1.20.1 SQL's follows the last record instead of the largest (FLINK-37025), which changes no count here.
	until(t, "the tick", 2*time.Minute, func() bool { return r.watermark(t, "v23_tick") == 99 && r.watermark(t, "v23_tick_sql") >= 98 })
	for name, events := range second {
		p.write(t, r.topics[name], events...)
	}
	// Partition 1 is idle once the watermark is that of partition 0 alone.
	until(t, "the silent partition to turn idle", 2*time.Minute, func() bool {
		for _, c := range staged("v10") {
			want := base + 299_900 - c.delay
			if !c.sql {
				want--
			}
			if c.options != "" && r.watermark(t, c.name) != want {
				return false
			}
		}
		return true
	})
	for name, events := range last {
		p.write(t, r.topics[name], events...)
	}

	counted := r.settle(t, cases, records)
	if got, want := r.watermark(t, "v8_0"), base+599_000-20_000-1; got != want {
		t.Errorf("two partitions 20 s apart: the watermark is %d, want that of the slower one, %d", got, want)
	}
	found := map[string]*measured{}
	for name, topic := range r.topics {
		found[name] = measureTopic(t, r.kafka, topic, 60_000)
	}
	for _, c := range cases {
		predicted := int64(c.predicted(found[c.vector]))
		t.Logf("%-20s %-10s delay %11d ms: example %6d, predicted %6d, counted %6d late", c.name, form(c), c.delay, c.want, predicted, counted[c.name])
		if predicted != c.want || counted[c.name] != c.want {
			t.Errorf("%s: predicted %d, counted %d late, want %d", c.name, predicted, counted[c.name], c.want)
		}
	}
}

// watermark is the one in force at a case's window, or 0.
func (r *lateRun) watermark(t *testing.T, name string) int64 {
	t.Helper()
	i := slices.IndexFunc(vectorCases, func(c lateCase) bool { return c.name == name })
	part := name + "_Window"
	if vectorCases[i].sql {
		part = name + "_Sink"
	}
	id := r.vertex(t, r.jobs[name], part)
	var marks []struct{ Value string }
	if err := call("GET", r.lab.rest+"/jobs/"+r.jobs[name]+"/vertices/"+id+"/watermarks", nil, &marks); err != nil || len(marks) != 1 {
		return 0
	}
	var ms int64
	_, _ = fmt.Sscan(marks[0].Value, &ms)
	return ms
}

// vectorEvents are the examples' records, in the three steps in which they are written.
func vectorEvents(base int64) (first, second, last map[string][]event) {
	first = map[string][]event{
		"v2":  {{0, 1000, 1000}, {0, 1000, 1000}, {0, 1000, 1000}},
		"v3":  {{0, 10_000, 10_000}, {0, 10_001, 5000}},
		"v10": {{0, base, base - 100}, {1, base, base - 2000}},
		"v23": {{0, 10, 100}, {0, 11, 99}},
	}
	second = map[string][]event{"v23": {{0, 12, 98}, {0, 13, 101}, {0, 14, 97}}}
	for i := range int64(600) {
		first["v8"] = append(first["v8"], event{0, base + i*1000, base + i*1000}, event{1, base + i*1000 + 1, base + i*1000 - 20_000})
	}
	for at := int64(1000); at <= 300_000; at += 1000 {
		second["v10"] = append(second["v10"], event{0, base + at, base + at - 100})
	}
	last = map[string][]event{"v10": {{1, base + 300_500, base + 300_500 - 2000}}}
	for i := range int64(1_000_000) {
		e := event{0, base + i, base + i}
		if i == 500_000 {
			e.ms += 365 * 24 * 3_600_000
		}
		first["v11"] = append(first["v11"], e)
	}
	return first, second, last
}

// TestRecommendStatesTheVectors asks the command itself about the same records.
func TestRecommendStatesTheVectors(t *testing.T) {
	lab := openLab(t)
	kafka := lab.kafka()
	p := newProducer(t, kafka)
	base := time.Now().Add(-time.Hour).UnixMilli()
	first, second, last := vectorEvents(base)
	for name, want := range map[string]struct {
		dataStream, sql int64
		flags           []string
	}{
		"v2": {0, 1, nil}, "v3": {5000, 5001, nil}, "v8": {0, 0, nil}, "v10": {1400, 1401, []string{"--idle-timeout", "60s"}}, "v11": {0, 0, nil}, "v23": {4, 5, nil},
	} {
		t.Run(name, func(t *testing.T) {
			partitions := int32(1)
			if name == "v8" || name == "v10" {
				partitions = 2
			}
			topic := p.topic(t, name, partitions, "CreateTime")
			for _, step := range []map[string][]event{first, second, last} {
				p.write(t, topic, step[name]...)
			}
			r := lab.recommend(t, slices.Concat([]string{topic, "--brokers", kafka, "--field", "ms", "--unit", "ms", "--exact", "--target-late", "0%"}, want.flags)...)
			if r.Advice.DataStreamMs != want.dataStream || r.Advice.SQLMs != want.sql {
				t.Errorf("datastream %d, sql %d; want %d, %d", r.Advice.DataStreamMs, r.Advice.SQLMs, want.dataStream, want.sql)
			}
			if name == "v8" && (r.Advice.GlobalMs == nil || *r.Advice.GlobalMs != 20_000) {
				t.Errorf("one generator %v, want 20000", r.Advice.GlobalMs)
			}
			if name == "v11" && (r.Counters.Future != 1 || r.Advice.Verdict != advise.FixTimestamps) {
				t.Errorf("%d in the future, verdict %s", r.Counters.Future, r.Advice.Verdict)
			}
		})
	}
}
