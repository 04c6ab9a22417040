//go:build slow

package rest_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"tidemark/engine"
	"tidemark/engine/twin/job"
	"tidemark/internal/worlds/records"
)

const testdata = "../../../testdata/"

// topic is a topic of the lab as testdata/lab/load.txt has it; see java/Produce.java.
type topic struct {
	name             string
	partitions, rate int64
	options          map[string]string
}

func topics(t *testing.T) map[string]topic {
	t.Helper()
	text, err := os.ReadFile(testdata + "lab/load.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]topic{}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 3 || strings.HasPrefix(f[0], "#") {
			continue
		}
		p := topic{name: f[0], options: map[string]string{}}
		p.partitions, _ = strconv.ParseInt(f[1], 10, 64)
		p.rate, _ = strconv.ParseInt(f[2], 10, 64)
		if len(f) > 3 {
			for _, kv := range strings.Split(f[3], ",") {
				k, v, _ := strings.Cut(kv, "=")
				p.options[k] = v
			}
		}
		all[p.name] = p
	}
	return all
}

func (p topic) number(key string) int64 {
	n, _ := strconv.ParseInt(p.options[key], 10, 64)
	return n
}

// pair reads PARTITION@VALUE; partition -1 where the option is not set.
func (p topic) pair(key string) (partition, value int64) {
	a, b, ok := strings.Cut(p.options[key], "@")
	if !ok {
		return -1, 0
	}
	partition, _ = strconv.ParseInt(a, 10, 64)
	value, _ = strconv.ParseInt(b, 10, 64)
	return partition, value
}

func (p topic) silent(partition int64) bool {
	for _, s := range strings.Split(p.options["silent"], "+") {
		if s == strconv.FormatInt(partition, 10) {
			return true
		}
	}
	return false
}

// everyMs is the distance of a partition's records.
func (p topic) everyMs() float64 { return 1000 * float64(p.partitions) / float64(max(p.rate, 1)) }

// records is what a partition holds.
func (p topic) records(partition int64, l lab) records.Schedule {
	s := records.Schedule{Seed: uint64(partition), Keys: 17}
	if p.rate == 0 || p.silent(partition) {
		if n := p.number("once"); n > 0 {
			s.Phases = []records.Phase{{FromMs: l.onceMs, ToMs: l.endMs, EveryMs: 0.01, Count: int(n / p.partitions)}}
		}
		return s
	}
	startMs := l.startMs
	live := records.Phase{FromMs: startMs + partition*1000/p.rate, ToMs: l.endMs, EveryMs: p.everyMs(), ShiftMs: p.number("shiftMs"), LateMs: p.number("lateMs")}
	if q, after := p.pair("stopAfter"); q == partition {
		live.ToMs = min(live.ToMs, startMs+1000*after)
	}
	if end := p.number("end"); end > 0 {
		live.ToMs = min(live.ToMs, startMs+1000*end)
	}
	if q, behind := p.pair("slow"); q == partition {
		live.ShiftMs -= behind
	}
	s.Phases = []records.Phase{live}
	return s
}

// lab is a scenario of the lab.
type lab struct {
	topics  map[string]topic
	owner   map[string]int // of a split, as the recording shows it
	startMs int64          // of the producer
	onceMs  int64          // when it wrote what it writes at once
	endMs   int64
	sink    string // its name
}

func (l lab) source(name, of string, s job.Strategy, parallelism int) job.Operator {
	src := &job.Source{Strategy: s}
	p := l.topics[of]
	for q := range p.partitions {
		split := job.Split{Topic: of, Partition: int(q), Records: p.records(q, l)}
		split.Subtask = l.owner[split.ID()]
		src.Splits = append(src.Splits, split)
	}
	return job.Operator{Name: "Source: " + name, Parallelism: parallelism, Source: src}
}

// scaled reads every event time of a source in another unit.
func scaled(op job.Operator, times, per int64) job.Operator {
	for i := range op.Source.Splits {
		s := op.Source.Splits[i].Records.(records.Schedule)
		for k := range s.Phases {
			s.Phases[k].Times, s.Phases[k].Per = times, per
		}
	}
	return op
}

func bounded(seconds, idleSeconds int64) job.Strategy {
	return job.Strategy{Strategy: engine.Strategy{BoundMs: 1000 * seconds, IntervalMs: 200, IdleMs: 1000 * idleSeconds}}
}

func none() job.Strategy {
	return job.Strategy{Strategy: engine.Strategy{Kind: engine.NoWatermarks, IntervalMs: 200}}
}

func aligned(op job.Operator, driftSeconds int64) job.Operator {
	op.Source.Align = &engine.AlignmentConfig{Group: "g", MaxDriftMs: 1000 * driftSeconds, UpdateMs: 1000, Samples: -1}
	return op
}

func hash(from ...int) job.Input { return job.Input{Ship: engine.Hash, From: from} }

// window10s is Lab.window: a tumbling window of 10 s and a sink behind the operators given.
func (l lab) window10s(ops []job.Operator, from ...int) []job.Operator {
	return append(ops,
		job.Operator{Name: "Window10s", Parallelism: 2, Inputs: []job.Input{hash(from...)},
			Text: "Window(TumblingEventTimeWindows(10000), EventTimeTrigger, Lab$$Lambda$1, PassThroughWindowFunction)",
			Work: job.Work{Kind: job.Window, Window: engine.WindowSpec{SizeMs: 10_000}}},
		l.writer(len(ops), 2))
}

func (l lab) writer(behind, parallelism int) job.Operator {
	return job.Operator{Name: l.sink, Parallelism: parallelism, Chained: true, Inputs: []job.Input{{From: []int{behind}}}, Work: job.Work{Kind: job.Sink}}
}

