package observe

import (
	"context"
	"fmt"
	"maps"
	"time"

	"tidemark/internal/units"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/measure"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// observation is one run of observe.
type observation struct {
	p       request.Process
	r       Request
	w       *profile.Writer
	prior   *profile.Profile // nil: a new profile
	e       *decode.Extractor
	c       *measure.Collector
	began   int64           // wall clock, epoch ms
	before  map[int32]int64 // records in the profile at the start, by partition
	begun   map[int32]int64 // where counting began
	from    map[int32]int64 // where counting continues
	next    map[int32]int64 // first offset not read
	flushed time.Time
	dirty   bool
	flushes int
	records int64
	span    measure.Span // of everything flushed
	gaps    []Gap
	errors  int64 // undecodable records since the last flush
	failed  error

	stop      context.CancelFunc // ends the reading
	refreshed time.Time
	describe  func() (topic.Facts, error)
	known     topic.Facts
	changed   bool // there are new partitions
}

func newObservation(p request.Process, r Request, w *profile.Writer, e *decode.Extractor, prior *profile.Profile) *observation {
	now := p.Now()
	return &observation{p: p, r: r, w: w, e: e, prior: prior, began: now.UnixMilli(), before: holds(prior), begun: map[int32]int64{}, from: map[int32]int64{}, next: map[int32]int64{},
		gaps: []Gap{}, flushed: now, refreshed: now}
}

// begin prepares the collector and decides where counting starts in each partition. That is
// written at once, so that a crash before the first flush loses nothing.
func (w *observation) begin(ctx context.Context, t topic.Options, f topic.Facts) error {
	w.collect(f)
	plan, err := topic.Plan(ctx, t.Conn, f, topic.Sample{})
	if err != nil {
		return err
	}
	if w.prior == nil {
		for _, r := range plan.Segments[0] {
			w.from[r.Partition], w.next[r.Partition] = f.End[r.Partition], max(f.Start[r.Partition], f.End[r.Partition]-topic.PreRoll)
			if w.r.FromStart {
				w.from[r.Partition], w.next[r.Partition] = r.From, r.PreRoll
			}
		}
		return w.start()
	}
	return w.resume(f)
}

// start counts a new profile from the start of each partition.
func (w *observation) start() error {
	for p, at := range w.from {
		w.begun[p] = at
		w.c.From(p, at)
	}
	return w.flush()
}

// collect prepares the collector for the current partitions.
func (w *observation) collect(f topic.Facts) {
	opts := measure.Options{FutureMs: w.r.Future.Milliseconds(), IdleMs: w.r.Idle.Milliseconds(), MaxWaiting: topic.MaxLagging(len(f.End)) + 100_000}
	for _, size := range w.r.Windows {
		opts.Windows = append(opts.Windows, size.Milliseconds())
	}
	w.c, w.known = measure.NewCollector(opts), f
	for _, p := range f.Partitions() {
		w.c.Expect(p)
	}
}

// resume continues where a profile stopped. If retention has removed that position, this is
// reported and the reading continues at the oldest record; a new partition is read from its
// start.
func (w *observation) resume(f topic.Facts) error {
	state := w.prior.State
	state.Partitions = maps.Clone(state.Partitions)
	for id := range state.Partitions {
		if !w.counted(id) {
			delete(state.Partitions, id) // its maximum may be unknown: the records before are read again
		}
	}
	w.c.Resume(state)
	for _, p := range f.Partitions() {
		at, seen := w.prior.Positions[p]
		if !seen {
			at = f.Start[p]
		}
		if at > f.End[p] {
			return fmt.Errorf("the profile goes on at offset %d of partition %d, which ends at %d: the topic was created anew or lost records; use another file", at, p, f.End[p])
		}
		w.begun[p], w.from[p], w.next[p] = at, at, at
		switch s, resumed := state.Partitions[p]; {
		case resumed:
			w.next[p] = s.Again
		case seen:
			w.next[p] = at - topic.PreRoll
			w.c.From(p, at)
		default:
			w.c.From(p, at)
		}
		w.next[p] = max(w.next[p], f.Start[p])
		if at < f.Start[p] {
			w.gap(p, f.Start[p])
		}
	}
	return nil
}

// counted reports whether the profile has a record of a partition.
func (w *observation) counted(id int32) bool {
	p := w.prior.Counted.Partitions[id]
	return p != nil && len(p.Ranges) > 0
}

// gap notes records that could not be read because they were missing.
func (w *observation) gap(p int32, to int64) {
	g := Gap{Partition: p, From: w.from[p], To: to, Why: "removed by retention before they could be read"}
	switch {
	case w.r.Records.Path == "":
	case w.r.Times == (record.Times{}):
		g.Why = "not in " + w.r.Records.Name()
	default:
		g.Why = "not in the part of " + w.r.Records.Name() + " that was asked for"
	}
	w.gaps = append(w.gaps, g)
	w.p.Note(g.String())
	w.c.Gap(p, to)
	w.from[p], w.next[p] = to, to
}

// ranges are the offsets that remain to be read.
func (w *observation) ranges(f topic.Facts) []topic.Range {
	var out []topic.Range
	for _, p := range f.Partitions() {
		out = append(out, topic.Range{Partition: p, PreRoll: w.next[p], From: max(w.from[p], w.next[p]), To: f.End[p]})
	}
	return out
}

func (w *observation) take(r *record.Raw) error {
	p, err := w.e.Point(r)
	if err != nil {
		w.errors++
		if w.r.MaxErrors >= 0 && w.errors > w.r.MaxErrors {
			return fmt.Errorf("%s undecodable records in %s, the last: %w", units.Count(w.errors), units.Duration(w.p.Now().Sub(w.flushed).Milliseconds()), err)
		}
	}
	w.c.Add(p)
	w.next[r.Partition] = r.Offset + 1
	w.dirty = true
	if r.Offset < w.from[r.Partition] {
		return nil
	}
	w.from[r.Partition] = r.Offset + 1
	if w.records++; w.records%512 == 0 {
		return w.maybeFlush()
	}
	return nil
}

func (w *observation) maybeFlush() error {
	if w.failed != nil || !w.dirty || w.p.Now().Sub(w.flushed) < w.r.Flush {
		return w.failed
	}
	w.failed = w.flush()
	return w.failed
}

func (w *observation) flush() error {
	counted := w.c.Take()
	state := w.c.State()
	positions := map[int32]int64{}
	for p, from := range w.from {
		positions[p] = from
		if s, ok := state.Partitions[p]; ok {
			positions[p] = s.Next
		}
	}
	w.flushed, w.dirty, w.errors = w.p.Now(), false, 0
	w.flushes++
	if err := w.w.Flush(counted, positions, state); err != nil {
		return err
	}
	w.span.Merge(counted.Span)
	return nil
}

// end writes what is left, however the reading ended, and says in one line why it ended.
func (w *observation) end(err error) error {
	if w.failed != nil {
		err = w.failed
	}
	if failed := w.last(); failed != nil {
		return failed
	}
	if err != nil && w.failed == nil {
		return fmt.Errorf("%w; %s keeps the %d records observed until then", err, w.r.File, w.records)
	}
	return err
}

func (w *observation) last() error {
	if w.dirty {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.flushes == 0 {
		return nil
	}
	tail := w.c.Finish()
	w.span.Merge(tail.Span)
	return w.w.Tail(tail)
}
