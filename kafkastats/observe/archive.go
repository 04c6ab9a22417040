package observe

import (
	"context"
	"errors"
	"fmt"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// archive observes a file of records in place of a topic: a profile grows from archives as it does from the
// brokers, each offset counted once.
func (r *Request) archive(ctx context.Context, p request.Process) (err error) {
	if err := r.likeBefore(); err != nil {
		return request.Bad(err)
	}
	src := r.Records.Source(nil)
	facts, sample, err := extent(ctx, src, r.Topic)
	if err != nil {
		return err
	}
	if w := &r.EventTime; r.Records.Columns() && (w.Format == "" || w.Format == decode.CSV && w.Field == "") {
		w.Format = decode.Raw
	}
	extractor, decoding, err := r.found(ctx, p, sample)
	if err != nil {
		return err
	}
	w, prior, err := profile.Open(r.File, r.key(decoding, facts))
	if err != nil {
		return request.Bad(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch := newObservation(p, *r, w, extractor, prior)
	if err := watch.beginFile(facts); err != nil {
		return err
	}
	err = src.Read(ctx, func(raw *record.Raw) error {
		if raw.Offset < watch.next[raw.Partition] {
			return nil
		}
		raw.PreRoll = raw.Offset < watch.from[raw.Partition]
		return watch.take(raw)
	})
	if err = watch.end(err); err != nil {
		return err
	}
	if watch.records == 0 {
		p.Note(fmt.Sprintf("%s adds nothing: %s holds the offsets of all its records already", r.Records.Name(), r.File))
		return nil
	}
	p.Note(fmt.Sprintf("%d records observed into %s", watch.records, r.File))
	return nil
}

// extent reads a file once to learn its partitions and their offsets, and keeps the first records.
func extent(ctx context.Context, src record.Source, name string) (topic.Facts, []record.Raw, error) {
	f := topic.Facts{Topic: name, Start: map[int32]int64{}, End: map[int32]int64{}}
	head, err := record.Head(decode.LookSize, func(yield func(*record.Raw) error) error { return src.Read(ctx, yield) })
	if err != nil {
		return f, nil, err
	}
	err = src.Read(ctx, func(r *record.Raw) error {
		if r.Topic != "" && r.Topic != name {
			return request.Bad(fmt.Errorf("%s: a record of topic %s, and %q is observed", r.Place(), record.Clip([]byte(r.Topic)), name))
		}
		if r.Offset < 0 {
			return request.Bad(fmt.Errorf("%s: no offset, by which a profile tells what it holds already", r.Place()))
		}
		if _, seen := f.Start[r.Partition]; !seen {
			f.Start[r.Partition] = r.Offset
		}
		f.End[r.Partition] = r.Offset + 1
		return nil
	})
	return f, head, err
}

// beginFile settles where each partition of a file is counted from, as begin does for a topic.
func (w *observation) beginFile(f topic.Facts) error {
	w.collect(f)
	if w.prior != nil {
		for p, at := range w.prior.Positions {
			if _, there := f.End[p]; there {
				f.End[p] = max(f.End[p], at) // an older file ends before what is known
			}
		}
		return w.resume(f)
	}
	for p, at := range f.Start {
		w.from[p], w.next[p] = at, at
		w.c.From(p, at)
	}
	return w.flush()
}
