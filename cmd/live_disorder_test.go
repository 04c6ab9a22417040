//go:build lab

package cmd_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/engine"
	"tidemark/kafkastats/measure"
)

const (
	disorderPartitions = 4
	disorderRate       = 250 // records a second and partition
	disorderSeconds    = 40
	emitMs             = 200
)

// disorderPlan is a stream of lognormal delays, written live at a steady rate: for each partition the moments
// of writing and the event times, both in ms after the start.
func disorderPlan() (plan [disorderPartitions][]event) {
	r := rand.New(rand.NewPCG(5, 23))
	for p := range plan {
		for i := range int64(disorderRate * disorderSeconds) {
			at := i*1000/disorderRate + int64(p)
			plan[p] = append(plan[p], event{int32(p), at, at - int64(200*math.Exp(1.2*r.NormFloat64()))})
		}
	}
	return plan
}

// planLate is the definition: records behind the running maximum of their partition by more than a delay.
func planLate(plan [disorderPartitions][]event, delayMs int64) (late int64) {
	for _, events := range plan {
		top := int64(math.MinInt64)
		for _, e := range events {
			if top != math.MinInt64 && top-e.ms > delayMs {
				late++
			}
			top = max(top, e.ms)
		}
	}
	return late
}

// TestPredictedLateOnRealFlink reads one stream, live, under three delays, four ways each: on every record
// and at the interval, DataStream and SQL. On every record Flink must count exactly what tidemark predicts.
// At the interval, the reference engine knows neither Flink's phase nor when a fetch returned, so its count
// may differ by the records of an interval; the prediction on every record is never exceeded. Flink re-arms
// its timer after it fired, so that an interval of 200 ms lasts 206 on a machine with work to do, and fewer are
// late: the engine's count for the interval as it was, and a fifth longer, bounds that. Where ticks came at less
// than half their rate the machine was no judge, and only the upper bounds are asked for.
func TestPredictedLateOnRealFlink(t *testing.T) {
	lab := openLab(t)
	r := &lateRun{lab: lab, kafka: lab.kafka(), topics: map[string]string{}}
	plan := disorderPlan()
	need := int64(0)
	for planLate(plan, need) > disorderPartitions*disorderRate*disorderSeconds/100 {
		need++
	}
	rounded := measure.RoundUp(need)
	var cases []lateCase
	for _, d := range []int64{0, 1000, rounded} {
		for _, emit := range []string{"event", "periodic"} {
			options := "parallelism=" + strconv.Itoa(disorderPartitions) // a subtask a partition: no other one shares its watermark
			if emit == "periodic" {
				options += "|emit=periodic"
			}
			cases = append(cases,
				lateCase{name: fmt.Sprintf("d%d_%s", d, emit), vector: "disorder", delay: d, options: options, job: "live", tells: own},
				lateCase{name: fmt.Sprintf("d%d_%s_sql", d, emit), vector: "disorder", sql: true, delay: d + 1, options: options, job: "live", tells: own})
		}
	}
	p := newProducer(t, r.kafka)
	r.topics["disorder"] = p.topic(t, "disorder", disorderPartitions, "LogAppendTime")
	r.begin(t, cases, map[string]string{"live": strconv.Itoa(emitMs) + "ms"}, strconv.Itoa(disorderPartitions))
	r.running(t)
	p.live(t, r.topics["disorder"], plan)

	n := int64(disorderPartitions * disorderRate * disorderSeconds)
	counted := r.settle(t, cases, map[string]int64{"disorder": n})
	found := measureTopic(t, r.kafka, r.topics["disorder"], 0)
	said := lab.recommend(t, r.topics["disorder"], "--brokers", r.kafka, "--field", "ms", "--unit", "ms", "--exact", "--target-late", "1%")
	if said.Advice.DataStreamMs != need || said.Advice.RoundedMs != rounded {
		t.Errorf("recommend says %d, rounded %d; want %d, %d", said.Advice.DataStreamMs, said.Advice.RoundedMs, need, rounded)
	}
	lasted := r.interval(t, cases)
	t.Logf("an emission interval of %d ms lasted %d ms", emitMs, lasted)
	perInterval := int64(disorderPartitions * disorderRate * emitMs / 1000)
	for _, c := range cases {
		onEvent, got := int64(c.predicted(found)), counted[c.name]
		d := c.delay
		if c.sql {
			d--
		}
		if want := planLate(plan, d); onEvent != want {
			t.Errorf("%s: predicted %d late, want %d", c.name, onEvent, want)
		}
		if !strings.Contains(c.options, "periodic") {
			t.Logf("%-18s %-10s delay %5d ms, on event: predicted %6d of %d (%.3f %%), counted %6d", c.name, form(c), c.delay, onEvent, n, 100*float64(onEvent)/float64(n), got)
			if got != onEvent {
				t.Errorf("%s: predicted %d late, counted %d", c.name, onEvent, got)
			}
			continue
		}
		paced, slower := periodicOwn(t, found.kept, d, emitMs), periodicOwn(t, found.kept, d, lasted*6/5)
		t.Logf("%-18s %-10s delay %5d ms, periodic: on event %6d, engine at %d ms %6d (%.3f %%), at %d ms %6d, counted %6d (%.3f %%), an interval has %d records",
			c.name, form(c), c.delay, onEvent, emitMs, paced, 100*float64(paced)/float64(n), lasted*6/5, slower, got, 100*float64(got)/float64(n), perInterval)
		if got > min(onEvent, paced+perInterval) || got < slower-perInterval && lasted < 2*emitMs {
			t.Errorf("%s: engine %d late, counted %d", c.name, paced, got)
		}
	}
}

