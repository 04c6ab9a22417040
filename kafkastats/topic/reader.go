// Package topic reads ranges of a Kafka topic: without a consumer group, without commits, every
// partition in offset order, stopping by position and not by the last record seen.
package topic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tidemark/kafkastats/record"
)

// Range is what to read of a partition: offsets [From, To) count; [PreRoll, From) are read first,
// for the running maximum. PreRoll equals From if there is no pre-roll.
type Range struct {
	Partition int32
	PreRoll   int64
	From      int64
	To        int64
	Primed    Priming
	MaxMs     int64 // PrimedByLookup: the largest timestamp before From, epoch ms
}

// Priming says how the running maximum at the start of a range is known.
type Priming string

// A range that starts inside an old burst looks perfectly ordered unless the maximum is known.
const (
	PrimedByStart   Priming = "start"       // nothing comes before the range, or there is nothing in it
	PrimedByPreRoll Priming = "pre-roll"    // the records before it were read: a lower bound if a burst is longer
	PrimedByLookup  Priming = "lookup"      // the broker's time index gave it exactly
	PrimedByAppend  Priming = "append-time" // pre-roll, raised to the append time minus the usual lag
	NotPrimed       Priming = "none"        // retention removed what came before, and the range is short
)

// Options of a reading.
type Options struct {
	Conn          []kgo.Opt // from broker.Options
	Topic         string
	TopicID       [16]byte // from Describe
	Ranges        []Range
	ReadCommitted bool
	BytesPerSec   int64                           // 0: unlimited
	Live          func() int64                    // wall clock, epoch ms: stamp records with the time at which they were seen
	Lagging       func(partition int32) int       // records waiting elsewhere; a partition is paused above MaxLagging
	Done          func(partition int32)           // called once a partition has reached its end
	Progress      func(p Progress)                // called at each Beat, even if nothing arrives; may be nil
	Beat          time.Duration                   // 0: a second
	Follow        bool                            // do not stop at To: read until the context ends
	Release       func(waiting int)               // with Follow: no partition may have more records waiting than this, even if others are quiet
	Gap           func(partition int32, to int64) // records before to were removed before they could be read
	Patience      time.Duration                   // how long nothing may arrive although something should; 0: unlimited
	Trouble       func(err error)                 // called when the brokers stop answering, and with nil when they answer again; may be nil
	deletedAfter  time.Duration                   // how long a topic must be unknown to count as deleted; 0: the constant of that name
}

// MaxLagging is the number of records of one partition that may wait for the others before it is
// paused. Pausing discards what was fetched ahead, so it must be rare: a million records
// together.
func MaxLagging(partitions int) int { return max(8192, 1_000_000/max(1, partitions)) }

// MaxPoll is the largest number of records per poll. It is above what a fetch usually has: what a
// poll leaves behind delays the next fetch.
const MaxPoll = 100_000

// Progress is how far a reading is, in offsets.
type Progress struct {
	Records, Offsets, OffsetsTotal, Bytes int64
}

// Result is what a reading returns besides the records.
type Result struct {
	Positions  map[int32]int64 // next offset by partition
	Control    int64           // transaction markers skipped
	Incomplete string          // why it stopped early; empty: it did not
	Unfinished []int32
	Removed    []Removed // offsets that retention removed before they could be read
}

// Read yields the records of the ranges. An interrupted reading is not an error: Result says what
// is missing. The error is the first of yield, unchanged, or why nothing can be read.
func Read(ctx context.Context, o Options, yield func(*record.Raw) error) (Result, error) {
	r := newReading(o, yield)
	if len(r.left) == 0 {
		return r.result(""), nil
	}
	cl, err := r.client()
	if err != nil {
		return r.result("no client"), err
	}
	defer cl.Close()
	probe := newStallProbe(cl, o)
	outage := newOutage(o)
	if o.Beat <= 0 {
		o.Beat = time.Second
	}
	lastProgress := time.Now()
	for len(r.left) > 0 {
		begun := time.Now()
		if err := r.limit.wait(ctx); err != nil {
			return r.result(why(ctx)), nil
		}
		outage.moved = outage.moved.Add(time.Since(begun)) // the rate limit is not a silence of the broker
		pollCtx, cancel := context.WithTimeout(ctx, o.Beat)
		fetches := cl.PollRecords(pollCtx, MaxPoll)
		cancel()
		if ctx.Err() != nil && fetches.NumRecords() == 0 {
			return r.result(why(ctx)), nil
		}
		if err := outage.look(ctx, cl, r, fetches); err != nil {
			return r.result(err.Error()), err
		}
		outage.wait(ctx, fetches)
		moved, err := r.take(cl, fetches)
		if err != nil {
			return r.result("stopped"), err
		}
		r.balance(cl, moved)
		if !moved && !o.Follow && outage.last == nil {
			for partition, s := range r.left {
				if s.paused {
					continue
				}
				if next, ok := probe.next(ctx, partition, s.position); ok && next > s.position {
					s.position = next
					r.finishIfDone(cl, partition, s)
				}
			}
		}
		if o.Progress != nil && time.Since(lastProgress) >= o.Beat {
			lastProgress = time.Now()
			o.Progress(r.progress)
		}
	}
	if o.Progress != nil {
		o.Progress(r.progress)
	}
	return r.result(""), nil
}

func why(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "the time limit was reached"
	}
	return "interrupted"
}

func (r *reading) client() (*kgo.Client, error) {
	offsets := map[int32]kgo.Offset{}
	for partition, s := range r.left {
		offsets[partition] = kgo.NewOffset().At(s.position)
	}
	opts := append(slices.Clone(r.o.Conn), FetchSettings()...)
	opts = append(opts,
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.o.Topic: offsets}),
		kgo.KeepControlRecords(), kgo.KeepRetryableFetchErrors(), kgo.ConsumeResetOffset(kgo.NoResetOffset()))
	lent := newPools()
	opts = append(opts, kgo.WithPools(lent), kgo.WithHooks(lent))
	if r.o.ReadCommitted {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("client of Kafka: %w", err)
	}
	return cl, nil
}