func rebalanced(name string, parallelism, from int) job.Operator {
	return job.Operator{Name: name, Parallelism: parallelism, Inputs: []job.Input{{Ship: engine.Rebalance, From: []int{from}}}}
}

type ops = []job.Operator

// scenarios are jobs of testdata/lab/java/jobs, by the name of their recording.
var scenarios = map[string]func(l lab) ops{
	"healthy":               func(l lab) ops { return l.window10s(ops{l.source("Orders", "orders", bounded(2, 5), 2)}, 0) },
	"plain":                 func(l lab) ops { return l.window10s(ops{l.source("Orders", "stops", bounded(2, 0), 2)}, 0) },
	"idle-partition":        func(l lab) ops { return l.window10s(ops{l.source("Orders", "silent3", bounded(2, 0), 4)}, 0) },
	"idle-partition-shared": func(l lab) ops { return l.window10s(ops{l.source("Orders", "silent3", bounded(2, 0), 2)}, 0) },
	"idle-partition-declared": func(l lab) ops {
		return l.window10s(ops{l.source("Orders", "silent3", bounded(2, 3), 4)}, 0)
	},
	"over-parallel":   func(l lab) ops { return l.window10s(ops{l.source("Orders", "two", bounded(2, 0), 4)}, 0) },
	"all-quiet":       func(l lab) ops { return l.window10s(ops{l.source("Orders", "allstop", bounded(2, 3), 2)}, 0) },
	"no-strategy":     func(l lab) ops { return l.window10s(ops{l.source("Orders", "orders", none(), 2)}, 0) },
	"skewed":          func(l lab) ops { return l.window10s(ops{l.source("Orders", "skew", bounded(2, 0), 2)}, 0) },
	"old-data":        func(l lab) ops { return l.window10s(ops{l.source("Orders", "old", bounded(2, 0), 2)}, 0) },
	"late":            func(l lab) ops { return l.window10s(ops{l.source("Orders", "late", bounded(2, 0), 2)}, 0) },
	"bound-too-large": func(l lab) ops { return l.window10s(ops{l.source("Orders", "orders", bounded(600, 0), 2)}, 0) },
	"seconds-as-millis": func(l lab) ops {
		return l.window10s(ops{scaled(l.source("Orders", "orders", bounded(2, 0), 2), 0, 1000)}, 0)
	},
	"millis-as-seconds": func(l lab) ops {
		return l.window10s(ops{scaled(l.source("Orders", "orders", bounded(2, 0), 2), 1000, 0)}, 0)
	},
	"quiet-union": func(l lab) ops {
		return l.window10s(ops{l.source("Orders", "orders", bounded(2, 0), 2), l.source("Refunds", "orders-quiet", bounded(2, 0), 1)}, 0, 1)
	},
	"quiet-union-declared": func(l lab) ops {
		return l.window10s(ops{l.source("Orders", "orders", bounded(2, 0), 2), l.source("Refunds", "orders-quiet", bounded(2, 3), 2)}, 0, 1)
	},
	"quiet-join": func(l lab) ops {
		return ops{l.source("Orders", "orders", bounded(2, 0), 2), l.source("Payments", "orders-quiet", bounded(2, 0), 2),
			{Name: "OrderPayment", Parallelism: 2, Inputs: []job.Input{hash(0), hash(1)}, Work: job.Work{Kind: job.IntervalJoin, Join: engine.IntervalJoinSpec{LowerMs: -60_000, UpperMs: 30_000}}},
			l.writer(2, 2)}
	},
	"join-healthy": func(l lab) ops {
		return ops{l.source("Orders", "orders", bounded(2, 0), 2), l.source("Payments", "two", bounded(2, 0), 2),
			{Name: "OrderPayment", Parallelism: 2, Inputs: []job.Input{hash(0), hash(1)}, Work: job.Work{Kind: job.IntervalJoin, Join: engine.IntervalJoinSpec{LowerMs: -60_000, UpperMs: 30_000}}},
			l.writer(2, 2)}
	},
	"chain": func(l lab) ops {
		return l.window10s(ops{l.source("Orders", "silent3", bounded(2, 0), 4), rebalanced("Enrich", 3, 0), rebalanced("Clean", 2, 1)}, 2)
	},
	"downstream-assigner": func(l lab) ops {
		return l.window10s(ops{l.source("Orders", "orders", none(), 2),
			{Name: "Parse", Parallelism: 2, Chained: true, Inputs: []job.Input{{From: []int{0}}}},
			{Name: "Timestamps/Watermarks", Parallelism: 2, Chained: true, Inputs: []job.Input{{From: []int{1}}}, Work: job.Work{Kind: job.Assign, Strategy: bounded(2, 0)}}}, 2)
	},
	"backpressure": func(l lab) ops {
		return ops{l.source("Orders", "orders", bounded(2, 0), 2),
			{Name: "SlowLookup", Parallelism: 1, Inputs: []job.Input{hash(0)}, CostMs: 41, Queue: 20_000}, l.writer(1, 1)}
	},
	"aligned-healthy": func(l lab) ops {
		return l.window10s(ops{aligned(l.source("Orders", "orders", bounded(2, 5), 2), 30), aligned(l.source("Payments", "two", bounded(2, 5), 2), 30)}, 0, 1)
	},
	"aligned-stall": func(l lab) ops {
		return l.window10s(ops{aligned(l.source("Orders", "two", bounded(2, 0), 2), 5), aligned(l.source("Payments", "one-shot", bounded(2, 0), 2), 5)}, 0, 1)
	},
}
