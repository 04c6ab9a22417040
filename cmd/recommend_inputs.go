package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tidemark/kafkastats"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/decode"
	"tidemark/kafkastats/eventtime"
	"tidemark/kafkastats/profile"
	"tidemark/kafkastats/record"
)

// extractor resolves where the event time is and prepares to read it.
func (o recommendOptions) extractor(ctx context.Context, g *globals, sample []record.Raw) (*decode.Extractor, decode.Options, error) {
	d, err := o.decoding(g)
	if err != nil {
		return nil, d, usageError{err}
	}
	d, note, err := resolve(ctx, d, sample)
	if err != nil {
		return nil, d, usageError{err}
	}
	if note != "" {
		fmt.Fprintf(g.Err, "tidemark: %s\n", note)
	}
	e, err := decode.New(ctx, d)
	if err != nil {
		return nil, d, usageError{err}
	}
	return e, d, nil
}

func (o recommendOptions) fromRecords(ctx context.Context, g *globals, a *advise.Options) (kafkastats.Outcome, error) {
	a.Source = o.records
	var src record.Source
	stdin := g.In
	if o.records == "-" {
		// The sample that finds the field and the measurement read the same stream.
		head := &bytes.Buffer{}
		sampled := io.TeeReader(io.LimitReader(g.In, 1<<22), head)
		stdin = sampled
		sample, err := sampleOf(func(yield func(*record.Raw) error) error { return o.source(stdin).Read(ctx, yield) })
		if err != nil && len(sample) == 0 {
			return kafkastats.Outcome{}, err
		}
		src = o.source(io.MultiReader(head, g.In))
		return o.measureRecords(ctx, g, a, src, sample)
	}
	src = o.source(nil)
	sample, err := sampleOf(func(yield func(*record.Raw) error) error { return src.Read(ctx, yield) })
	if err != nil && len(sample) == 0 {
		return kafkastats.Outcome{}, err
	}
	return o.measureRecords(ctx, g, a, src, sample)
}

func (o recommendOptions) source(stdin io.Reader) record.Source {
	if o.columns() {
		return record.CSV{Path: o.records, Stdin: stdin}
	}
	return record.Kcat{Path: o.records, Stdin: stdin}
}

// columns reports whether the file is CSV: as said, else by its name, as for simulate.
func (o recommendOptions) columns() bool {
	_, csv := recordFile(o.records, false, nil)
	return o.recordsFormat == "csv" || o.recordsFormat == "auto" && csv
}

func (o recommendOptions) checkRecordsFormat() error {
	switch o.recordsFormat {
	case "auto", "kcat", "csv":
		return nil
	}
	return fmt.Errorf("--records-format is %q; it takes auto, kcat, csv", o.recordsFormat)
}

func (o recommendOptions) measureRecords(ctx context.Context, g *globals, a *advise.Options, src record.Source, sample []record.Raw) (kafkastats.Outcome, error) {
	if o.columns() && (o.format == "" || o.format == decode.CSV && o.field == "") {
		o.format = decode.Raw
	}
	if a.Topic == "" && len(sample) > 0 {
		a.Topic = sample[0].Topic
	}
	if a.Topic == "" {
		a.Topic = filepath.Base(o.records) // CSV names no topic
	}
	e, d, err := o.extractor(ctx, g, sample)
	if err != nil {
		return kafkastats.Outcome{}, err
	}
	out, err := kafkastats.MeasureRecords(ctx, src, o.options(e))
	o.state(a, e, d)
	return out, err
}

// state notes how the event times were written.
func (o recommendOptions) state(a *advise.Options, e *decode.Extractor, d decode.Options) {
	unit, classes, zone, detected := e.Seen()
	field := d.Field
	if field == "" {
		field = d.Format
	}
	a.EventTime = advise.EventTime{Field: field, Format: d.Format, Unit: unit, Zone: zone, Detected: detected}
	if d.Unit == eventtime.Auto && len(classes) > 1 {
		a.UnitClasses = classes
	}
}

func (o recommendOptions) fromProfiles(a *advise.Options) (kafkastats.Outcome, error) {
	var all *profile.Profile
	var read []string
	for _, path := range o.profiles {
		p, err := profile.Read(path)
		if err != nil {
			return kafkastats.Outcome{}, err
		}
		if p.Torn {
			a.NotSeen = append(a.NotSeen, "the last flush of "+path+": it was cut off")
		}
		for _, skipped := range p.Skipped {
			a.NotSeen = append(a.NotSeen, fmt.Sprintf("a flush of %s that was left out: %v", path, skipped))
		}
		read = append(read, path)
		if all == nil {
			all = p
			continue
		}
		if err := all.Merge(p); err != nil {
			return kafkastats.Outcome{}, usagef("%s: %w", strings.Join(read, " and "), err)
		}
	}
	k := all.Key
	a.Topic, a.Source = k.Topic, strings.Join(o.profiles, ", ")
	a.EventTime = advise.EventTime{Field: k.Field, Format: k.Format, Unit: k.Unit, Zone: k.Zone}
	return kafkastats.Outcome{Measurement: all.Counted}, nil
}
