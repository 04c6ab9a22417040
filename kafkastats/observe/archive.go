package observe

import (
	"context"
	"errors"

	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
	"tidemark/kafkastats/topic"
	"tidemark/request"
)

// archive observes a file of records instead of a topic: a profile grows from archives as it does
// from the brokers, and each offset is counted once.
func (r *Request) archive(ctx context.Context, p request.Process) (res *Result, err error) {
	if err := r.likeBefore(); err != nil {
		return nil, request.Bad(err)
	}
	part, err := r.At(p.Now())
	if err != nil {
		return nil, err
	}
	src := r.Records.Source(nil)
	head, err := record.Head(decode.LookSize, func(yield func(*record.Raw) error) error { return src.Read(ctx, yield) })
	if err != nil {
		return nil, err
	}
	cut := &record.Cut{Source: src, Part: part}
	facts, err := extent(ctx, cut, r.Topic)
	if err != nil {
		return nil, err
	}
	if err := cut.Empty(); err != nil {
		return nil, err
	}
	if w := &r.EventTime; r.Records.Columns() && (w.Format == "" || w.Format == decode.CSV && w.Field == "") {
		w.Format = decode.Raw
	}
	extractor, decoding, err := r.found(ctx, p, head)
	if err != nil {
		return nil, err
	}
	w, prior, err := profile.Open(r.File, r.key(decoding, facts))
	if err != nil {
		return nil, request.Bad(err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	watch := newObservation(p, *r, w, extractor, prior)
	if err := watch.beginFile(facts); err != nil {
		return nil, err
	}
	err = cut.Read(ctx, func(raw *record.Raw) error {
		if raw.Offset < watch.next[raw.Partition] {
			return nil
		}
		raw.PreRoll = raw.Offset < watch.from[raw.Partition]
		return watch.take(raw)
	})
	return watch.account(decoding, cut.LeftOut(), watch.end(err))
}

// extent reads the file once to find its partitions and their offsets.
func extent(ctx context.Context, src record.Source, name string) (topic.Facts, error) {
	f := topic.Facts{Topic: name, Start: map[int32]int64{}, End: map[int32]int64{}}
	err := src.Read(ctx, func(r *record.Raw) error {
		if r.Topic != "" && r.Topic != name {
			return request.Badf("%s: a record of topic %s, and %q is observed", r.Place(), record.Clip([]byte(r.Topic)), name)
		}
		if r.Offset < 0 {
			return request.Badf("%s: the record has no offset, which a profile needs to know what it already holds", r.Place())
		}
		if _, seen := f.Start[r.Partition]; !seen {
			f.Start[r.Partition] = r.Offset
		}
		f.End[r.Partition] = r.Offset + 1
		if r.PreRoll {
			f.Start[r.Partition] = r.Offset + 1
		}
		return nil
	})
	return f, err
}

// beginFile decides where to start counting each partition of a file, as begin does for a topic.
func (w *observation) beginFile(f topic.Facts) error {
	w.collect(f)
	if w.prior == nil {
		for p, at := range f.Start {
			w.from[p], w.next[p] = at, 0
		}
		return w.start()
	}
	for p, at := range w.prior.Positions {
		if _, there := f.End[p]; there {
			f.End[p] = max(f.End[p], at) // an older file may end before the known offset
		}
	}
	if err := w.resume(f); err != nil {
		return err
	}
	for p, at := range w.begun {
		if w.from[p] > at {
			w.next[p] = at // what the file has of the gap raises the maximum
		}
	}
	return nil
}
