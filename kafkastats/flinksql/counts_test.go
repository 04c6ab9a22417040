package flinksql

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/kafkastats/hist"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/record"
)

// answer computes what the query says about points, as SQL would: the same states, running maxima,
// buckets and steps, in plain loops.
func answer(j Job, points []record.Point) []Row {
	type key struct {
		p            int32
		kind         string
		bucket, step int64
		null         bool
	}
	rows := map[key]*Row{}
	add := func(k key, v int64) {
		r := rows[k]
		if r == nil {
			r = &Row{Partition: k.p, Kind: k.kind, Min: &v, Max: &v}
			if !k.null {
				r.Bucket = &k.bucket
			}
			if k.step > 0 {
				r.Step = &k.step
			}
			rows[k] = r
		}
		lo, hi := min(*r.Min, v), max(*r.Max, v)
		r.Min, r.Max = &lo, &hi
		r.N++
	}
	type top struct {
		have, haveAsIs   bool
		max, asIs, clock int64
	}
	type moment struct{ clock, disorder int64 }
	var moments []moment
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	tops := map[int32]*top{}
	for _, p := range points {
		t := tops[p.Partition]
		if t == nil {
			t = &top{}
			tops[p.Partition] = t
		}
		known := p.Type != record.NoTimestamp
		state := "usable"
		switch {
		case p.State == record.Missing:
			state = "missing"
		case p.Event == -1 || p.Event <= 0 && known && p.Arrival > j.ModernMs:
			state = "sentinel"
		case known && p.Event-p.Arrival > j.FutureMs || j.NowMs > 0 && p.Event-j.NowMs > j.FutureMs:
			state = "future"
		}
		if p.Offset < j.From[p.Partition] {
			state = map[bool]string{true: "pre_roll", false: "pre_roll_unusable"}[state == "usable"]
		}
		value := func(kind string, v int64) {
			k := key{p: p.Partition, kind: kind, bucket: bottom(v)}
			if v > 0 && (kind == "own" || kind == "own_behind_future") {
				k.step = measure.RoundUp(v)
			}
			add(k, v)
		}
		at, counts := p.Arrival, state != "future" && state != "pre_roll_unusable"
		if !known {
			at, counts = p.Event, state == "usable" || state == "pre_roll"
		}
		if counts && !(known && j.NowMs > 0 && at > j.NowMs+j.FutureMs) {
			t.clock = max(t.clock, at)
			if state == "usable" {
				first, last = min(first, at), max(last, at)
			}
		}
		behind := t.have && t.haveAsIs && t.asIs > t.max
		if state == "usable" {
			if t.have {
				moments = append(moments, moment{t.clock, t.max - p.Event})
				value(map[bool]string{true: "own_behind_future", false: "own"}[behind], t.max-p.Event)
				if known {
					value("lag", p.Arrival-t.max)
				}
			}
			if known {
				value("transport", p.Arrival-p.Event)
			}
			add(key{p: p.Partition, kind: "event", null: true}, p.Event)
		}
		if state == "usable" && behind || state == "future" && t.haveAsIs {
			value("as_is", t.asIs-p.Event)
		}
		if state == "future" && known {
			value("ahead", p.Arrival-p.Event)
		}
		flags := int64(0)
		switch {
		case p.Type == record.AppendTime:
			flags = appendTime
		case !known:
			flags = noTimestamp
		case p.Event == p.Arrival:
			flags = sameAsKafka
		}
		if p.Event%1000 == 0 {
			flags += onSecond
		}
		add(key{p: p.Partition, kind: state, bucket: flags}, p.Arrival)
		if state == "usable" || state == "pre_roll" {
			if !t.have || p.Event > t.max {
				t.have, t.max = true, p.Event
			}
		}
		if state == "usable" || state == "pre_roll" || state == "future" {
			if !t.haveAsIs || p.Event > t.asIs {
				t.haveAsIs, t.asIs = true, p.Event
			}
		}
	}
	width := int64(measure.FineMs)
	for last-first >= blocksAtMost*width {
		width *= 2
	}
	for _, m := range moments {
		add(key{p: -1, kind: block, bucket: bottom(max(0, m.disorder)), step: m.clock - m.clock%width}, m.disorder)
	}
	add(key{p: -1, kind: blockWidth, null: true}, width)
	var out []Row
	for _, r := range rows {
		out = append(out, *r)
	}
	return out
}

