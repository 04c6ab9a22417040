package simulate

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"tidemark/engine"
	"tidemark/flinkapi"
	"tidemark/kafkastats/hist"
	"tidemark/request"
)

// maxFirings is the number of firings of a window that are listed; further ones are only counted.
const maxFirings = 200

// contender is one strategy of the race.
type contender struct {
	spec     Strategy
	windows  []engine.WindowSpec
	replayer *engine.Replayer
	timeline timeline
	out      []Window
	added    []hist.Histogram // by window
	latency  []hist.Histogram
	sliced   []sliced
	lag      hist.Histogram
	err      error
}

// open builds the replayer once the partitions are known.
func (c *contender) open(topic string, ids []int32) error {
	version, err := c.spec.flink()
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil // there was no record
	}
	c.out = make([]Window, len(c.windows))
	c.added, c.latency = make([]hist.Histogram, len(c.windows)), make([]hist.Histogram, len(c.windows))
	c.sliced = make([]sliced, len(c.windows))
	cfg := engine.ReplayConfig{
		Strategy: c.spec.engine(), Version: version, Splits: len(ids), Parallelism: c.spec.Parallelism,
		Owner: ownerOf(topic, ids, c.spec.Parallelism), Downstream: c.spec.Place == "downstream", Windows: c.windows,
		OnPoint: c.point, OnFired: c.fired,
		OnLate: func(i int, l engine.Late) { c.sliced[i].record(l) },
	}
	if c.replayer, err = engine.NewReplayer(cfg); err != nil {
		return request.Badf("strategy %q: %w", c.spec.Name, err)
	}
	return nil
}

// ownerOf assigns splits to subtasks as Kafka's source does; without a topic name, partition 0
// goes to subtask 0.
func ownerOf(topic string, ids []int32, parallelism int) func(int32) int {
	return func(split int32) int {
		if topic == "" {
			return int(ids[split]) % parallelism
		}
		return engine.KafkaOwner(topic, ids[split], parallelism)
	}
}

func (c *contender) point(p engine.Point) {
	if p.Scope == engine.Global && engine.State(p.Watermark) == engine.Known {
		c.lag.Add(p.At - p.Watermark)
	}
	c.timeline.add(p)
}

func (c *contender) fired(i int, f engine.Fired) {
	w := &c.out[i]
	c.sliced[i].fired(f)
	if !f.Again {
		c.added[i].Add(f.At - f.Newest)
		if f.Watermark != engine.End {
			c.latency[i].Add(f.At - f.End)
		}
	}
	if len(w.Firings) == maxFirings {
		w.More++
		return
	}
	w.Firings = append(w.Firings, Firing{Start: f.Start, End: f.End, At: f.At, Records: f.Records, Late: f.Late, Again: f.Again})
}

func (c *contender) take(batch []engine.Record) {
	for _, r := range batch {
		if c.err = c.replayer.Add(r); c.err != nil {
			c.err = fmt.Errorf("strategy %q: %w", c.spec.Name, c.err)
			return
		}
	}
}

// race runs all strategies in one pass over the input. The next batch is read while the
// strategies work on the current one.
func race(ctx context.Context, f *feed, all []*contender, tailMs int64, finish bool) error {
	var working sync.WaitGroup
	failed := func() error {
		working.Wait()
		for _, c := range all {
			if c.err != nil {
				return c.err
			}
		}
		return nil
	}
	open := func() error {
		for _, c := range all {
			if err := c.open(f.topic, f.ids); err != nil {
				return err
			}
		}
		return nil
	}
	err := f.run(ctx, open, func(batch []engine.Record) error {
		if err := failed(); err != nil {
			return err
		}
		for _, c := range all {
			working.Go(func() { c.take(batch) })
		}
		return nil
	})
	if broken := failed(); err == nil {
		err = broken
	}
	if err != nil || f.records == 0 {
		return err
	}
	for _, c := range all {
		if err := c.replayer.Advance(f.last + tailMs); err != nil {
			return err
		}
		if finish {
			if err := c.replayer.Finish(); err != nil {
				return err
			}
		}
	}
	return nil
}

// outcome converts the result of one strategy to the form of the report.
func (c *contender) outcome(ids []int32) Outcome {
	version, _ := c.spec.flink() // checked when the strategy was read
	s := Outcome{Name: c.spec.Name, DelayMs: c.spec.Delay.Milliseconds(), Kind: c.spec.Kind, Dialect: c.spec.Dialect,
		Emit: c.spec.Emit, IntervalMs: c.spec.Interval.Milliseconds(), IdleMs: c.spec.Idle.Milliseconds(), Parallelism: c.spec.Parallelism,
		Place: c.spec.Place, FlinkVersion: version.String(), Watermark: flinkapi.NoWatermark(),
		Splits: []Split{}, Windows: []Window{}, Timeline: []Series{}}
	if c.replayer == nil {
		return s
	}
	r := c.replayer.Result()
	s.Late, s.Watermark, s.Idle = r.Late, watermark(r.Watermark), r.Idle
	if r.Records > 0 {
		s.LateFraction = float64(r.Late) / float64(r.Records)
	}
	s.Lag = spread(&c.lag, r.Lag)
	for i, p := range r.Splits {
		s.Splits = append(s.Splits, Split{Partition: ids[i], Subtask: p.Subtask, Records: p.Records, Late: p.Late,
			Newest: watermark(p.Newest), Watermark: watermark(p.Watermark), Idle: p.Idle})
	}
	for i, w := range r.Windows {
		o := c.out[i]
		o.Window, o.Fired, o.Again, o.Taken, o.Dropped, o.Counted, o.Open = windowText(w.Spec), w.Fired, w.Again, w.Taken, w.Dropped, w.Counted, w.Open
		o.Added, o.Latency = spread(&c.added[i], w.Delay), spread(&c.latency[i], w.Latency)
		o.Bars, o.LateRecords = c.sliced[i].results()
		if o.Firings == nil {
			o.Firings = []Firing{}
		}
		s.Windows = append(s.Windows, o)
	}
	s.Timeline = c.timeline.series(ids)
	return s
}

func watermark(ms int64) flinkapi.Watermark {
	return flinkapi.ParseWatermark(strconv.FormatInt(ms, 10))
}

// spread combines the engine's exact mean and extremes with the quantiles of the histogram.
func spread(h *hist.Histogram, e engine.Spread) Spread {
	if e.N == 0 {
		return Spread{}
	}
	return Spread{N: e.N, Mean: e.Mean(), P50: min(h.Quantile(1, 2), e.Max), P99: min(h.Quantile(99, 100), e.Max), Max: e.Max}
}