// periodicOwn replays each partition on its own under a generator that speaks at an interval, over eight
// phases of it, and gives the mean.
func periodicOwn(t *testing.T, records []engine.Record, delayMs, intervalMs int64) int64 {
	t.Helper()
	const phases = 8
	var late int64
	for p := range int32(disorderPartitions) {
		for phase := range int64(phases) {
			var start int64
			cfg := engine.ReplayConfig{Strategy: engine.Strategy{Kind: engine.BoundedOutOfOrderness, BoundMs: delayMs, IntervalMs: intervalMs}, Version: engine.Latest, Splits: 1, StartMs: &start}
			part := slices.DeleteFunc(slices.Clone(records), func(r engine.Record) bool { return r.Split != p })
			for i := range part {
				part[i].Split = 0
			}
			start = part[0].Arrival - phase*intervalMs/phases
			late += replayed(cfg, part)
		}
	}
	return (late + phases/2) / phases
}

// interval is how long a periodic generator's interval really lasted, ms: each tick in a stream this dense
// moves the watermark.
func (r *lateRun) interval(t *testing.T, cases []lateCase) int64 {
	t.Helper()
	for _, c := range cases {
		if !c.sql && strings.Contains(c.options, "periodic") {
			got, ok := r.lab.sums(r.jobs[c.name], r.vertex(t, r.jobs[c.name], c.name+"_Source"), "moves Late")
			if !ok || got[0] == 0 {
				t.Fatalf("%s: the watermark never moved", c.name)
			}
			return disorderSeconds * 1000 * disorderPartitions / got[0]
		}
	}
	return emitMs
}

// running waits until every task runs and has had time to find its partitions.
func (r *lateRun) running(t *testing.T) {
	t.Helper()
	until(t, "all jobs running", time.Minute, func() bool {
		for _, job := range r.jobs {
			var d struct {
				Counts map[string]int `json:"status-counts"`
				All    []struct{}     `json:"vertices"`
			}
			if call("GET", r.lab.rest+"/jobs/"+job, nil, &d) != nil || d.Counts["RUNNING"] != len(d.All) {
				return false
			}
		}
		return true
	})
	time.Sleep(5 * time.Second)
}

// live writes a plan at its own pace, each partition in its order, event times relative to now.
func (p *producer) live(t *testing.T, topic string, plan [disorderPartitions][]event) {
	t.Helper()
	start := time.Now()
	base := start.UnixMilli()
	var next [disorderPartitions]int
	failed := make(chan error, 1)
	for left := true; left; time.Sleep(2 * time.Millisecond) {
		left = false
		now := time.Since(start).Milliseconds()
		for q, events := range plan {
			for ; next[q] < len(events) && events[next[q]].at <= now; next[q]++ {
				rec := &kgo.Record{Topic: topic, Partition: int32(q), Value: fmt.Appendf(nil, `{"n":%d,"ms":%d}`, p.next[topic], base+events[next[q]].ms)}
				p.next[topic]++
				p.client.Produce(context.Background(), rec, func(_ *kgo.Record, err error) {
					if err != nil {
						select {
						case failed <- err:
						default:
						}
					}
				})
			}
			left = left || next[q] < len(events)
		}
	}
	if err := p.client.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
}