// What the job's counts lead to is, statistic by statistic, what a local reading of the same records finds.
func TestCountsEqualALocalReading(t *testing.T) {
	const base = int64(1_795_999_000_000)
	for name, spoil := range map[string]func(*rand.Rand, *record.Point){
		"disorder": func(*rand.Rand, *record.Point) {},
		"append time": func(_ *rand.Rand, p *record.Point) {
			p.Type = record.AppendTime
		},
		"future, missing and default values": func(r *rand.Rand, p *record.Point) {
			switch r.IntN(200) {
			case 0:
				p.Event += 400_000_000
			case 1:
				p.State = record.Missing
			case 2:
				p.Event = -1
			case 3:
				p.Event = 0
			case 4:
				p.Event = p.Arrival
			case 5:
				p.Event -= p.Event % 1000
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			j := Job{Start: map[int32]int64{0: 0, 1: 0}, From: map[int32]int64{0: 0, 1: 500, 2: 0}, To: map[int32]int64{0: 20_000, 1: 5000, 2: 0},
				FutureMs: measure.DefaultFutureMs, NowMs: 1_796_000_000_000, ModernMs: measure.ModernMs}
			c := measure.NewCollector(measure.Options{NowMs: j.NowMs})
			for p := range j.From {
				c.Expect(p)
			}
			var points []record.Point
			for id := range int32(2) {
				for i := range j.To[id] {
					at := base + i*7
					p := record.Point{Partition: id, Offset: i, Arrival: at, Event: at - 1 - int64(r.ExpFloat64()*5000), PreRoll: i < j.From[id], First: i == 0}
					spoil(r, &p)
					points = append(points, p)
					c.Add(p)
				}
			}
			by, blocks, err := j.Counts(answer(j, points))
			if err != nil {
				t.Fatal(err)
			}
			local, remote := c.Finish(), measure.FromCounts(by, blocks)
			for _, d := range []int64{0, 1000, 5000, 25_000} {
				a, _ := local.Blocks.Spread(d)
				b, _ := remote.Blocks.Spread(d)
				if diff := cmp.Diff(a, b); diff != "" || a.Blocks < 64 {
					t.Errorf("beyond %d ms, over %d blocks: %s", d, a.Blocks, diff)
				}
				if diff := cmp.Diff(local.Blocks.Stretches(d, 24), remote.Blocks.Stretches(d, 24)); diff != "" {
					t.Error(diff)
				}
			}
			for _, id := range local.IDs() {
				a, b := local.Partitions[id].Total(), remote.Partitions[id].Total()
				if diff := cmp.Diff(a.Counters, b.Counters); diff != "" {
					t.Errorf("partition %d: %s", id, diff)
				}
				for what, pair := range map[string][2]*hist.Histogram{"own": {a.Own, b.Own}, "as is": {a.DisorderAsIs(), b.DisorderAsIs()}, "transport": {a.Transport, b.Transport}, "ahead": {a.Ahead, b.Ahead}, "lag": {a.Lag, b.Lag}} {
					if diff := cmp.Diff(text(t, pair[0]), text(t, pair[1])); diff != "" {
						t.Errorf("partition %d, %s: %s", id, what, diff)
					}
				}
			}
			if diff := cmp.Diff(local.StepTotal(), remote.StepTotal()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(local.Span, remote.Span); diff != "" {
				t.Error(diff)
			}
			if !remote.CountsOnly || local.CountsOnly || remote.Partitions[2] == nil {
				t.Error("what is not known must be said, and an empty partition be known")
			}
		})
	}
}

func text(t *testing.T, h *hist.Histogram) string {
	t.Helper()
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCountsOfARowThatCannotBe(t *testing.T) {
	j := Job{From: map[int32]int64{0: 0}}
	n := int64(5)
	got, _, err := j.Counts([]Row{{Partition: 9, Kind: "own", N: 3, Min: &n, Max: &n}, {Partition: 0, Kind: "own", N: 3}, {Partition: 0, Kind: "usable", N: 2}, {Partition: 0, Kind: "event", N: 2}})
	if err != nil || len(got) != 1 || got[0].Own.Count() != 0 || got[0].Records != 2 {
		t.Errorf("%v %+v", err, got)
	}
	if _, _, err := j.Counts([]Row{{Partition: -1, Kind: blockWidth, N: 1, Min: &n, Max: &n}}); err == nil {
		t.Error("a block of 5 ms")
	}
}
