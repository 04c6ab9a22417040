package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"tidemark/analyze/policy"
	"tidemark/kafkastats/advise"
	"tidemark/kafkastats/recommend"
	"tidemark/request"
)

func limited(r io.Reader, most int64) io.Reader { return io.LimitReader(r, most) }

// beside is a file that a policy names, from the policy's own folder.
func beside(at policy.Location, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(at.File), path)
}

// measure reads what each delay is held against.
func (o *checkOptions) measure(ctx context.Context, g *globals, policies []*policy.Policy, in *policy.Input) error {
	in.Measured = map[*policy.Measured]policy.Measurement{}
	for _, p := range policies {
		for _, r := range p.Jobs {
			if r.Delay == nil || r.Delay.Measured == nil || in.LeavesOut(r) {
				continue
			}
			m, err := o.measureOne(ctx, g, r.Delay)
			if err != nil {
				return err
			}
			in.Measured[r.Delay.Measured] = m
			if m.Source != "" && r.Delay.Measured.Value == nil {
				in.Sources = append(in.Sources, policy.Source{Kind: measuredKind(r.Delay.Measured, o), Name: strings.TrimPrefix(m.Source, "topic "), Note: fmt.Sprintf("%d records", m.Records)})
			}
		}
	}
	return nil
}

func measuredKind(m *policy.Measured, o *checkOptions) string {
	switch {
	case o.records != "", o.topic == "" && m.Records != nil:
		return "records"
	case o.topic != "", m.Topic != nil:
		return "topic"
	}
	return "profile"
}

// measureOne gives the need for the percentile of a delay. A file that is not there is a mistake of
// the policy; a broker that does not answer leaves the run incomplete.
func (o *checkOptions) measureOne(ctx context.Context, g *globals, d *policy.Delay) (policy.Measurement, error) {
	m := d.Measured
	if m.Value != nil {
		return policy.Measurement{Source: "the policy", NeedMs: m.Value.Ms, NeedSQLMs: m.Value.Ms}, nil
	}
	r := o.recommendFor(d)
	mistake := func(err error) error {
		return usageError{policy.Errors{{At: m.At, Text: "measured: " + err.Error()}}}
	}
	name := ""
	switch {
	case r.Topic != "":
		name = "topic " + r.Topic
	case r.Records.Path != "":
		name = r.Records.Path
	default:
		name = strings.Join(r.Profiles, ", ")
	}
	a := access{Brokers: texts(m.Brokers), Config: text(m.Config)}
	if m.Config != nil {
		a.Config = beside(m.At, m.Config.Text)
	}
	if err := a.fill(g, &r); err != nil {
		return policy.Measurement{}, mistake(err)
	}
	res, err := recommend.Run(ctx, g.process(), r)
	var wrong *request.Mistake
	switch {
	case ctx.Err() != nil:
		return policy.Measurement{}, ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &wrong), err != nil && r.Topic == "":
		return policy.Measurement{}, mistake(err)
	case err != nil:
		return policy.Measurement{Source: name, Err: err.Error()}, nil
	}
	return measurementOf(name, res), nil
}

// recommendFor is the measurement as `tidemark recommend` would make it.
func (o *checkOptions) recommendFor(d *policy.Delay) recommend.Request {
	m := d.Measured
	r := recommend.Defaults()
	r.NoReplay, r.Demand.Late = true, "p99.9"
	w := &r.EventTime
	w.Format, w.Field, w.Zone, w.Message = text(m.Format), text(m.Field), text(m.Zone), text(m.Message)
	if m.Unit != nil {
		w.Unit = m.Unit.Text
	}
	if m.Schema != nil {
		w.Schema = beside(m.At, m.Schema.Text)
	}
	if d.Covers != nil {
		r.Demand.Late = d.Covers.Text
	}
	if m.Last != nil {
		r.Part.Last = m.Last.N
	}
	if m.Since != nil {
		r.Part.Since = time.Duration(m.Since.Ms) * time.Millisecond
	}
	switch {
	case o.records != "":
		r.Records.Path = o.records
	case o.topic != "":
		r.Topic = o.topic
	case m.Records != nil:
		r.Records.Path = beside(m.At, m.Records.Text)
	case m.Topic != nil:
		r.Topic = m.Topic.Text
	default:
		for _, p := range m.Profile {
			r.Profiles = append(r.Profiles, beside(m.At, p.Text))
		}
	}
	return r
}

func text(t *policy.Text) string {
	if t == nil {
		return ""
	}
	return t.Text
}

func texts(list []*policy.Text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Text)
	}
	return out
}

// measurementOf keeps what a policy asks of a recommendation. Where more records cannot be read than the
// percentile leaves out, any of them may be late.
func measurementOf(name string, res recommend.Result) policy.Measurement {
	r, late := res.Recommendation, res.Target.Fraction()
	m := policy.Measurement{Source: name, NeedMs: r.Advice.DataStreamMs, NeedSQLMs: r.Advice.SQLMs, Records: r.Records,
		LastMs: res.LastArrival, Field: r.EventTime.Field, Partitions: len(r.Partitions), MixedUnits: mixedUnits(res.Units)}
	switch r.Advice.Verdict {
	case advise.Choose, advise.FixTimestamps, advise.NoProgress, advise.InsufficientEvidence:
		m.Thin = r.Advice.Reason
	}
	if r.Records == 0 {
		m.Thin = "it has no usable record"
	}
	if c := r.Counters; m.Thin == "" {
		unread := c.Missing + c.Undecodable + c.Sentinel
		if float64(unread) > late*float64(unread+c.Records) {
			m.Thin = fmt.Sprintf("%d of %d records have no event time that can be read, more than the percentile leaves out", unread, unread+c.Records)
		}
	}
	if r.Advice.LatencyP99Ms != nil {
		m.SpentMs, m.SpentKnown = *r.Advice.LatencyP99Ms-r.Advice.RoundedMs, true
	}
	if u := r.EventTime.Unit; u != "auto" && u != "text" {
		m.Unit = u
	}
	if z := r.EventTime.Zone; z != "" && !(r.EventTime.Detected && z == "UTC") {
		m.Zone = z
	}
	return m
}

// mixedUnits writes the units that records of one field suggest.
func mixedUnits(classes map[string]uint64) string {
	var parts []string
	for unit, n := range classes {
		parts = append(parts, fmt.Sprintf("%s in %d records", unit, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
